import { createServer, type Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { NO_TOOL_FACTS } from '../../exchanges/tool-facts.ts'
import { EventBudget } from '../../sessions/session-events.ts'
import { SessionTable } from '../../sessions/session-table.ts'
import { Admission } from './admission.ts'
import { BodyBudget } from './body-budget.ts'
import { answerClientError } from './client-error.ts'
import { DEFAULT_EDGE_LIMITS, type EdgeTls, type McpEdge, type McpEdgeOptions } from './contract.ts'
import { Drain } from './drain.ts'
import type { EdgeContext } from './edge-context.ts'
import { EdgeMetrics } from './edge-metrics.ts'
import { factScope, isListChanged } from './fact-scope.ts'
import { TrustedProxies } from './proxies.ts'
import { RequestHandler } from './request-handler.ts'
import { RequestIds } from './request-id.ts'

/** Longer than clients keep idle connections, so that the client is the one who closes them. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000
const HEADERS_TIMEOUT_MS = 60_000
const CHECKING_INTERVAL_MS = 30_000

/**
 * Opens the listener; rejects with the system's error when the address cannot be had, with OpenSSL's when certificate or key
 * are none, and with RangeError where a trusted proxy is no CIDR.
 */
export async function listenMcp(options: McpEdgeOptions): Promise<McpEdge> {
  const edge = createContext(options)
  const { tls, publicUrl, trustedProxies = [], allowedHosts = [], allowedOrigins = [] } = options
  const door = {
    admission: new Admission({ boundHost: options.host, allowedHosts, allowedOrigins, publicUrl }),
    proxies: new TrustedProxies(trustedProxies),
    needsCertificate: tls?.clientCa !== undefined,
  }
  const server = createHttpServer(edge, tls)
  const handler = new RequestHandler(edge, door, options.routes)
  server.on('request', (request, response) => handler.handle(request, response, 'none'))
  server.on('checkContinue', (request, response) => handler.handle(request, response, 'continue'))
  server.on('checkExpectation', (request, response) => handler.handle(request, response, 'other'))
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
    renewTls: (renewed) => {
      if (server instanceof TlsServer) server.setSecureContext(secureContext(renewed))
    },
    stop: async (drainMs) => {
      drain?.shorten(drainMs)
      drain ??= new Drain(server, edge, drainMs)
      await drain.closed
      sessionsOpen()
    },
  }
}

function createHttpServer({ limits }: EdgeContext, tls: EdgeTls | undefined): Server {
  const options: ServerOptions = {
    maxHeaderSize: limits.maxHeaderOctets,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // Of requests alone: a stream lives as long as both ends like.
    requestTimeout: limits.requestArrivalMs,
    headersTimeout: Math.min(limits.requestArrivalMs, HEADERS_TIMEOUT_MS),
    connectionsCheckingInterval: Math.min(limits.requestArrivalMs, CHECKING_INTERVAL_MS),
    // Judged with all that it may be: Node's own answers say nothing.
    requireHostHeader: false,
  }
  if (tls === undefined) return createServer(options)
  const asked = tls.clientCa === undefined ? {} : { requestCert: true, rejectUnauthorized: false }
  return createTlsServer({ ...options, ...secureContext(tls), ...asked })
}

function secureContext({ cert, key, clientCa }: EdgeTls): SecureContextOptions {
  const ca = clientCa === undefined ? {} : { ca: toPem(clientCa) }
  return { cert: toPem(cert), key: toPem(key), minVersion: 'TLSv1.2', ...ca }
}

function toPem(pem: string | Uint8Array): string | Buffer {
  return typeof pem === 'string' ? pem : Buffer.from(pem)
}

function createContext(options: McpEdgeOptions): EdgeContext {
  const limits = { ...DEFAULT_EDGE_LIMITS, ...options.limits }
  const metrics = new EdgeMetrics(options.metrics)
  const facts = options.facts ?? NO_TOOL_FACTS
  const sessions = new SessionTable({
    sessionsPerRoute: limits.sessionsPerRoute,
    sessionsPerPrincipal: limits.sessionsPerPrincipal,
    idleMs: limits.sessionIdleMs,
    clock: options.clock,
    random: options.random,
    onIdle: (session) => {
      metrics.sessionEnded('idle')
      session.route.target.endSession(session.session, 'idle')
    },
    onForgotten: (session) => facts.forget(factScope(session.route, session)),
    shared: {
      events: { events: limits.eventStoreEvents, octets: limits.eventStoreOctets },
      budget: new EventBudget(limits.eventStoreTotalOctets),
      maxServerRequests: limits.serverRequestsPerSession,
      onEventDropped: () => metrics.eventDropped(),
      onNotification: (session, octets) => {
        if (isListChanged(octets)) facts.listChanged(factScope(session.route, session))
      },
    },
  })
  return {
    clock: options.clock,
    limits,
    sessions,
    bodies: new BodyBudget(limits.maxHeldBodyOctets),
    facts,
    requestIds: new RequestIds(options.wallClock, options.random),
    metrics,
    logger: options.logger,
    open: new Set(),
    openedStreams: new Set(),
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
