import type { ServerResponse } from 'node:http'
import type { CallReply, CallRequest, Era } from '../../exchanges/contract.ts'
import type { FactScope } from '../../exchanges/tool-facts.ts'
import type { Route } from '../../router/route.ts'
import type { NorthboundSession } from '../../sessions/northbound-session.ts'
import type { Answer, AnswerEvents } from './answer.ts'
import type { EdgeLimits } from './contract.ts'

/** What the edge knows about a request when it hands it to the target. */
export interface ExchangeStart {
  readonly route: Route
  readonly request: CallRequest
  readonly response: ServerResponse
  readonly answer: (events: AnswerEvents) => Answer
  /** The legacy session that the request stands in, or that it opens; its id is taken there. */
  readonly session: NorthboundSession | undefined
  readonly scope: FactScope
  /** Wants to see the result: a list of tools. */
  readonly listed: ((result: CallReply) => void) | undefined
  readonly idKey: string
  readonly traceId: () => string | undefined
}

/** Whether status or headers depend on the reply: the session id on success of one, 503 on failure of the other. */
export function holdsHead(era: Era, method: string): boolean {
  return method === 'server/discover' || (era === 'legacy' && method === 'initialize')
}

/** CARRIAGE section 4: none unless the route has one, and never for a subscription. */
export function deadlineMsOf({ request, route }: ExchangeStart): number | undefined {
  return request.method === 'subscriptions/listen' ? undefined : route.limits.requestTimeoutMs
}

/** How long an answer may be silent before it becomes a stream; undefined where its head waits for the reply. */
export function openingMsOf({ request, session }: ExchangeStart, limits: EdgeLimits): number | undefined {
  if (holdsHead(request.era, request.method)) return undefined
  // Where it tells the client what to come back to, it is worth more than that the answer is alive.
  return session?.primes === true ? Math.min(limits.streamAfterMs, limits.keepAliveMs) : limits.keepAliveMs
}

/** What tells the client of its new session; names and values in turn. */
export function sessionHeader(session: NorthboundSession | undefined): readonly string[] {
  return session === undefined ? [] : ['Mcp-Session-Id', session.edgeId]
}
