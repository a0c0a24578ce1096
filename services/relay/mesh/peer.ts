import { CLOSE_CODE, type CloseCause, ClosedError, type EstablishedInfo } from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import type { CallFailure, ClientNotification, Session, SessionEndReason } from '../exchanges/contract.ts'
import { AssociationPool } from './association-pool.ts'
import { callFailureOf, type DialFailure } from './dial-failure.ts'
import type { Dialler } from './dialler.ts'
import type { ExchangeWatch } from './exchange-watch.ts'
import type { AssociationHome, PeerAssociation } from './peer-association.ts'
import type { CallCarrier, PeerCall } from './peer-call.ts'
import { announcesOtherwise, type PeerConfig, pinsAnother } from './peer-config.ts'
import { type DiallingContext, PeerDialling } from './peer-dialling.ts'
import { Retirement } from './retirement.ts'
import {
  CANNOT_NAME_TARGETS,
  GIVEN_UP,
  NO_MORE_SESSIONS,
  NO_SUCH_SESSION,
  noSuchPeer,
  STOPPING,
  TOO_MUCH_WAITS,
} from './unplaced.ts'
import { WaitingCalls } from './waiting-calls.ts'

export interface PeerOptions {
  readonly config: PeerConfig
  readonly clock: Clock
  readonly watch: ExchangeWatch
  /** What dialling needs beyond what the peer itself says to its dialler; asked for anew when the way of dialling changes. */
  readonly dialling: (config: PeerConfig) => DiallingContext
  /** A new association of this peer's as initiator, not opened yet. */
  readonly createAssociation: (peer: Peer) => PeerAssociation
  /** Whether it was made with a key of this relay's that is not the present one. */
  readonly hasEarlierKey: (association: PeerAssociation) => boolean
  readonly observer: PeerObserver
  /** The longest that an association of an earlier configuration is kept for the sessions on it. */
  readonly maxRetiringMs: number
}

/** What a relay wants to know of its peers, for logs, metrics and the edge. */
interface PeerObserver {
  established(association: PeerAssociation, info: EstablishedInfo): void
  closed(association: PeerAssociation, cause: CloseCause): void
  dialSucceeded(): void
  dialFailed(failure: DialFailure): void
  /** A session of a client of this relay is over: later requests of it are unknown. */
  sessionEnded(sessionId: string): void
  /** Calls may start on it. */
  ready(association: PeerAssociation): void
  successor(association: PeerAssociation, statement: Uint8Array): void
}

/** This long ready, and the loss of an association is no reason to wait before the next dial. */
const SETTLED_MS = 5_000
const NOT_PINNED = 'its handle is not pinned any more'
/** `associations` is 8 at most, both ends may dial at once, and a peer may have several processes. */
const MOST_BESIDE_SESSIONS = 64
/** So many rounds in vain, and whoever waits is told at once instead of at the end of their 5 s. */
const KNOWN_DOWN_ROUNDS = 3

/** One MeshPeer at work: its associations, the calls on their way to it, and when it is dialled. */
export class Peer implements AssociationHome, CallCarrier {
  readonly #options: PeerOptions
  readonly #pool = new AssociationPool()
  readonly #waiting: WaitingCalls
  readonly #retirement: Retirement
  readonly #dialling: PeerDialling
  /** What associations that this peer dialled were made from. */
  readonly #madeFrom = new WeakMap<PeerAssociation, PeerConfig>()
  #config: PeerConfig
  #closing = false
  #drains = false
  /** Of the last association that did not come to carry calls; it may be one that the peer dialled. */
  #saidNoHello = false
  readonly #onEmpty: (() => void)[] = []

  constructor(options: PeerOptions) {
    const { config, clock } = options
    this.#config = config
    this.#options = options
    this.#waiting = new WaitingCalls(clock, (call) => this.#waitedInVain(call))
    this.#retirement = new Retirement({
      clock,
      maxMs: options.maxRetiringMs,
      isReplaced: () => this.#pool.usable > 0 || !this.#dialler.canDial,
    })
    this.#dialling = new PeerDialling(
      {
        clock,
        contextOf: options.dialling,
        create: () => this.#create(),
        onFailed: (failure, rounds) => this.#dialFailed(failure, rounds),
        onRetry: () => this.#grow('keep'),
      },
      config,
    )
  }

  get #dialler(): Dialler {
    return this.#dialling.dialler
  }

  get config(): PeerConfig {
    return this.#config
  }

  /** Why the last dials came to nothing; undefined where none did, or one has come to something since. */
  get dialFailure(): DialFailure | undefined {
    return this.#dialler.lastFailure
  }

  /** Open associations, those that do not carry calls yet included. */
  get associations(): Iterable<PeerAssociation> {
    return this.#pool
  }

  /** Whether calls could start at once. */
  get reachable(): boolean {
    for (const association of this.#pool) if (association.usable) return true
    return false
  }

  /** Calls that wait for an association. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** For `dial: always`. */
  start(): void {
    this.#grow('keep')
  }

  // --- configuration ---

  /**
   * Puts another configuration of the same peer into force: whoever it does not pin any more is let go at once; what was made
   * in a way that is not the present one is replaced first and then drained (CONTROL section 3).
   */
  update(config: PeerConfig): void {
    const before = this.#config
    this.#config = config
    for (const association of [...this.#pool]) {
      if (!this.#pins(association)) association.abort(new ClosedError('CLOSED', NOT_PINNED))
    }
    if (pinsAnother(before, config)) for (const call of this.#waiting.all()) call.relabel()
    const isElsewhere = this.#dialling.change(before, config)
    const announces = announcesOtherwise(before, config)
    for (const association of this.#pool) {
      if (announces || isElsewhere(association)) this.#retirement.add(association)
    }
    this.#afterChange()
  }

  /** This relay has another identity: new associations are made with it, those that are open drain. */
  renew(): void {
    for (const association of this.#pool) this.#retirement.add(association)
    this.#afterChange()
  }

  #create(): PeerAssociation {
    const association = this.#options.createAssociation(this)
    this.#madeFrom.set(association, this.#config)
    return association
  }

  /** It began before the present configuration was in force. */
  #isOutdated(association: PeerAssociation): boolean {
    const madeFrom = this.#madeFrom.get(association)
    if (madeFrom !== undefined && announcesOtherwise(madeFrom, this.#config)) return true
    return this.#options.hasEarlierKey(association)
  }

  #afterChange(): void {
    this.#placeWaiting()
    this.#retirement.check()
    this.#grow('keep')
  }

  #pins({ core }: PeerAssociation): boolean {
    const { identity } = this.#config
    const handle = core.established?.peerHandle
    return identity.mode === 'any' || (handle !== undefined && identity.handles.includes(handle))
  }

  // --- calls ---

  /** Starts the call on an association, or lets it wait for one, or ends it. */
  place(call: PeerCall): void {
    const { session } = call.request
    const pinned = session === undefined ? undefined : this.#pool.pinnedTo(session.id)
    if (pinned?.usable) this.#startOn(pinned, call)
    else if (session !== undefined && (pinned !== undefined || !call.opensSession)) call.end(NO_SUCH_SESSION)
    else this.#placeAnywhere(call)
  }

  notify(notification: ClientNotification, targetName: string | undefined): void {
    const { session } = notification
    const association =
      session === undefined ? this.#pool.chooseForNotification(targetName) : this.#pool.pinnedTo(session.id)
    if (association === undefined) {
      this.#options.watch.notificationDropped(session === undefined ? 'no_association' : 'unknown_session')
    } else association.notify(notification, targetName)
  }

  endSession(session: Session, reason: SessionEndReason): void {
    const association = this.#pool.pinnedTo(session.id)
    if (association === undefined) return
    const unnamed = association.unnamedSession === session.id
    // First: what its server still asks then ends as part of the session, and is not answered one by one.
    if (!unnamed) association.endSession(session.key, reason)
    this.#unpin(session.id, reason)
    // The end of its association is all that a peer can be told of a session that it has no name for.
    if (unnamed) association.close(CLOSE_CODE.NORMAL, 'session ended')
  }

  // --- CallCarrier, while a call waits ---

  cancel(call: PeerCall): void {
    if (this.#waiting.remove(call)) call.end(GIVEN_UP)
  }

  nameOf(): undefined {}

  forget(call: PeerCall): void {
    this.#waiting.remove(call)
  }

  // --- AssociationHome ---

  established(association: PeerAssociation, info: EstablishedInfo): void {
    this.#pool.add(association)
    this.#options.observer.established(association, info)
    if (this.#isOutdated(association)) this.#retirement.add(association)
    if (this.#closing) association.close(CLOSE_CODE.GOING_AWAY, 'the relay is stopping')
    // Its handshake may be older than the pins.
    else if (!this.#pins(association)) association.close(CLOSE_CODE.POLICY, NOT_PINNED)
    else if (this.#pool.size > MOST_BESIDE_SESSIONS + this.config.sessionsPerPeer) {
      association.close(CLOSE_CODE.POLICY, 'too many associations')
    }
  }

  ready(association: PeerAssociation): void {
    this.#saidNoHello = false
    this.#closeOlderIncarnations(association)
    if (this.#dialler.settled(association, undefined)) this.#options.observer.dialSucceeded()
    if (this.#drains) association.closeWhenIdle()
    this.#options.observer.ready(association)
    this.#placeWaiting()
    this.#retirement.check()
    this.#grow('keep')
  }

  successor(association: PeerAssociation, statement: Uint8Array): void {
    this.#options.observer.successor(association, statement)
  }

  draining(): void {
    this.#grow('keep')
  }

  freed(association: PeerAssociation): void {
    this.#placeWaiting()
    this.#retirement.check()
    const surplus = association.carriedUnnamed && this.#pool.usable > this.config.associations
    if (surplus && association.unused && association.openExchanges === 0) {
      association.close(CLOSE_CODE.IDLE, 'not needed any more')
    }
  }

  unsent(call: PeerCall): void {
    call.unstarted(this)
    if (call.opensSession && call.request.session !== undefined) this.#unpin(call.request.session.id, 'unknown')
    if (call.placementEndsAt <= this.#options.clock.now()) call.end(this.#notPlaced())
    else this.place(call)
  }

  sessionOver(sessionId: string, why: 'refused' | 'lost'): void {
    this.#unpin(sessionId, why)
  }

  sessionEnded(sessionId: string, reason: SessionEndReason): boolean {
    if (this.#unpin(sessionId, reason) === undefined) return false
    this.#options.observer.sessionEnded(sessionId)
    return true
  }

  closed(association: PeerAssociation, cause: CloseCause): void {
    const { observer, watch, clock } = this.#options
    for (const sessionId of this.#pool.remove(association)) {
      watch.sessionEnded('association_lost')
      observer.sessionEnded(sessionId)
    }
    observer.closed(association, cause)
    this.#retirement.remove(association)
    this.handshakeFailed(association, cause)
    if (this.#pool.size === 0) for (const resolve of this.#onEmpty.splice(0)) resolve()
    if (this.#closing) return
    if (cause.by === 'error' && cause.error.code === 'NO_HELLO') this.#noHello()
    const lostAtOnce = cause.by !== 'local' && clock.now() - association.startedAt < SETTLED_MS
    if (association.core.role === 'initiator' && association.wasReady && lostAtOnce) this.#dialler.flapped(cause)
    this.#grow('keep')
  }

  /** Of an association that this peer dialled and that never became anybody's. */
  handshakeFailed(association: PeerAssociation, cause: CloseCause): void {
    this.#dialler.settled(association, cause)
  }

  // --- the end ---

  /** The peer is asked to open nothing new here; calls of ours go on. */
  announceDrain(): void {
    for (const association of this.#pool) association.announceDrain()
  }

  /** Resolves when every association has become idle and is closed; an association that comes later is closed too. */
  closeWhenIdle(): Promise<void> {
    this.#drains = true
    for (const association of [...this.#pool]) association.closeWhenIdle()
    return this.#empty()
  }

  /** It is configured no more: whoever it is has no business here, and is let go at once. */
  remove(): void {
    this.#closing = true
    this.#dialler.stop('the peer is configured no more')
    this.#retirement.stop()
    const failure = noSuchPeer(this.#config.name)
    for (const call of this.#waiting.all()) if (this.#waiting.remove(call)) call.end(failure)
    for (const association of [...this.#pool]) {
      association.abort(new ClosedError('CLOSED', 'the peer is configured no more'))
    }
  }

  /** Waiting calls end, associations close. Resolves when all are over; what is left after `limitMs` is broken off. */
  close(limitMs: number): Promise<void> {
    this.#closing = true
    this.#dialler.stop('the relay is stopping')
    this.#retirement.stop()
    for (const call of this.#waiting.all()) if (this.#waiting.remove(call)) call.end(STOPPING)
    for (const association of [...this.#pool]) association.close(CLOSE_CODE.GOING_AWAY, 'the relay is stopping')
    const { clock } = this.#options
    const timer = clock.setTimeout(() => {
      for (const association of [...this.#pool]) association.abort(new ClosedError('CLOSED', 'the relay stopped'))
    }, limitMs)
    return this.#empty().then(() => clock.clearTimeout(timer))
  }

  #empty(): Promise<void> {
    if (this.#pool.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#onEmpty.push(resolve))
  }

  // --- placement ---

  #placeAnywhere(call: PeerCall): void {
    const association = this.#pool.choose(call, this.#mayGrow)
    if (association !== undefined) this.#startOn(association, call)
    else if (call.targetName !== undefined && this.#pool.cannotNameTargets) call.end(CANNOT_NAME_TARGETS)
    else this.#wait(call)
    this.#grow('demand')
  }

  #startOn(association: PeerAssociation, call: PeerCall): void {
    const opened = call.opensSession ? call.request.session : undefined
    const opens = opened !== undefined && this.#pool.pinnedTo(opened.id) === undefined
    if (opens) this.#pin(opened, association, call.targetName)
    else if (call.targetName === undefined) association.carriedUnnamed = true
    const started = association.start(call)
    if (started === 'started') return
    if (opens) this.#unpin(opened.id, 'refused')
    if (started !== 'elsewhere') call.end(started)
    else if (call.request.session !== undefined && !opens) call.end(NO_SUCH_SESSION)
    else this.#placeAnywhere(call)
  }

  #wait(call: PeerCall): void {
    const refusal = this.#mayNotWait(call)
    if (refusal !== undefined) call.end(refusal)
    else if (!this.#waiting.add(call)) call.end(TOO_MUCH_WAITS)
  }

  #mayNotWait(call: PeerCall): CallFailure | undefined {
    if (this.#closing || this.#drains) return STOPPING
    if (!this.#dialler.canDial) return this.#mayBecomeUsable() ? undefined : this.#notPlaced()
    const full = call.targetName === undefined && this.#pool.size >= this.config.sessionsPerPeer
    return full ? NO_MORE_SESSIONS : undefined
  }

  #placeWaiting(): void {
    if (this.#waiting.size === 0) return
    for (const call of this.#waiting.all()) {
      const association = this.#pool.choose(call, this.#mayGrow)
      if (association !== undefined && this.#waiting.remove(call)) this.#startOn(association, call)
      else if (call.targetName !== undefined && this.#pool.cannotNameTargets && this.#waiting.remove(call)) {
        call.end(CANNOT_NAME_TARGETS)
      }
    }
  }

  /** The peer let the time for its HELLO pass. Calls wait on only where there is something else to wait for. */
  #noHello(): void {
    this.#saidNoHello = true
    if (this.#dialler.canDial || this.#mayBecomeUsable()) return
    for (const call of this.#waiting.all()) if (this.#waiting.remove(call)) call.end(this.#notPlaced())
  }

  /** An association is between its handshake and HELLO, whoever dialled. */
  #mayBecomeUsable(): boolean {
    for (const association of this.#pool) if (association.core.state === 'established') return true
    return false
  }

  /**
   * Dials where there are fewer associations than wanted (CARRIAGE section 7). Calls in flight are the only demand that
   * adds one to those that are there.
   */
  #grow(why: 'demand' | 'keep'): void {
    if (this.#closing || this.#drains || !this.#dialler.canDial) return
    const { associations, sessionsPerPeer, dial } = this.config
    const waiting = this.#waiting.size
    const unnamed = this.#waiting.unnamed
    const { usable } = this.#pool
    if (unnamed > 0) this.#dialler.ensure(Math.min(unnamed, sessionsPerPeer - this.#pool.size), true)
    else if (usable >= associations) return
    else if (dial === 'always') this.#dialler.ensure(associations - usable, waiting > 0)
    else if (waiting > 0 || why === 'demand' || this.#retirement.size > 0) this.#dialler.ensure(1, waiting > 0)
  }

  #dialFailed(failure: DialFailure, rounds: number): void {
    this.#options.observer.dialFailed(failure)
    if (failure.permanent || rounds >= KNOWN_DOWN_ROUNDS) {
      for (const call of this.#waiting.all()) if (this.#waiting.remove(call)) this.#waitedInVain(call)
    }
    this.#grow('keep')
  }

  /** No association of its own came: one that is shared is better than none. */
  #waitedInVain(call: PeerCall): void {
    const association = this.#pool.choose(call, false)
    if (association === undefined) call.end(this.#notPlaced())
    else this.#startOn(association, call)
  }

  /** Whether an association may still come that is not usable yet. */
  get #mayGrow(): boolean {
    return (this.#dialler.canDial && this.#pool.size < this.config.sessionsPerPeer) || this.#mayBecomeUsable()
  }

  #notPlaced(): CallFailure {
    const silent = this.#mayBecomeUsable() || (this.#saidNoHello && this.#dialler.lastFailure === undefined)
    return callFailureOf(this.config.name, silent ? NO_HELLO_YET : this.#dialler.lastFailure)
  }

  // --- sessions ---

  #pin(session: Session, association: PeerAssociation, targetName: string | undefined): void {
    this.#pool.pin(session, association, targetName)
    this.#options.watch.sessionOpened()
  }

  #unpin(sessionId: string, reason: string): PeerAssociation | undefined {
    const association = this.#pool.unpin(sessionId)
    if (association !== undefined) this.#options.watch.sessionEnded(reason)
    return association
  }

  /** CARRIAGE section 1: the same handle and replica with a new boot id is the same process, started again. */
  #closeOlderIncarnations(newest: PeerAssociation): void {
    const { incarnation } = newest
    if (incarnation === undefined) return
    for (const association of [...this.#pool]) {
      const other = association.incarnation
      if (other?.process !== incarnation.process || other.bootId === incarnation.bootId) continue
      association.abort(new ClosedError('DEAD', 'the peer started again'))
    }
  }
}

const NO_HELLO_YET: DialFailure = {
  result: 'no_hello',
  message: 'no HELLO within 5 s',
  permanent: false,
  noHello: true,
}
