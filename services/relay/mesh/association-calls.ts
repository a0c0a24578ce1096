import {
  type BridgeEvent,
  type EstablishedInfo,
  type IncomingExchange,
  LimitError,
  type RouteContext,
} from '@causeway/npamp'
import type { CallFailure, ClientNotification, Session, SessionEndReason } from '../exchanges/contract.ts'
import type { CallsHome, CallsHost } from './calls-host.ts'
import { IncomingCalls } from './incoming-calls.ts'
import { hex } from './incoming-sessions.ts'
import { OutgoingCalls } from './outgoing-calls.ts'
import type { PeerCall } from './peer-call.ts'
import type { PinnedSession } from './pinned-session.ts'
import { ReadBudget } from './read-budget.ts'
import { ReceivedServerRequests } from './received-server-requests.ts'
import { SentServerRequests } from './sent-server-requests.ts'
import { ServerTraffic } from './server-traffic.ts'

const NO_SESSIONS: ReadonlyMap<string, PinnedSession> = new Map()

/**
 * The calls of one association in both directions, of our clients (outgoing) and of the peer's (incoming), and what servers
 * ask and say of their own accord, in both directions too. Most associations are idle most of the time, so each part is
 * built when it is first needed.
 */
export class AssociationCalls {
  readonly #host: CallsHost
  readonly #home: CallsHome
  readonly #info: EstablishedInfo
  #outgoing: OutgoingCalls | undefined
  #incoming: IncomingCalls | undefined
  #serverTraffic: ServerTraffic | undefined
  #sentRequests: SentServerRequests | undefined
  #receivedRequests: ReceivedServerRequests | undefined
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

  /** Whether the peer has a session here that nothing names. */
  get hasUnnamedSession(): boolean {
    return this.#incoming?.hasUnnamedSession ?? false
  }

  get wantOwnAssociation(): boolean {
    return this.#outgoing?.wantOwnAssociation ?? false
  }

  /** Sessions that clients of the peer have here. */
  get incomingSessions(): number {
    return this.#incoming?.sessions ?? 0
  }

  /** Sessions of our clients that are pinned here, by `Session.id`. */
  get sessions(): ReadonlyMap<string, PinnedSession> {
    return this.#serverTraffic?.sessions ?? NO_SESSIONS
  }

  pinSession(session: Session, targetName: string | undefined): void {
    this.#theServerTraffic.pin(session, targetName)
  }

  unpinSession(id: string): void {
    this.#serverTraffic?.unpin(id)
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
          if (!this.#theServerTraffic.request(event)) this.#theIncoming.request(event)
          break
        case 'cancel':
          this.#answeredBy(event.exchange)?.cancel(event)
          break
        case 'abandoned':
          this.#answeredBy(event.exchange)?.abandoned(event)
          break
        case 'reply':
          if (this.#sentRequests?.owns(event.exchange)) this.#sentRequests.reply(event)
          else this.#outgoing?.reply(event)
          break
        case 'failed':
          this.#failed(event, this.#host.core.state === 'closed')
          break
        case 'notification':
          if (!this.#theServerTraffic.notification(event)) this.#theIncoming.notification(event)
          break
      }
    }
  }

  #failed(event: BridgeEvent & { type: 'failed' }, associationEnded: boolean): void {
    if (this.#sentRequests?.owns(event.exchange)) this.#sentRequests.failed(event, associationEnded)
    else this.#outgoing?.failed(event, associationEnded)
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

  /** Who may reach which target has changed. */
  targetsChanged(): void {
    this.#incoming?.targetsChanged()
  }

  /** LINK session-end of the peer's. False when it is about no session of its clients here. */
  sessionEnded(key: Uint8Array, reason: SessionEndReason): boolean {
    return this.#incoming?.sessionEnded(key, reason) ?? false
  }

  /** The association ended, and the bridge has ended all exchanges. */
  close(): void {
    this.#closed = true
    this.#incoming?.close()
    this.#serverTraffic?.close()
    this.#budget?.close()
  }

  /** A client of ours answers what a server asks, a target here what the peer's clients do. */
  #answeredBy(exchange: IncomingExchange): ReceivedServerRequests | IncomingCalls | undefined {
    return this.#receivedRequests?.owns(exchange) ? this.#receivedRequests : this.#incoming
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
      peerName: home.config.name,
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
    const { clock, targets, random, incomingWatch, processBudget } = host.context
    this.#incoming = new IncomingCalls({
      bridge: host.bridge,
      clock,
      targets,
      peerName: config.name,
      defaultBackend: () => this.#home.config.defaultBackend,
      maxSessions: () => host.context.maxIncomingSessions,
      onlyReadOnly: () => host.context.readOnly,
      budget: this.#theBudget,
      processBudget,
      watch: incomingWatch,
      requestId: (ordinal) => this.#nameOf(ordinal),
      random,
      queueFull: () => host.core.queueFull,
      queuedOctets: () => host.core.queuedOctets,
      flush: () => host.flush(),
      sendSessionEnd: (session, reason) => host.endSession(session, reason),
      serverRequests: this.#theSentRequests,
      onlyTheirs: () => host.unnamedSession === undefined,
      onEnded: () => host.exchangeEnded(),
    })
    return this.#incoming
  }

  get #theServerTraffic(): ServerTraffic {
    this.#serverTraffic ??= new ServerTraffic({
      host: this.#host,
      requests: this.#theReceivedRequests,
      budget: this.#theBudget,
      outgoing: () => this.#outgoing,
      incoming: () => this.#incoming,
    })
    return this.#serverTraffic
  }

  get #theReceivedRequests(): ReceivedServerRequests {
    const host = this.#host
    const { clock, incomingWatch, processBudget } = host.context
    this.#receivedRequests ??= new ReceivedServerRequests({
      bridge: host.bridge,
      clock,
      budget: this.#theBudget,
      processBudget,
      watch: incomingWatch,
      peerName: this.#home.config.name,
      nameOf: (ordinal) => this.#nameOf(ordinal),
      queueFull: () => host.core.queueFull,
      queuedOctets: () => host.core.queuedOctets,
      flush: () => host.flush(),
      onEnded: () => host.exchangeEnded(),
    })
    return this.#receivedRequests
  }

  get #theSentRequests(): SentServerRequests {
    const host = this.#host
    this.#sentRequests ??= new SentServerRequests({
      bridge: host.bridge,
      clock: host.context.clock,
      flush: () => host.flush(),
      watch: host.context.outgoingWatch,
      peerName: this.#home.config.name,
      nameOf: (ordinal) => this.#nameOf(ordinal),
      onSessionUnknown: (client) => this.#incoming?.sessionUnknown(client),
      onEnded: () => host.exchangeEnded(),
    })
    return this.#sentRequests
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
    const call = this.#outgoing?.largest
    const session = this.#serverTraffic?.largest
    if (session !== undefined && session.heldOctets > (call?.heldOctets ?? 0)) session.loseHeld()
    else if (call !== undefined) call.failAlone('budget')
    else if (this.#theBudget.over && this.#partOctets * 2 > this.#theBudget.heldOctets) {
      this.#host.abort(new LimitError('MEMORY', 'there is no memory left for the rest of a frame of the peer'))
    }
  }
}

/** What every association may have in part without being counted: smaller frames come and go too fast to matter. */
const LEAST_PART_OCTETS = 64 * 1024

function routeOf(target: string | undefined, session: Uint8Array | undefined): RouteContext | undefined {
  return target === undefined ? undefined : { target, session }
}
