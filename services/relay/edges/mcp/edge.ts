import type { Server } from 'node:http'
import { NO_TOOL_FACTS } from '../../exchanges/tool-facts.ts'
import type { RouteTable } from '../../router/route-table.ts'
import type { NorthboundSession } from '../../sessions/northbound-session.ts'
import { EventBudget } from '../../sessions/session-events.ts'
import { SessionTable, type SessionTableLimits } from '../../sessions/session-table.ts'
import { BodyBudget } from './body-budget.ts'
import {
  DEFAULT_EDGE_LIMITS,
  type EdgeLimits,
  type McpEdge,
  type McpEdgeOptions,
  type McpListener,
  type McpListenerOptions,
} from './contract.ts'
import { Drain } from './drain.ts'
import type { EdgeContext } from './edge-context.ts'
import { EdgeMetrics } from './edge-metrics.ts'
import { factScope, isListChanged } from './fact-scope.ts'
import { openListener } from './listener.ts'
import { RequestIds } from './request-id.ts'

/** Listens nowhere yet. */
export function createMcpEdge(options: McpEdgeOptions): McpEdge {
  return new Edge(options)
}

class Edge implements McpEdge {
  readonly #context: EdgeContext
  readonly #servers = new Set<Server>()
  readonly #unobserve: () => void
  #drain: Drain | undefined

  constructor(options: McpEdgeOptions) {
    this.#context = createContext(options)
    const { sessions } = this.#context
    this.#unobserve = options.metrics.observe('causeway_sessions_open', () => sessions.size, { side: 'edge' })
  }

  get openExchanges(): number {
    let count = 0
    for (const exchange of this.#context.open) if (exchange.awaited) count++
    return count
  }

  get openSessions(): number {
    return this.#context.sessions.size
  }

  forgetSession(sessionId: string): void {
    if (this.#context.sessions.forgetByKey(sessionId)) this.#context.metrics.sessionEnded('lost')
  }

  setRoutes(routes: RouteTable, ended: ReadonlySet<string>, drainMs: number): void {
    this.#context.routes = routes
    if (ended.size === 0) return
    for (const session of this.#context.sessions.forgetOf(ended)) {
      this.#context.metrics.sessionEnded('policy')
      this.#endAtTarget(session, drainMs)
    }
  }

  setLimits(limits: Partial<EdgeLimits>): void {
    const context = this.#context
    context.limits = { ...context.limits, ...limits }
    context.sessions.setLimits(sessionLimits(context.limits))
  }

  denyUnlessReadOnly(denied: boolean): void {
    this.#context.readOnly = denied
  }

  listen(options: McpListenerOptions): Promise<McpListener> {
    return openListener(this.#context, this.#servers, options)
  }

  async stop(drainMs: number): Promise<void> {
    this.#drain?.shorten(drainMs)
    this.#drain ??= new Drain(this.#servers, this.#context, drainMs)
    await this.#drain.closed
    this.#unobserve()
  }

  /** What is open in the session may still be answered. */
  #endAtTarget(session: NorthboundSession, limitMs: number): void {
    const { clock } = this.#context
    let told = false
    const tell = (): void => {
      if (told) return
      told = true
      clock.clearTimeout(timer)
      session.route.target.endSession(session.session, 'policy')
    }
    const timer = clock.setTimeout(tell, limitMs)
    session.whenUnused(tell)
  }
}

function createContext(options: McpEdgeOptions): EdgeContext {
  const limits = { ...DEFAULT_EDGE_LIMITS, ...options.limits }
  const metrics = new EdgeMetrics(options.metrics)
  const facts = options.facts ?? NO_TOOL_FACTS
  const { events, eventOctets, ...perTable } = sessionLimits(limits)
  const sessions = new SessionTable({
    ...perTable,
    clock: options.clock,
    random: options.random,
    onIdle: (session) => {
      metrics.sessionEnded('idle')
      session.route.target.endSession(session.session, 'idle')
    },
    onForgotten: (session) => facts.forget(factScope(session.route, session)),
    shared: {
      events,
      budget: new EventBudget(eventOctets),
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
    routes: options.routes,
    readOnly: false,
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

function sessionLimits(limits: EdgeLimits): SessionTableLimits {
  return {
    sessionsPerRoute: limits.sessionsPerRoute,
    sessionsPerPrincipal: limits.sessionsPerPrincipal,
    idleMs: limits.sessionIdleMs,
    events: { events: limits.eventStoreEvents, octets: limits.eventStoreOctets },
    eventOctets: limits.eventStoreTotalOctets,
  }
}
