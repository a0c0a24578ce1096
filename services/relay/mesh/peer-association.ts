import { isUtf8 } from 'node:buffer'
import {
  type AssociationCore,
  type AssociationEvent,
  Bridge,
  type BridgeEvent,
  CLOSE_CODE,
  type CloseCause,
  type CloseCode,
  type EstablishedInfo,
  MCP_NOTIFICATIONS,
  type NpampError,
  type RouteContext,
  TLV,
  type Transport,
  type TransportInfo,
} from '@causeway/npamp'
import { type Clock, type Connection, connect } from '@causeway/npamp/transports'
import type { CallFailure, ClientNotification, SessionEndReason } from '../exchanges/contract.ts'
import { BridgeTimer } from './bridge-timer.ts'
import type { ExchangeMetrics } from './exchange-metrics.ts'
import { IncomingCalls } from './incoming-calls.ts'
import { hex } from './incoming-sessions.ts'
import type { LocalTargets } from './local-targets.ts'
import { OutgoingCalls } from './outgoing-calls.ts'
import type { PeerCall } from './peer-call.ts'
import type { PeerConfig } from './peer-config.ts'
import { type ProcessBudget, ReadBudget } from './read-budget.ts'
import { reasonNumber, reasonOf } from './session-end.ts'

/** Who an association belongs to, from the moment that its peer is known. */
export interface AssociationHome {
  readonly config: PeerConfig
  established(association: PeerAssociation, info: EstablishedInfo): void
  /** Calls may start. Comes again when a peer's HELLO replaces what was assumed of it. */
  ready(association: PeerAssociation): void
  /** The peer opens nothing new here, and nothing new may be opened: its calls go elsewhere (LINK op 2). */
  draining(association: PeerAssociation): void
  /** The association takes calls that it did not take before: a session of it, or an exchange with an equal id, ended. */
  freed(association: PeerAssociation): void
  /** Its frame was not sent when the association ended. */
  unsent(call: PeerCall): void
  /** No result to `initialize`: the session does not exist. */
  sessionRefused(sessionId: string): void
  /** The peer ended a session of our clients. False when it is none of theirs. */
  sessionEnded(sessionId: string, reason: SessionEndReason): boolean
  closed(association: PeerAssociation, cause: CloseCause): void
}

/** What all associations of a relay share. */
export interface AssociationContext {
  readonly clock: Clock
  readonly random: (octets: number) => Uint8Array
  readonly targets: LocalTargets
  readonly processBudget: ProcessBudget
  readonly outgoingMetrics: ExchangeMetrics
  readonly incomingMetrics: ExchangeMetrics
  /** Sessions that one association may open at the targets here. */
  readonly maxIncomingSessions: number
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
export class PeerAssociation {
  readonly core: AssociationCore
  readonly startedAt: number
  /** Sessions of our clients that are pinned to it, by `Session.id`. */
  readonly sessions = new Set<string>()
  /** The session that has it to itself, because its calls cross without RouteContext. */
  unnamedSession: string | undefined
  /** It carries, or carried, calls without RouteContext. */
  carriedUnnamed = false
  readonly #options: PeerAssociationOptions
  readonly #clock: Clock
  readonly #bridge: Bridge
  readonly #bridgeTimer: BridgeTimer
  #connection: Connection | undefined
  #home: AssociationHome | undefined
  #calls:
    | { readonly outgoing: OutgoingCalls; readonly incoming: IncomingCalls; readonly budget: ReadBudget }
    | undefined
  #incarnation: Incarnation | undefined
  #wasReady = false
  #peerDrains = false
  #drainTimer: unknown
  #drainedAt: number | undefined
  #closesWhenIdle = false
  #closed = false

  constructor(options: PeerAssociationOptions) {
    this.core = options.core
    this.#options = options
    this.#clock = options.context.clock
    this.startedAt = this.#clock.now()
    this.#bridge = new Bridge(options.core, { isUtf8 })
    this.#bridgeTimer = new BridgeTimer(this.#clock, this.#bridge, (events) => this.#dispatch(events))
  }

  /** Starts the pump; events may come before this returns. */
  open(transport: Transport): void {
    this.#connection = connect(this.core, transport, this.#clock, (event) => this.#onEvent(event))
  }

  get transportInfo(): TransportInfo | undefined {
    return this.#connection?.transport.info
  }

  /** Whether a call, or the first call of a session, may start here. */
  get usable(): boolean {
    return this.core.state === 'ready' && !this.#peerDrains
  }

  /** Whether the peer can be told which target and session a call is for. */
  get carriesRouteContext(): boolean {
    return this.core.peer?.extensions?.tlvTypes.has(TLV.ROUTE_CONTEXT) ?? false
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
    return [this.core.counters.dropped, this.#bridge.counters.dropped]
  }

  get openExchanges(): number {
    return this.#bridge.openExchanges
  }

  /** Nothing of our clients' is here. */
  get unused(): boolean {
    return this.sessions.size === 0 && this.unnamedSession === undefined && (this.#calls?.outgoing.size ?? 0) === 0
  }

  /** The shorter queue goes first (CARRIAGE section 7). */
  isShorterThan(other: PeerAssociation): boolean {
    const difference = this.core.queuedOctets - other.core.queuedOctets
    return difference < 0 || (difference === 0 && this.openExchanges < other.openExchanges)
  }

  hasOpenId(idToken: Uint8Array): boolean {
    return this.#bridge.hasOpenId(idToken)
  }

  /** `elsewhere`: the association ended meanwhile. */
  start(call: PeerCall): 'started' | 'elsewhere' | CallFailure {
    const { targetName, request } = call
    return this.#calls?.outgoing.start(call, routeOf(targetName, request.session?.key)) ?? 'elsewhere'
  }

  notify(notification: ClientNotification, targetName: string | undefined): void {
    this.#calls?.outgoing.notify(notification, routeOf(targetName, notification.session?.key))
  }

  /** LINK session-end, behind what the session has sent. */
  endSession(key: Uint8Array, reason: SessionEndReason): void {
    this.core.sendLink({ op: 'sessionEnd', session: key, reason: reasonNumber(reason) }, this.#clock.now())
    this.#flush()
  }

  /** Asks the peer to open nothing new here (CARRIAGE section 1, LINK op 2). */
  announceDrain(): void {
    if (this.#drainedAt !== undefined || this.#closed) return
    this.#drainedAt = this.#clock.now()
    this.core.sendLink({ op: 'drain' }, this.#drainedAt)
    this.#flush()
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
    this.#flush()
  }

  abort(error: NpampError): void {
    this.core.abort(error, this.#clock.now())
    this.#flush()
  }

  #onEvent(event: AssociationEvent): void {
    if (event.type === 'established') this.#established(event.info)
    this.#dispatch(this.#bridge.handleEvent(event, this.#clock.now()))
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
        this.#calls?.incoming.drained()
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
    this.#calls = this.#buildCalls(home, info)
    home.established(this, info)
  }

  #buildCalls(home: AssociationHome, info: EstablishedInfo) {
    const { clock, targets, processBudget, random, outgoingMetrics, incomingMetrics, maxIncomingSessions } =
      this.#options.context
    const id = hex(info.associationId.subarray(0, 8))
    const bridge = this.#bridge
    const flush = (): void => this.#flush()
    const budget = new ReadBudget({
      process: processBudget,
      clock,
      onPause: (paused) => this.#pauseReading(paused),
      failLargest: () => this.#calls?.outgoing.failLargest(),
    })
    const outgoing = new OutgoingCalls({
      bridge,
      now: () => clock.now(),
      budget,
      metrics: outgoingMetrics,
      flush,
      onUnsent: (call) => home.unsent(call),
      onSessionRefused: (sessionId) => home.sessionRefused(sessionId),
      onEnded: () => this.#exchangeEnded(),
    })
    const incoming = new IncomingCalls({
      bridge,
      clock,
      targets,
      peerName: home.config.name,
      defaultBackend: home.config.defaultBackend,
      maxSessions: maxIncomingSessions,
      budget,
      metrics: incomingMetrics,
      requestId: (ordinal) => `${id}/${ordinal}`,
      random,
      queueFull: () => this.core.queueFull,
      flush,
      sendSessionEnd: (session, reason) => this.endSession(session, reason),
      onEnded: () => this.#exchangeEnded(),
    })
    return { outgoing, incoming, budget }
  }

  #dispatch(events: readonly BridgeEvent[]): void {
    const calls = this.#calls
    if (calls === undefined) return
    for (const event of events) {
      switch (event.type) {
        case 'request':
          calls.incoming.request(event)
          break
        case 'cancel':
          calls.incoming.cancel(event)
          break
        case 'abandoned':
          calls.incoming.abandoned(event)
          break
        case 'reply':
          calls.outgoing.reply(event)
          break
        case 'failed':
          calls.outgoing.failed(event, this.core.state === 'closed')
          break
        case 'notification':
          this.#notification(event)
          break
      }
    }
  }

  /** From the peer's server to our client where it belongs to a call or session of ours, else from its client to a target. */
  #notification(event: BridgeEvent & { type: 'notification' }): void {
    const { outgoing, incoming } = this.#calls ?? {}
    if (event.related?.side === 'mine') {
      outgoing?.notification(event.related, event.octets)
      return
    }
    const direction = MCP_NOTIFICATIONS.get(event.method)
    const { route } = event
    if (route === undefined && this.unnamedSession !== undefined && direction !== 'toServer') {
      if (!outgoing?.notificationByContent(event)) this.#notificationDropped('unrelated')
      return
    }
    // What a server says outside any call is for the session's GET stream, which no edge opens yet.
    if (route?.session !== undefined && this.sessions.has(hex(route.session))) this.#notificationDropped('no_stream')
    // Too late for its call, and no client's own: a target of the same name here must not get it.
    else if (route?.session === undefined && direction !== undefined && direction !== 'toServer') {
      this.#notificationDropped('unrelated')
    } else incoming?.notification(event)
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
        if (!this.#calls?.incoming.sessionEnded(message.session, reason)) {
          this.#home?.sessionEnded(hex(message.session), reason)
        }
        break
      }
      case 'successor':
        break
    }
  }

  #ended(cause: CloseCause): void {
    this.#closed = true
    this.#bridgeTimer.disarm()
    this.#clock.clearTimeout(this.#drainTimer)
    this.#calls?.incoming.close()
    this.#calls?.budget.close()
    if (this.#home === undefined) this.#options.onHandshakeFailed(cause)
    else this.#home.closed(this, cause)
  }

  #exchangeEnded(): void {
    this.#closeIfIdle()
    if (!this.#closed) this.#home?.freed(this)
  }

  #closeIfIdle(): void {
    if (this.#closesWhenIdle && this.openExchanges === 0) this.close(CLOSE_CODE.GOING_AWAY, 'drained')
  }

  #pauseReading(paused: boolean): void {
    const transport = this.#connection?.transport
    if (paused) transport?.pauseReading()
    else transport?.resumeReading()
    this.core.setReadingPaused(paused, this.#clock.now())
    this.#flush()
  }

  #notificationDropped(reason: string): void {
    this.#options.context.outgoingMetrics.notificationDropped(reason)
  }

  /** After anything was asked of the association or its bridge. */
  #flush(): void {
    this.#connection?.flush()
    this.#bridgeTimer.arm()
  }
}

function routeOf(target: string | undefined, session: Uint8Array | undefined): RouteContext | undefined {
  return target === undefined ? undefined : { target, session }
}

function incarnationOf({ established, peer }: AssociationCore): Incarnation | undefined {
  const extensions = peer?.extensions
  if (established === undefined || extensions === undefined) return undefined
  return { process: `${established.peerHandle} ${extensions.replica}`, bootId: hex(extensions.bootId) }
}
