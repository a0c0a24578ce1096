import { type BridgeEvent, type FailureInput, type IncomingExchange, mcpRequest, type RouteContext } from '../index.ts'
import type { Acceptor, McpAssociation } from './association.ts'
import type { Conversation } from './conversation.ts'
import { claimsModern } from './json-rpc.ts'
import { NO_SESSION, NO_TARGET, TOO_MANY_SESSIONS } from './refusals.ts'
import { ExchangeTransport, SessionTransport } from './server-transports.ts'
import type { McpTransport } from './transport.ts'

/** Where a transport came from. */
export interface SessionInfo {
  /** Who opened it: the PeerHandle that the association authenticated. */
  readonly peerHandle: string
  /** The name that the peer knows this server by; undefined of a peer that names none. */
  readonly target: string | undefined
  /** session: of the legacy era. exchange: one request outside any session, as all of the modern era are. */
  readonly kind: 'session' | 'exchange'
}

export interface SessionsOptions {
  /** Targets served here; undefined: whatever the peer names. */
  readonly targets: ReadonlySet<string> | undefined
  readonly maxSessions: number
  readonly random: (octets: number) => Uint8Array
  readonly onSession: (transport: McpTransport, info: SessionInfo) => unknown
  readonly onError: (error: Error) => void
}

/** What the clients of one peer have with the MCP server here, over one association. */
export class Sessions implements Acceptor {
  readonly #association: McpAssociation
  readonly #options: SessionsOptions
  /** The session of a peer that cannot name one: an association has one at a time (CARRIAGE section 1). */
  #unnamed: SessionTransport | undefined

  constructor(association: McpAssociation, options: SessionsOptions) {
    this.#association = association
    this.#options = options
  }

  requested(event: BridgeEvent & { type: 'request' }): void {
    const { exchange, message } = event
    const { route, method } = exchange
    const refusal = this.#refusalOf(exchange)
    if (refusal !== undefined) {
      this.#association.fail(exchange, refusal)
      return
    }
    const modern = message !== undefined && claimsModern(message)
    if (route === undefined && !modern && method !== 'initialize' && this.#unnamed !== undefined) {
      this.#association.give(event, this.#unnamed)
      return
    }
    const opensSession = method === 'initialize' && !modern && (route === undefined || route.session !== undefined)
    if (opensSession) this.#begin(event, this.#openSession(exchange, route), 'session')
    else this.#begin(event, new ExchangeTransport(this.#association, exchange), 'exchange')
  }

  notified(event: BridgeEvent & { type: 'notification' }): boolean {
    if (event.route !== undefined || this.#unnamed === undefined) return false
    this.#unnamed.notified(event)
    return true
  }

  #refusalOf({ route, method }: IncomingExchange): FailureInput | undefined {
    const { targets, maxSessions } = this.#options
    if (route === undefined) {
      // Meant for a client of the peer's own where it comes from one that cannot say so: nothing here is one.
      return mcpRequest(method)?.direction === 'toClient' ? NO_TARGET : undefined
    }
    if (targets !== undefined && !targets.has(route.target)) return NO_TARGET
    if (route.session === undefined) return undefined
    if (method !== 'initialize') return NO_SESSION
    // A key that is in use already is another target's.
    const taken = this.#association.hasSession(route.session)
    return taken || this.#association.sessionCount >= maxSessions ? TOO_MANY_SESSIONS : undefined
  }

  #openSession(exchange: IncomingExchange, route: RouteContext | undefined): SessionTransport {
    const key = route?.session ?? this.#options.random(16)
    // A peer that initializes again on the same association has ended what it had there.
    if (route === undefined) this.#unnamed?.sessionEnded()
    const opened = new SessionTransport(this.#association, { route, key, opening: exchange }, () => {
      if (this.#unnamed === opened) this.#unnamed = undefined
    })
    if (route === undefined) this.#unnamed = opened
    return opened
  }

  /** The request waits in the transport until the server has started it. */
  #begin(event: BridgeEvent & { type: 'request' }, transport: Conversation, kind: SessionInfo['kind']): void {
    const { onSession, onError } = this.#options
    this.#association.give(event, transport)
    if (transport.over) return
    const peerHandle = this.#association.core.established?.peerHandle ?? ''
    const info = { peerHandle, target: transport.route?.target, kind }
    const refused = (error: unknown): void => {
      onError(error instanceof Error ? error : new Error(String(error)))
      void transport.close()
    }
    try {
      Promise.resolve(onSession(transport, info)).catch(refused)
    } catch (error) {
      refused(error)
    }
  }
}
