import {
  type AssociationCore,
  type Bridge,
  type BridgeEvent,
  type EstablishedInfo,
  LimitError,
  MCP_NOTIFICATIONS,
  type McpDirection,
  type NpampError,
  type RouteContext,
  TLV,
} from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import type { CallFailure, ClientNotification, SessionEndReason } from '../exchanges/contract.ts'
import type { ExchangeWatch } from './exchange-watch.ts'
import { IncomingCalls } from './incoming-calls.ts'
import { hex } from './incoming-sessions.ts'
import type { LocalTargets } from './local-targets.ts'
import { OutgoingCalls } from './outgoing-calls.ts'
import type { PeerCall } from './peer-call.ts'
import type { PeerConfig } from './peer-config.ts'
import { type ProcessBudget, ReadBudget } from './read-budget.ts'

/** The association that calls are carried by, as far as they need it. */
export interface CallsHost {
  readonly core: AssociationCore
  readonly bridge: Bridge
  readonly context: AssociationContext
  /** Sessions of our clients that are pinned here, by `Session.id`. */
  readonly sessions: ReadonlySet<string>
  /** The one that has the association to itself, because its calls cross without RouteContext. */
  readonly unnamedSession: string | undefined
  /** After anything was asked of the association or its bridge. */
  flush(): void
  pauseReading(paused: boolean): void
  /** Ends the association at once. */
  abort(error: NpampError): void
  /** LINK session-end. */
  endSession(key: Uint8Array, reason: SessionEndReason): void
  exchangeEnded(): void
}

/** What all associations of a relay share. */
export interface AssociationContext {
  readonly clock: Clock
  readonly random: (octets: number) => Uint8Array
  readonly targets: LocalTargets
  readonly processBudget: ProcessBudget
  readonly outgoingWatch: ExchangeWatch
  readonly incomingWatch: ExchangeWatch
  /** Sessions that one association may open at the targets here. */
  readonly maxIncomingSessions: number
}

/** The peer that the calls are with. */
export interface CallsHome {
  readonly config: PeerConfig
  /** Its frame was not sent when the association ended. */
  unsent(call: PeerCall): void
  /** `initialize` got no result, or the peer does not know the session: whoever called was told. */
  sessionOver(sessionId: string, why: 'refused' | 'lost'): void
}

/**
 * The calls of one association in both directions: of our clients (outgoing) and of the peer's (incoming). Most
 * associations are idle most of the time, so each side is built when it is first needed.
 */
export class AssociationCalls {
  readonly #host: CallsHost
  readonly #home: CallsHome
  readonly #info: EstablishedInfo
  #outgoing: OutgoingCalls | undefined
  #incoming: IncomingCalls | undefined
  #budget: ReadBudget | undefined
  /** As far as the budget knows. */
  #partOctets = 0
  #closed = false
  #id: string | undefined

  constructor(host: CallsHost, home: CallsHome, info: EstablishedInfo) {
    this.#host = host
    this.#home = home
    this.#info = info
  }

  get openOutgoing(): number {
    return this.#outgoing?.size ?? 0
  }

  start(call: PeerCall): 'started' | 'elsewhere' | CallFailure {
    const { targetName, request } = call
    return this.#theOutgoing.start(call, routeOf(targetName, request.session?.key))
  }

  notify(notification: ClientNotification, targetName: string | undefined): void {
    this.#theOutgoing.notify(notification, routeOf(targetName, notification.session?.key))
  }

  dispatch(events: readonly BridgeEvent[]): void {
    for (const event of events) {
      switch (event.type) {
        case 'request':
          this.#theIncoming.request(event)
          break
        case 'cancel':
          this.#incoming?.cancel(event)
          break
        case 'abandoned':
          this.#incoming?.abandoned(event)
          break
        case 'reply':
          this.#outgoing?.reply(event)
          break
        case 'failed':
          this.#outgoing?.failed(event, this.#host.core.state === 'closed')
          break
        case 'notification':
          this.#notification(event)
          break
      }
    }
  }

  drained(): void {
    this.#incoming?.drained()
  }

  /** So much is held of a frame that has not come whole: it is in the budget like what came whole and waits. */
  partlyReceived(octets: number): void {
    const counted = octets < LEAST_PART_OCTETS ? 0 : octets
    if (counted === this.#partOctets || this.#closed) return
    const change = counted - this.#partOctets
    this.#partOctets = counted
    if (change > 0) this.#theBudget.hold(change)
    else this.#theBudget.release(-change)
  }

  /** LINK session-end of the peer's. False when it is about no session of its clients here. */
  sessionEnded(key: Uint8Array, reason: SessionEndReason): boolean {
    return this.#incoming?.sessionEnded(key, reason) ?? false
  }

  /** The association ended, and the bridge has ended all exchanges. */
  close(): void {
    this.#closed = true
    this.#incoming?.close()
    this.#budget?.close()
  }

  /** From the peer's server to our client where it belongs to a call or session of ours, else from its client to a target. */
  #notification(event: BridgeEvent & { type: 'notification' }): void {
    if (event.related?.side === 'mine') {
      this.#outgoing?.notification(event.related, event.octets)
      return
    }
    const { sessions } = this.#host
    const direction = MCP_NOTIFICATIONS.get(event.method)
    const { route } = event
    if (route === undefined && this.#saysItself(direction)) {
      if (!this.#outgoing?.notificationByContent(event)) this.#dropped('unrelated')
      return
    }
    // What a server says outside any call is for the session's GET stream, which no edge opens yet.
    if (route?.session !== undefined && sessions.has(hex(route.session))) this.#dropped('no_stream')
    // Too late for its call, and no client's own: a target of the same name here must not get it.
    else if (route?.session === undefined && direction !== undefined && direction !== 'toServer') {
      this.#dropped('unrelated')
    } else this.#theIncoming.notification(event)
  }

  /**
   * Whether a notification that names neither exchange nor session can be about one client only, so that what it says
   * decides (digest 10 section 6): one session has the association to itself, or one exchange without a session, which is
   * a scope of its own (CARRIAGE section 2), and the peer has no RelatedExchange to name it by.
   */
  #saysItself(direction: McpDirection | undefined): boolean {
    const { unnamedSession, core } = this.#host
    if (unnamedSession !== undefined) return direction !== 'toServer'
    if (this.openOutgoing !== 1 || core.peer?.extensions?.tlvTypes.has(TLV.RELATED_EXCHANGE)) return false
    return direction === 'toClient' || direction === 'both'
  }

  #dropped(reason: string): void {
    this.#host.context.outgoingWatch.notificationDropped(reason)
  }

  get #theOutgoing(): OutgoingCalls {
    if (this.#outgoing !== undefined) return this.#outgoing
    const host = this.#host
    const home = this.#home
    this.#outgoing = new OutgoingCalls({
      bridge: host.bridge,
      clock: host.context.clock,
      budget: this.#theBudget,
      flush: () => host.flush(),
      watch: host.context.outgoingWatch,
      queuedOctets: () => host.core.queuedOctets,
      nameOf: (ordinal) => this.#nameOf(ordinal),
      onUnsent: (call) => home.unsent(call),
      onSessionOver: (sessionId, why) => home.sessionOver(sessionId, why),
      onEnded: () => host.exchangeEnded(),
    })
    return this.#outgoing
  }

  get #theIncoming(): IncomingCalls {
    if (this.#incoming !== undefined) return this.#incoming
    const host = this.#host
    const { config } = this.#home
    const { clock, targets, random, incomingWatch, maxIncomingSessions, processBudget } = host.context
    this.#incoming = new IncomingCalls({
      bridge: host.bridge,
      clock,
      targets,
      peerName: config.name,
      defaultBackend: config.defaultBackend,
      maxSessions: maxIncomingSessions,
      budget: this.#theBudget,
      processBudget,
      watch: incomingWatch,
      requestId: (ordinal) => this.#nameOf(ordinal),
      random,
      queueFull: () => host.core.queueFull,
      queuedOctets: () => host.core.queuedOctets,
      flush: () => host.flush(),
      sendSessionEnd: (session, reason) => host.endSession(session, reason),
      onEnded: () => host.exchangeEnded(),
    })
    return this.#incoming
  }

  /** Names a request on both relays: the association's id, and the request's ordinal on it in its direction. */
  #nameOf(ordinal: number): string {
    this.#id ??= hex(this.#info.associationId.subarray(0, 8))
    return `${this.#id}/${ordinal}`
  }

  get #theBudget(): ReadBudget {
    const host = this.#host
    this.#budget ??= new ReadBudget({
      process: host.context.processBudget,
      clock: host.context.clock,
      onPause: (paused) => host.pauseReading(paused),
      failLargest: () => this.#failLargest(),
    })
    return this.#budget
  }

  /** Whose exchange a frame is of that has not come whole, nobody can say: it can only end with its association. */
  #failLargest(): void {
    if (this.#outgoing?.failLargest() || !this.#theBudget.over) return
    if (this.#partOctets * 2 <= this.#theBudget.heldOctets) return
    this.#host.abort(new LimitError('MEMORY', 'there is no memory left for the rest of a frame of the peer'))
  }
}

/** What every association may have in part without being counted: smaller frames come and go too fast to matter. */
const LEAST_PART_OCTETS = 64 * 1024

function routeOf(target: string | undefined, session: Uint8Array | undefined): RouteContext | undefined {
  return target === undefined ? undefined : { target, session }
}
