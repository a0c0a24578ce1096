import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NO_TOOL_FACTS } from '../../exchanges/tool-facts.ts'
import { SessionTable } from '../../sessions/session-table.ts'
import { Admission } from './admission.ts'
import { BodyBudget } from './body-budget.ts'
import { answerClientError } from './client-error.ts'
import { DEFAULT_EDGE_LIMITS, type McpEdge, type McpEdgeOptions } from './contract.ts'
import { Drain } from './drain.ts'
import type { EdgeContext } from './edge-context.ts'
import { EdgeMetrics } from './edge-metrics.ts'
import { requestHandler } from './request-handler.ts'
import { RequestIds } from './request-id.ts'

/** Longer than clients keep idle connections, so that the client is the one who closes them. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000

/** Opens the listener; rejects with the system's error when the address cannot be had. */
export async function listenMcp(options: McpEdgeOptions): Promise<McpEdge> {
  const edge = createContext(options)
  const admission = new Admission({
    boundHost: options.host,
    allowedHosts: options.allowedHosts ?? [],
    allowedOrigins: options.allowedOrigins ?? [],
  })
  const server = createServer({
    maxHeaderSize: edge.limits.maxHeaderOctets,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // Judged with all that it may be: Node's own answers say nothing.
    requireHostHeader: false,
  })
  const handle = requestHandler(edge, admission, options.routes)
  server.on('request', (request, response) => handle(request, response, 'none'))
  server.on('checkContinue', (request, response) => handle(request, response, 'continue'))
  server.on('checkExpectation', (request, response) => handle(request, response, 'other'))
  server.on('clientError', (error, socket) => answerClientError(edge, error, socket))
  const address = await listen(server, options.host, options.port)
  // Accepting one connection failed, e.g. for want of file descriptors; the listener goes on.
  server.on('error', (error: NodeJS.ErrnoException) =>
    edge.logger.warn({ code: error.code }, 'a connection could not be accepted'),
  )
  const sessionsOpen = options.metrics.observe('causeway_sessions_open', () => edge.sessions.size, { side: 'edge' })
  let drain: Drain | undefined
  return {
    address,
    get openExchanges() {
      return countAwaited(edge)
    },
    get openSessions() {
      return edge.sessions.size
    },
    forgetSession: (sessionId) => {
      if (edge.sessions.forgetByKey(sessionId)) edge.metrics.sessionEnded('lost')
    },
    stop: async (drainMs) => {
      drain?.shorten(drainMs)
      drain ??= new Drain(server, edge, drainMs)
      await drain.closed
      sessionsOpen()
    },
  }
}

function createContext(options: McpEdgeOptions): EdgeContext {
  const limits = { ...DEFAULT_EDGE_LIMITS, ...options.limits }
  const metrics = new EdgeMetrics(options.metrics)
  const sessions = new SessionTable({
    sessionsPerRoute: limits.sessionsPerRoute,
    idleMs: limits.sessionIdleMs,
    clock: options.clock,
    random: options.random,
    onIdle: (session) => {
      metrics.sessionEnded('idle')
      session.route.target.endSession(session.session, 'idle')
    },
  })
  return {
    clock: options.clock,
    limits,
    sessions,
    bodies: new BodyBudget(limits.maxHeldBodyOctets),
    facts: options.facts ?? NO_TOOL_FACTS,
    requestIds: new RequestIds(options.wallClock, options.random),
    metrics,
    logger: options.logger,
    open: new Set(),
    stopping: false,
  }
}

function countAwaited(edge: EdgeContext): number {
  let count = 0
  for (const exchange of edge.open) if (exchange.awaited) count++
  return count
}

function listen(server: Server, host: string, port: number): Promise<McpEdge['address']> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      // A TCP server has an address object while it listens.
      const { address, port: real } = server.address() as AddressInfo
      resolve({ host: address, port: real })
    })
  })
}
