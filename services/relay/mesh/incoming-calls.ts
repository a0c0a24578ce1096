import {
  type Bridge,
  type BridgeEvent,
  CANCELLED_METHOD,
  effectiveEffect,
  type FailureInput,
  type IncomingExchange,
  mcpRequest,
  OUTCOME,
  type Outcome,
  type ScannedMessage,
  TRANSPORT_ERROR,
  unlabelledEffectOf,
} from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import type { CallFailure, Session, SessionEndReason } from '../exchanges/contract.ts'
import { eraOf } from '../exchanges/era.ts'
import type { ExchangeWatch } from './exchange-watch.ts'
import { IncomingCall, type IncomingCallHost } from './incoming-call.ts'
import { type IncomingSession, IncomingSessions } from './incoming-sessions.ts'
import type { LocalTargets, TargetScope } from './local-targets.ts'
import { ASSOCIATION_BUDGET_OCTETS, type ProcessBudget, type ReadBudget } from './read-budget.ts'
import { ReplyRoom } from './reply-room.ts'

export interface IncomingCallsOptions {
  readonly bridge: Bridge
  readonly clock: Clock
  readonly targets: LocalTargets
  /** `namespace/name`: what grants name. */
  readonly peerName: string
  /** For requests that name no target. */
  readonly defaultBackend: string | undefined
  readonly maxSessions: number
  readonly budget: ReadBudget
  readonly processBudget: ProcessBudget
  readonly watch: ExchangeWatch
  /** Names the exchange in the logs of both relays, at the near one as `exchange`. */
  readonly requestId: (ordinal: number) => string
  readonly random: (octets: number) => Uint8Array
  readonly queueFull: () => boolean
  readonly queuedOctets: () => number
  readonly flush: () => void
  /** LINK session-end towards the peer. */
  readonly sendSessionEnd: (session: Uint8Array, reason: SessionEndReason) => void
  /** An exchange ended: the association may be idle now. */
  readonly onEnded: () => void
}

/** What one peer asks of this relay's targets over one association. */
export class IncomingCalls {
  readonly #options: IncomingCallsOptions
  readonly #host: IncomingCallHost
  readonly #calls = new Map<IncomingExchange, Open>()
  readonly #sessions: IncomingSessions
  readonly #waiting = new Set<IncomingCall>()
  readonly #room: ReplyRoom<IncomingCall>
  #progressedAt = Number.NEGATIVE_INFINITY
  #resuming = false
  #roomAgain = false
  /** The session of a peer that cannot name one: an association has one at a time (CARRIAGE section 1). */
  #unnamed: IncomingSession | undefined

  constructor(options: IncomingCallsOptions) {
    const { bridge, clock, queueFull, flush, watch, maxSessions, processBudget } = options
    this.#options = options
    this.#room = new ReplyRoom({ process: processBudget, queueFull, onRoom: () => this.#resumeWaiting() })
    this.#sessions = new IncomingSessions({
      maxSessions,
      onOpened: () => watch.sessionOpened(),
      onSessionLost: (sessionId, reason) => this.#sessionLost(sessionId, reason),
      onEnded: (reason) => watch.sessionEnded(reason),
    })
    this.#host = {
      bridge,
      clock,
      queueFull,
      flush,
      onWaiting: (call) => this.#waiting.add(call),
      room: this.#room,
      progressedAt: () => this.#progressedAt,
      onNotificationLost: (code) => watch.notificationDropped(code.toLowerCase()),
      onEnded: (call, how) => this.#ended(call, how),
    }
  }

  get size(): number {
    return this.#calls.size
  }

  request(event: BridgeEvent & { type: 'request' }): void {
    const { clock, budget, watch } = this.#options
    const { exchange, parameters } = event
    const requestId = this.#options.requestId(exchange.ordinal)
    const place = this.#place(event)
    if ('code' in place) {
      this.#refuse(exchange, place, requestId)
      return
    }
    const { scope, session, era, opensSession, idToken, message } = place
    const octets = message.text
    const call = new IncomingCall(
      { exchange, era, octets: octets.length, arrivedAt: clock.now(), requestId },
      this.#host,
    )
    this.#calls.set(exchange, { call, scope, session, opensSession })
    budget.hold(octets.length)
    watch.opened()
    call.handle = scope.call(
      {
        era,
        session,
        method: exchange.method,
        idToken,
        octets,
        message,
        effect: effectiveEffect(exchange.label, unlabelledEffectOf(exchange.method)),
        parameters,
        requestId,
      },
      call,
    )
  }

  notification(event: BridgeEvent & { type: 'notification' }): void {
    const { targets, peerName, defaultBackend, watch, sendSessionEnd, queueFull } = this.#options
    const { route, method, message } = event
    const name = route?.target ?? defaultBackend
    const target = name === undefined ? undefined : targets.find(name, peerName)
    if (target === undefined) {
      watch.notificationDropped('unknown_target')
      return
    }
    const scope = this.#sessions.scopeOf(target)
    const key = route?.session
    const unnamed = route === undefined ? this.#unnamedAt(scope) : undefined
    const known = key === undefined ? unnamed : this.#sessions.find(key, scope)
    if (key !== undefined && known === undefined) {
      watch.notificationDropped('unknown_session')
      // A peer that sends such and reads nothing must not fill the queue with answers; the next one tells it again.
      if (!queueFull()) sendSessionEnd(key, 'unknown')
      return
    }
    const session = known?.session
    const era = session === undefined ? eraOf(message, undefined).era : 'legacy'
    scope.notify({ era, session, method, octets: message.text, message, parameters: NO_PARAMETERS })
  }

  /** The peer's cancel of a request: in a session the server reads the message itself, else its answer is broken off. */
  cancel({ exchange, message }: BridgeEvent & { type: 'cancel' }): void {
    const open = this.#calls.get(exchange)
    this.#options.watch.cancelled('received', open === undefined ? 'over' : 'passed_on')
    if (open?.session === undefined) {
      open?.call.cancel()
      return
    }
    const { scope, session } = open
    if (this.#sessions.find(session.key, scope) === undefined) {
      // Its target lost the session: nobody there can be told, and the peer still gets its one reply.
      open.call.breakOff()
      return
    }
    const octets = message.text
    scope.notify({ era: 'legacy', session, method: CANCELLED_METHOD, octets, message, parameters: NO_PARAMETERS })
  }

  abandoned({ exchange }: BridgeEvent & { type: 'abandoned' }): void {
    const open = this.#calls.get(exchange)
    open?.call.abandon(open.session)
  }

  /** LINK session-end of the peer's. False when it is about no session of its clients here. */
  sessionEnded(key: Uint8Array, reason: SessionEndReason): boolean {
    return this.#sessions.end(key, reason)
  }

  drained(): void {
    this.#resumeWaiting()
  }

  #resumeWaiting(): void {
    this.#progressedAt = this.#options.clock.now()
    // What is resumed may itself make room.
    this.#roomAgain = true
    if (this.#resuming || this.#waiting.size === 0) return
    this.#resuming = true
    while (this.#roomAgain) {
      this.#roomAgain = false
      for (const call of [...this.#waiting]) {
        // The one before may have taken the room that there was.
        if (call.mayRead && this.#waiting.delete(call)) call.drained()
      }
    }
    this.#resuming = false
  }

  /** The association ended; the bridge has abandoned its exchanges already. */
  close(): void {
    this.#waiting.clear()
    this.#unnamed = undefined
    this.#room.close()
    this.#sessions.endAll()
  }

  #place(event: BridgeEvent & { type: 'request' }): Place | Refusal {
    const { targets, peerName, defaultBackend, budget, queuedOctets } = this.#options
    const { exchange, message } = event
    const name = exchange.route?.target ?? (isForServers(exchange.method) ? defaultBackend : undefined)
    const target = name === undefined ? undefined : targets.find(name, peerName)
    if (target === undefined) return UNKNOWN_TARGET
    if (message?.idToken === undefined) return NOT_JSON
    if (!budget.admits(message.text.length) || queuedOctets() > ASSOCIATION_BUDGET_OCTETS) return TOO_MUCH
    const scope = this.#sessions.scopeOf(target)
    const opening = exchange.method === 'initialize'
    const key = exchange.route?.session
    const { era } = eraOf(message, undefined)
    const rest = { scope, message, idToken: message.idToken }
    if (key !== undefined) {
      const known = this.#sessions.find(key, scope)
      const entry = known ?? (opening ? this.#sessions.open(key, scope) : undefined)
      if (entry === undefined) return opening ? TOO_MUCH : SESSION_LOST
      return { ...rest, session: entry.session, era: 'legacy', opensSession: known === undefined }
    }
    if (exchange.route !== undefined || era === 'modern') {
      return { ...rest, session: undefined, era, opensSession: false }
    }
    if (!opening) return { ...rest, session: this.#unnamedAt(scope)?.session, era, opensSession: false }
    const entry = this.#openUnnamed(scope)
    return entry === undefined ? TOO_MUCH : { ...rest, session: entry.session, era, opensSession: true }
  }

  #refuse(exchange: IncomingExchange, refusal: Refusal, requestId: string): void {
    const { bridge, clock, flush, watch, peerName } = this.#options
    bridge.fail(exchange, refusal, clock.now())
    flush()
    watch.refused(refusal.outcome, { requestId, method: exchange.method, with: peerName }, refusal.message)
  }

  /** A peer that initializes again on the same association has ended what it had there. */
  #openUnnamed(scope: TargetScope): IncomingSession | undefined {
    if (this.#unnamed !== undefined) this.#sessions.end(this.#unnamed.session.key, 'client')
    this.#unnamed = this.#sessions.open(this.#options.random(16), scope)
    return this.#unnamed
  }

  #unnamedAt(scope: TargetScope): IncomingSession | undefined {
    return this.#unnamed?.scope === scope ? this.#unnamed : undefined
  }

  #ended(call: IncomingCall, how: 'result' | 'error' | CallFailure): void {
    const { clock, budget, watch, peerName } = this.#options
    const { exchange, octets, arrivedAt, requestId } = call.request
    const durationMs = clock.now() - arrivedAt
    const open = this.#calls.get(exchange)
    this.#calls.delete(exchange)
    this.#waiting.delete(call)
    budget.release(octets)
    const facts = { requestId, method: exchange.method, with: peerName }
    if (typeof how === 'string') watch.replied(how, durationMs, facts)
    else watch.failed(how, durationMs, facts)
    // An ERROR reply to initialize forgets the session (CARRIAGE section 1); so does a session that the backend lost.
    const over = (open?.opensSession && how !== 'result') || (typeof how !== 'string' && how.code === 'SessionLost')
    if (open?.session !== undefined && over) this.#forget(open.session, open.opensSession ? 'refused' : 'backend')
    this.#options.onEnded()
  }

  #sessionLost(sessionId: string, reason: 'backend' | 'unknown'): void {
    const lost = this.#sessions.forget(sessionId, reason)
    if (lost === undefined) return
    if (lost === this.#unnamed) this.#unnamed = undefined
    else this.#options.sendSessionEnd(lost.session.key, reason)
  }

  #forget(session: Session, reason: SessionEndReason | 'refused'): void {
    const forgotten = this.#sessions.forget(session.id, reason)
    if (forgotten === this.#unnamed) this.#unnamed = undefined
  }
}

interface Open {
  readonly call: IncomingCall
  readonly scope: TargetScope
  readonly session: Session | undefined
  readonly opensSession: boolean
}

interface Place extends Pick<Open, 'scope' | 'session' | 'opensSession'> {
  readonly era: 'modern' | 'legacy'
  readonly idToken: Uint8Array
  readonly message: ScannedMessage
}

/** A peer without RouteContext may ask a client something where it means its own client: nothing here is one. */
function isForServers(method: string): boolean {
  return mcpRequest(method)?.direction !== 'toClient'
}

type Refusal = FailureInput & { readonly outcome: Outcome }

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()

const UNKNOWN_TARGET: Refusal = {
  code: TRANSPORT_ERROR.METHOD_UNSUPPORTED,
  outcome: OUTCOME.NOT_DELIVERED,
  message: 'no such target for this peer',
}
const NOT_JSON: Refusal = {
  code: TRANSPORT_ERROR.NOT_DELIVERED,
  outcome: OUTCOME.NOT_DELIVERED,
  message: 'not a JSON-RPC request',
}
const TOO_MUCH: Refusal = {
  code: TRANSPORT_ERROR.NOT_DELIVERED,
  outcome: OUTCOME.NOT_DELIVERED,
  reason: 3,
  message: 'this peer has too much open here',
}
const SESSION_LOST: Refusal = {
  code: TRANSPORT_ERROR.NOT_DELIVERED,
  outcome: OUTCOME.SESSION_LOST,
  message: 'unknown session',
}
