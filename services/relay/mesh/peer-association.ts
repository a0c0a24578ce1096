import { isUtf8 } from 'node:buffer'
import {
  type AssociationCore,
  type AssociationEvent,
  Bridge,
  CLOSE_CODE,
  type CloseCause,
  type CloseCode,
  type EstablishedInfo,
  type NpampError,
  TLV,
  type Transport,
  type TransportInfo,
} from '@causeway/npamp'
import { BridgeTimer, type Clock, type Connection, connect } from '@causeway/npamp/transports'
import type { CallFailure, ClientNotification, Session, SessionEndReason } from '../exchanges/contract.ts'
import { AssociationCalls } from './association-calls.ts'
import type { AssociationContext, CallsHome, CallsHost } from './calls-host.ts'
import { hex } from './incoming-sessions.ts'
import type { PeerCall } from './peer-call.ts'
import { reasonNumber, reasonOf } from './session-end.ts'

/** Who an association belongs to, from the moment that its peer is known. */
export interface AssociationHome extends CallsHome {
  established(association: PeerAssociation, info: EstablishedInfo): void
  /** Calls may start. Comes again when a peer's HELLO replaces what was assumed of it. */
  ready(association: PeerAssociation): void
  /** The peer opens nothing new here, and nothing new may be opened: its calls go elsewhere (LINK op 2). */
  draining(association: PeerAssociation): void
  /** The association takes calls that it did not take before: a session of it, or an exchange with an equal id, ended. */
  freed(association: PeerAssociation): void
  /** The peer named its next key (LINK op 3, CONTROL section 5). */
  successor(association: PeerAssociation, statement: Uint8Array): void
  /** The peer ended a session of our clients. False when it is none of theirs. */
  sessionEnded(sessionId: string, reason: SessionEndReason): boolean
  closed(association: PeerAssociation, cause: CloseCause): void
}

export interface PeerAssociationOptions {
  readonly core: AssociationCore
  readonly context: AssociationContext
  /** Whose it is, once the peer has proved its key; undefined: nobody's any more, though the handshake let it through. */
  readonly homeOf: (info: EstablishedInfo) => AssociationHome | undefined
  /** It ended before it was anybody's, and why. */
  readonly onHandshakeFailed: (cause: CloseCause) => void
}

/** One process of a peer's: the same one started again has another boot id (CARRIAGE section 1). */
export interface Incarnation {
  readonly process: string
  readonly bootId: string
}

/** CARRIAGE section 1, LINK op 2. */
const MAX_DRAIN_MS = 30_000
/** What the peer sent before it heard of the drain is still served, not lost with the association. */
const DRAIN_GRACE_MS = 500

/**
 * One association with a peer: its connection, its bridge, the calls of our clients (outgoing) and those of the peer's
 * (incoming). Either end uses it, whoever dialled.
 */
export class PeerAssociation implements CallsHost {
  readonly core: AssociationCore
  readonly startedAt: number
  /** The session that has it to itself, because its calls cross without RouteContext. */
  unnamedSession: string | undefined
  /** Its keys, or the way it was dialled, are of an earlier configuration: what is new goes elsewhere where it can. */
  retiring = false
  /** It carries, or carried, calls without RouteContext. */
  carriedUnnamed = false
  readonly context: AssociationContext
  readonly #options: PeerAssociationOptions
  readonly #clock: Clock
  readonly bridge: Bridge
  readonly #bridgeTimer: BridgeTimer
  #connection: Connection | undefined
  #home: AssociationHome | undefined
  #calls: AssociationCalls | undefined
  #incarnation: Incarnation | undefined
  #wasReady = false
  #peerDrains = false
  #drainTimer: unknown
  #drainedAt: number | undefined
  #closesWhenIdle = false
  #closed = false

  constructor(options: PeerAssociationOptions) {
    this.core = options.core
    this.context = options.context
    this.#options = options
    this.#clock = options.context.clock
    this.startedAt = this.#clock.now()
    this.bridge = new Bridge(options.core, { isUtf8 })
    this.#bridgeTimer = new BridgeTimer(this.#clock, this.bridge, (events) => this.#calls?.dispatch(events))
  }

  /** Starts the pump; events may come before this returns. */
  open(transport: Transport): void {
    this.#connection = connect(this.core, transport, this.#clock, (event) => this.#onEvent(event), {
      onReceived: () => this.#calls?.partlyReceived(this.core.heldOctets),
    })
  }

  get transportInfo(): TransportInfo | undefined {
    return this.#connection?.transport.info
  }

  /** Whether a call, or the first call of a session, may start here. */
  get usable(): boolean {
    return this.core.state === 'ready' && !this.#peerDrains
  }

  /** The same, and nothing newer should be preferred. */
  get takesNew(): boolean {
    return this.usable && !this.retiring
  }

  /** Whether the peer can be told which target and session a call is for. */
  get carriesRouteContext(): boolean {
    return this.core.peer?.extensions?.tlvTypes.has(TLV.ROUTE_CONTEXT) ?? false
  }

  /**
   * Whether a call could start here and nothing that the peer says be in doubt: it names calls and sessions, or has no
   * session of its own beside one of ours, and no call is beside one that hears notifications.
   */
  keepsApart(call: PeerCall): boolean {
    if (call.opensSession && call.targetName === undefined) return !this.#calls?.hasUnnamedSession
    if (this.core.peer?.extensions?.tlvTypes.has(TLV.RELATED_EXCHANGE)) return true
    return call.wantsOwnAssociation ? this.unused : !this.#calls?.wantOwnAssociation
  }

  /** Which process of the peer this is with, once its HELLO said so. */
  get incarnation(): Incarnation | undefined {
    return this.#incarnation
  }

  /** Whether it ever carried calls, or could have. */
  get wasReady(): boolean {
    return this.#wasReady
  }

  /** What was ignored, by reason: frames of the core, messages of the bridge. */
  get drops(): readonly ReadonlyMap<string, number>[] {
    return [this.core.counters.dropped, this.bridge.counters.dropped]
  }

  get openExchanges(): number {
    return this.bridge.openExchanges
  }

  /** Sessions of our clients that are pinned to it, by `Session.id`. */
  get sessions(): Iterable<string> {
    return this.#calls?.sessions.keys() ?? []
  }

  /** `targetName`: undefined where its messages name neither target nor session. */
  pinSession(session: Session, targetName: string | undefined): void {
    this.#calls?.pinSession(session, targetName)
  }

  unpinSession(id: string): void {
    this.#calls?.unpinSession(id)
  }

  /** Nothing of our clients' is here. */
  get unused(): boolean {
    if (this.unnamedSession !== undefined) return false
    return this.#calls === undefined || (this.#calls.sessions.size === 0 && this.#calls.openOutgoing === 0)
  }

  /** Nothing is here that would be lost or broken off. Calls of the peer's that come now still count as open exchanges. */
  get isLeft(): boolean {
    return this.unused && (this.#calls?.incomingSessions ?? 0) === 0
  }

  /** The shorter queue goes first (CARRIAGE section 7). */
  isShorterThan(other: PeerAssociation): boolean {
    const difference = this.core.queuedOctets - other.core.queuedOctets
    return difference < 0 || (difference === 0 && this.openExchanges < other.openExchanges)
  }

  hasOpenId(idToken: Uint8Array): boolean {
    return this.bridge.hasOpenId(idToken)
  }

  /** `elsewhere`: the association ended meanwhile. */
  start(call: PeerCall): 'started' | 'elsewhere' | CallFailure {
    return this.#calls?.start(call) ?? 'elsewhere'
  }

  notify(notification: ClientNotification, targetName: string | undefined): void {
    this.#calls?.notify(notification, targetName)
  }

  /** Who may reach which target here has changed. */
  targetsChanged(): void {
    this.#calls?.targetsChanged()
  }

  /** LINK op 3: names the key that comes after the one that this association was authenticated with. */
  announceSuccessor(statement: Uint8Array): void {
    this.core.sendLink({ op: 'successor', statement }, this.#clock.now())
    this.flush()
  }

  /** LINK session-end, behind what the session has sent. */
  endSession(key: Uint8Array, reason: SessionEndReason): void {
    this.core.sendLink({ op: 'sessionEnd', session: key, reason: reasonNumber(reason) }, this.#clock.now())
    this.flush()
  }

  /** Asks the peer to open nothing new here (CARRIAGE section 1, LINK op 2). */
  announceDrain(): void {
    if (this.#drainedAt !== undefined || this.#closed) return
    this.#drainedAt = this.#clock.now()
    this.core.sendLink({ op: 'drain' }, this.#drainedAt)
    this.flush()
  }

  /** Closes once nothing is open, and no sooner than what crossed the announcement can have arrived. */
  closeWhenIdle(): void {
    if (this.#closesWhenIdle || this.#closed) return
    this.announceDrain()
    const graceMs = Math.max(0, (this.#drainedAt ?? 0) + DRAIN_GRACE_MS - this.#clock.now())
    this.#drainTimer = this.#clock.setTimeout(() => {
      this.#closesWhenIdle = true
      this.#drainTimer = this.#clock.setTimeout(() => this.close(CLOSE_CODE.GOING_AWAY, 'drained'), MAX_DRAIN_MS)
      this.#closeIfIdle()
    }, graceMs)
  }

  close(code: CloseCode, reason: string): void {
    this.core.close(code, reason, this.#clock.now())
    this.flush()
  }

  abort(error: NpampError): void {
    this.core.abort(error, this.#clock.now())
    this.flush()
  }

  // --- CallsHost ---

  flush(): void {
    this.#connection?.flush()
    this.#bridgeTimer.arm()
  }

  pauseReading(paused: boolean): void {
    const transport = this.#connection?.transport
    if (paused) transport?.pauseReading()
    else transport?.resumeReading()
    this.core.setReadingPaused(paused, this.#clock.now())
    this.flush()
  }

  exchangeEnded(): void {
    this.#closeIfIdle()
    if (!this.#closed) this.#home?.freed(this)
  }

  // --- what happens to it ---

  #onEvent(event: AssociationEvent): void {
    if (event.type === 'established') this.#established(event.info)
    this.#calls?.dispatch(this.bridge.handleEvent(event, this.#clock.now()))
    this.#bridgeTimer.arm()
    switch (event.type) {
      case 'ready':
        this.#incarnation = incarnationOf(this.core)
        this.#wasReady = true
        this.#home?.ready(this)
        break
      case 'link':
        this.#link(event.message)
        break
      case 'drained':
        this.#calls?.drained()
        break
      case 'closed':
        this.#ended(event.cause)
        break
      default:
    }
  }

  #established(info: EstablishedInfo): void {
    const home = this.#options.homeOf(info)
    if (home === undefined) {
      this.close(CLOSE_CODE.POLICY, 'not a peer')
      return
    }
    this.#home = home
    this.#calls = new AssociationCalls(this, home, info)
    home.established(this, info)
  }

  #link(message: (AssociationEvent & { type: 'link' })['message']): void {
    switch (message.op) {
      case 'drain':
        this.#peerDrains = true
        this.#home?.draining(this)
        break
      case 'sessionEnd': {
        const reason = reasonOf(message.reason)
        // A session that neither side knows is ignored.
        if (!this.#calls?.sessionEnded(message.session, reason)) {
          this.#home?.sessionEnded(hex(message.session), reason)
        }
        break
      }
      case 'successor':
        this.#home?.successor(this, message.statement)
        break
    }
  }

  #ended(cause: CloseCause): void {
    this.#closed = true
    this.#bridgeTimer.disarm()
    this.#clock.clearTimeout(this.#drainTimer)
    this.#calls?.close()
    if (this.#home === undefined) this.#options.onHandshakeFailed(cause)
    else this.#home.closed(this, cause)
  }

  #closeIfIdle(): void {
    if (this.#closesWhenIdle && this.openExchanges === 0) this.close(CLOSE_CODE.GOING_AWAY, 'drained')
  }
}

function incarnationOf({ established, peer }: AssociationCore): Incarnation | undefined {
  const extensions = peer?.extensions
  if (established === undefined || extensions === undefined) return undefined
  return { process: `${established.peerHandle} ${extensions.replica}`, bootId: hex(extensions.bootId) }
}
