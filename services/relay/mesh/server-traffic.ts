import { type BridgeEvent, MCP_NOTIFICATIONS, type McpDirection, mcpRequest, TLV } from '@causeway/npamp'
import type { Session } from '../exchanges/contract.ts'
import type { CallsHost } from './calls-host.ts'
import type { IncomingCalls } from './incoming-calls.ts'
import { hex } from './incoming-sessions.ts'
import type { OutgoingCalls } from './outgoing-calls.ts'
import { namesSame, PinnedSession } from './pinned-session.ts'
import type { ReadBudget } from './read-budget.ts'
import type { Asked, ReceivedServerRequests } from './received-server-requests.ts'
import { NO_CLIENT, type Refusal, UNKNOWN_SESSION } from './refusals.ts'

export interface ServerTrafficOptions {
  readonly host: CallsHost
  readonly requests: ReceivedServerRequests
  readonly budget: ReadBudget
  /** The calls of our clients; undefined: there never was one. */
  readonly outgoing: () => OutgoingCalls | undefined
  /** What the peer's clients have here. */
  readonly incoming: () => IncomingCalls | undefined
}

/**
 * What servers behind a peer say to clients of this relay, over one association: on the clients' calls, and in the sessions
 * that are pinned here. It tells that from what the peer's own clients say; who is meant is never guessed between two.
 */
export class ServerTraffic {
  readonly #options: ServerTrafficOptions
  readonly #sessions = new Map<string, PinnedSession>()
  /** Sessions whose clients are behind. */
  readonly #holding = new Set<PinnedSession>()

  constructor(options: ServerTrafficOptions) {
    this.#options = options
  }

  /** Sessions of our clients that are pinned here, by `Session.id`. */
  get sessions(): ReadonlyMap<string, PinnedSession> {
    return this.#sessions
  }

  pin(session: Session, targetName: string | undefined): void {
    const { budget, host } = this.#options
    const pinned = new PinnedSession(session, targetName, {
      clock: host.context.clock,
      onHeld: (one, octets) => {
        if (one.heldOctets > 0) this.#holding.add(one)
        else this.#holding.delete(one)
        if (octets > 0) budget.hold(octets)
        else budget.release(-octets)
      },
      onNotificationsLost: (reason, count) => host.context.outgoingWatch.notificationDropped(reason, count),
    })
    this.#sessions.set(session.id, pinned)
  }

  /** The session is over: its client is told nothing more. */
  unpin(id: string): void {
    const pinned = this.#sessions.get(id)
    if (pinned === undefined) return
    this.#sessions.delete(id)
    pinned.end()
    this.#options.requests.endOf(pinned)
  }

  // --- from the peer ---

  /** False: it is for a target of this relay. */
  request(event: BridgeEvent & { type: 'request' }): boolean {
    const asked = this.#askedBy(event)
    if (asked === undefined) return false
    if ('code' in asked) this.#options.requests.refuse(event.exchange, asked)
    else this.#options.requests.request(event, asked)
    return true
  }

  /** False: it is for a target of this relay. */
  notification(event: BridgeEvent & { type: 'notification' }): boolean {
    const { related, route, octets } = event
    const call = related?.side === 'mine' ? this.#options.outgoing()?.callOf(related) : undefined
    if (call !== undefined) {
      if (namesSame(route, call.targetName, call.request.session)) call.notification(octets)
      else this.#dropped('unknown_session')
      return true
    }
    const direction = MCP_NOTIFICATIONS.get(event.method)
    if (route?.session !== undefined) return this.#inSession(event, route.session, direction)
    if (route === undefined && this.#saysItself(direction)) {
      this.#byContent(event)
      return true
    }
    // Too late for its call, and no client's own: a target of the same name here must not get it.
    if (direction === undefined || direction === 'toServer') return false
    this.#dropped('unrelated')
    return true
  }

  /** The session that holds most for a slow client; undefined when none holds anything. */
  get largest(): PinnedSession | undefined {
    let largest: PinnedSession | undefined
    for (const one of this.#holding) if (one.heldOctets > (largest?.heldOctets ?? 0)) largest = one
    return largest
  }

  /** The association ended. Which sessions were here is still to be read. */
  close(): void {
    for (const pinned of this.#sessions.values()) pinned.end()
    this.#options.requests.close()
  }

  // --- whose a request is ---

  /** Undefined: no client's of ours. */
  #askedBy({ exchange, related }: BridgeEvent & { type: 'request' }): Asked | Refusal | undefined {
    const call = related?.side === 'mine' ? this.#options.outgoing()?.callOf(related) : undefined
    const { route, method } = exchange
    if (call !== undefined && !call.over) {
      const { session, era } = call.request
      if (!namesSame(route, call.targetName, session)) return UNKNOWN_SESSION
      if (era === 'modern' || !call.mayBeAsked) return NO_CLIENT
      return { client: call, scope: (session && this.#sessions.get(session.id)) ?? call }
    }
    const direction = mcpRequest(method)?.direction
    if (route === undefined) return this.#unnamed(direction)
    if (route.session === undefined) return direction === 'toClient' ? NO_CLIENT : undefined
    const pinned = this.#find(route.session)
    if (pinned === undefined) return this.#isServers(direction, route.session) ? UNKNOWN_SESSION : undefined
    if (!namesSame(route, pinned.targetName, pinned.session)) return UNKNOWN_SESSION
    return pinned.hasClient ? { client: pinned, scope: pinned } : NO_CLIENT
  }

  /** Of a peer without RouteContext, or in a session that crosses without one. */
  #unnamed(direction: McpDirection | undefined): Asked | Refusal | undefined {
    const pinned = this.#theUnnamed
    if (pinned === undefined || direction === undefined || direction === 'toServer') return undefined
    if (direction === 'both' && this.#options.incoming()?.hasUnnamedSession) return undefined
    return pinned.hasClient ? { client: pinned, scope: pinned } : NO_CLIENT
  }

  // --- whose a notification is ---

  #inSession(
    event: BridgeEvent & { type: 'notification' },
    key: Uint8Array,
    direction: McpDirection | undefined,
  ): boolean {
    const pinned = this.#find(key)
    if (pinned === undefined && !this.#isServers(direction, key)) return false
    if (pinned !== undefined && namesSame(event.route, pinned.targetName, pinned.session)) {
      pinned.notification(event.octets)
      return true
    }
    this.#dropped('unknown_session')
    const { host } = this.#options
    // A peer that sends such and reads nothing must not fill the queue with answers; the next one tells it again.
    if (!host.core.queueFull) host.endSession(key, 'unknown')
    return true
  }

  /** What names neither exchange nor session, where what it says decides (digest 10 section 6). */
  #byContent(event: BridgeEvent & { type: 'notification' }): void {
    if (this.#options.outgoing()?.notificationByContent(event)) return
    const pinned = this.#theUnnamed
    if (pinned?.hasClient) pinned.notification(event.octets)
    else this.#dropped('unrelated')
  }

  /**
   * Whether a notification that names neither exchange nor session can be about one client only: one session has the
   * association to itself, or one exchange without a session, which is a scope of its own (CARRIAGE section 2), and the
   * peer has no RelatedExchange to name it by.
   */
  #saysItself(direction: McpDirection | undefined): boolean {
    const { host, outgoing } = this.#options
    if (host.unnamedSession !== undefined) return direction !== 'toServer'
    if (outgoing()?.size !== 1 || host.core.peer?.extensions?.tlvTypes.has(TLV.RELATED_EXCHANGE)) return false
    return direction === 'toClient' || direction === 'both'
  }

  /** Whether only a server says such, in a session that nobody has here. */
  #isServers(direction: McpDirection | undefined, session: Uint8Array): boolean {
    return direction !== undefined && direction !== 'toServer' && !this.#options.incoming()?.hasSession(session)
  }

  #find(key: Uint8Array): PinnedSession | undefined {
    return this.#sessions.size === 0 ? undefined : this.#sessions.get(hex(key))
  }

  get #theUnnamed(): PinnedSession | undefined {
    const id = this.#options.host.unnamedSession
    return id === undefined ? undefined : this.#sessions.get(id)
  }

  #dropped(reason: string): void {
    this.#options.host.context.outgoingWatch.notificationDropped(reason)
  }
}
