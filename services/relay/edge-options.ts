import type { RelayLimits, RouteConfig } from './config/relay-config.ts'
import type { EdgeLimits } from './edges/mcp/contract.ts'
import type { CallTarget } from './exchanges/contract.ts'
import type { Route } from './router/route.ts'

/** What the MCP edge is bounded by, of what a relay is bounded by. */
export function edgeLimits(limits: RelayLimits, maxHeldBodyOctets: number): Partial<EdgeLimits> {
  return {
    maxBodyOctets: limits.maxBodyOctets,
    maxHeldBodyOctets,
    maxHeaderOctets: limits.maxHeaderOctets,
    sessionsPerRoute: limits.sessionsPerRoute,
    sessionsPerPrincipal: limits.sessionsPerPrincipal,
    streamsPerSession: limits.streamsPerSession,
    eventStoreEvents: limits.eventStoreEvents,
    eventStoreOctets: limits.eventStoreOctets,
    eventStoreTotalOctets: limits.eventStoreTotalOctets,
    sessionIdleMs: limits.idleSessionMs,
  }
}

export function edgeRoute(config: RouteConfig, target: CallTarget): Route {
  const { name, path, trustAnnotations, forwardHeaders, cors, requestTimeoutMs, maxBodyOctets, sessions } = config
  return {
    name,
    path,
    target,
    trustAnnotations,
    forwardHeaders,
    cors,
    limits: {
      ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
      ...(maxBodyOctets === undefined ? {} : { maxBodyOctets }),
      ...(sessions === undefined ? {} : { sessions }),
    },
  }
}
