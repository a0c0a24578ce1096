import {
  type Bridge,
  type BridgeEvent,
  CANCELLED_METHOD,
  EFFECT,
  type IncomingExchange,
  mcpRequest,
  type ScannedMessage,
} from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import type {
  CallFailure,
  ServerRequest,
  ServerRequestHandle,
  ServerRequestSink,
  Session,
  SessionEndReason,
} from '../exchanges/contract.ts'
import { eraOf } from '../exchanges/era.ts'
import { effectHere } from './effect-here.ts'
import type { ExchangeWatch } from './exchange-watch.ts'
import { FarClients } from './far-clients.ts'
import { IncomingCall, type IncomingCallHost } from './incoming-call.ts'
import { hex, IncomingSessions } from './incoming-sessions.ts'
import type { LocalTargets, TargetScope } from './local-targets.ts'
import { ASSOCIATION_BUDGET_OCTETS, type ProcessBudget, type ReadBudget } from './read-budget.ts'
import { NOT_JSON, ONLY_READ_ONLY, type Refusal, TOO_MUCH, UNKNOWN_SESSION, UNKNOWN_TARGET } from './refusals.ts'
import { ReplyRoom } from './reply-room.ts'
import { notAsked, type SentServerRequests } from './sent-server-requests.ts'
import { NO_SERVER_REQUESTS, NOBODY_TO_ASK, SESSION_GONE } from './unplaced.ts'

export interface IncomingCallsOptions {
  readonly bridge: Bridge
  readonly clock: Clock
  readonly targets: LocalTargets
  /** `namespace/name`: what grants name. */
  readonly peerName: string
  /** For requests that name no target. */
  readonly defaultBackend: () => string | undefined
  readonly maxSessions: () => number
  /** Whether the configuration is too old for anything else (CONTROL section 3). */
  readonly onlyReadOnly: () => boolean
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
  /** What the targets ask the peer's clients. */
  readonly serverRequests: SentServerRequests
  /** Whether no session of our own clients has the association to itself. */
  readonly onlyTheirs: () => boolean
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
  readonly #clients: FarClients
  readonly #room: ReplyRoom<IncomingCall>
  #progressedAt = Number.NEGATIVE_INFINITY
  #resuming = false
  #roomAgain = false

  constructor(options: IncomingCallsOptions) {
    const { bridge, clock, queueFull, flush, watch, maxSessions, processBudget } = options
    this.#options = options
    this.#room = new ReplyRoom({ process: processBudget, queueFull, onRoom: () => this.#resumeWaiting() })
    const onNotificationLost = (reason: string) => watch.notificationDropped(reason.toLowerCase())
    this.#clients = new FarClients({
      bridge,
      requests: options.serverRequests,
      queueFull,
      flush,
      isAlone: (client) => client === this.#sessions.unnamed?.client && options.onlyTheirs(),
      onNotificationLost,
    })
    this.#sessions = new IncomingSessions({
      maxSessions,
      clientOf: (route) => this.#clients.create(route),
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
      onNotificationLost,
      ask: (call, request, sink) => this.#ask(call, request, sink),
      onEnded: (call, how) => this.#ended(call, how),
    }
  }

  get size(): number {
    return this.#calls.size
  }

  /** Sessions that clients of the peer have here. */
  get sessions(): number {
    return this.#sessions.size
  }

  request(event: BridgeEvent & { type: 'request' }): void {
    const { clock, budget, watch, onlyReadOnly } = this.#options
    const { exchange, parameters } = event
    const requestId = this.#options.requestId(exchange.ordinal)
    const denied = onlyReadOnly() && effectHere(exchange, watch) !== EFFECT.READ_ONLY
    const place = denied ? ONLY_READ_ONLY : this.#place(event)
    if ('code' in place) {
      this.#refuse(exchange, place, requestId)
      return
    }
    const { scope, session, era, opensSession, idToken, message } = place
    const octets = message.text
    const call = new IncomingCall(
      { exchange, era, session, octets: octets.length, arrivedAt: clock.now(), requestId },
      this.#host,
    )
    this.#calls.set(exchange, { call, scope, opensSession })
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
        effect: effectHere(exchange, watch),
        parameters,
        requestId,
        principal: `peer:${this.#options.peerName}`,
      },
      call,
    )
  }

  notification(event: BridgeEvent & { type: 'notification' }): void {
    const { targets, peerName, defaultBackend, watch, sendSessionEnd, queueFull } = this.#options
    const { route, method, message } = event
    const name = route?.target ?? defaultBackend()
    const target = name === undefined ? undefined : targets.find(name, peerName)
    if (target === undefined) {
      watch.notificationDropped('unknown_target')
      return
    }
    const scope = this.#sessions.scopeOf(target)
    const key = route?.session
    const unnamed = route === undefined ? this.#sessions.unnamedAt(scope) : undefined
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
    const session = open?.call.request.session
    if (open === undefined || session === undefined) {
      open?.call.cancel()
      return
    }
    const { scope } = open
    if (this.#sessions.find(session.key, scope) === undefined) {
      // Its target lost the session: nobody there can be told, and the peer still gets its one reply.
      open.call.breakOff()
      return
    }
    const octets = message.text
    scope.notify({ era: 'legacy', session, method: CANCELLED_METHOD, octets, message, parameters: NO_PARAMETERS })
  }

  abandoned({ exchange }: BridgeEvent & { type: 'abandoned' }): void {
    this.#calls.get(exchange)?.call.abandon()
  }

  /** Whether a client of the peer's has a session of this key here. */
  hasSession(key: Uint8Array): boolean {
    return this.#sessions.byId(hex(key)) !== undefined
  }

  /** Whether the peer has the session here that an association has one of, because nothing names it. */
  get hasUnnamedSession(): boolean {
    return this.#sessions.unnamed !== undefined
  }

  /** The peer said in an answer to a server's request that it does not know the session of this client. */
  sessionUnknown(client: object): void {
    const known = this.#sessions.ofClient(client)
    if (known !== undefined) this.#sessions.end(known.session.key, 'unknown')
  }

  /** LINK session-end of the peer's. False when it is about no session of its clients here. */
  sessionEnded(key: Uint8Array, reason: SessionEndReason): boolean {
    return this.#sessions.end(key, reason)
  }

  /** Who may reach which target has changed: sessions with a target that is not the peer's any more end. */
  targetsChanged(): void {
    const { targets, peerName, defaultBackend, sendSessionEnd } = this.#options
    for (const { session, client, scope } of this.#sessions.all()) {
      const name = client.route?.target ?? defaultBackend()
      const target = name === undefined ? undefined : targets.find(name, peerName)
      if (target !== undefined && this.#sessions.scopeOf(target) === scope) continue
      this.#sessions.end(session.key, 'policy')
      if (client.route !== undefined) sendSessionEnd(session.key, 'policy')
    }
  }

  drained(): void {
    this.#resumeWaiting()
    this.#clients.drained()
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
    this.#clients.close()
    this.#room.close()
    this.#sessions.endAll()
  }

  #place(event: BridgeEvent & { type: 'request' }): Place | Refusal {
    const { targets, peerName, defaultBackend, budget, queuedOctets } = this.#options
    const { exchange, message } = event
    const name = exchange.route?.target ?? (isForServers(exchange.method) ? defaultBackend() : undefined)
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
      const entry = known ?? (opening ? this.#sessions.open(key, scope, exchange.route) : undefined)
      if (entry === undefined) return opening ? TOO_MUCH : UNKNOWN_SESSION
      return { ...rest, session: entry.session, era: 'legacy', opensSession: known === undefined }
    }
    if (exchange.route !== undefined || era === 'modern') {
      return { ...rest, session: undefined, era, opensSession: false }
    }
    if (!opening) return { ...rest, session: this.#sessions.unnamedAt(scope)?.session, era, opensSession: false }
    const entry = this.#sessions.openUnnamed(this.#options.random(16), scope)
    return entry === undefined ? TOO_MUCH : { ...rest, session: entry.session, era, opensSession: true }
  }

  /** What a target asks its caller on the caller's own call; after that call it may still ask the session's client. */
  #ask(call: IncomingCall, request: ServerRequest, sink: ServerRequestSink): ServerRequestHandle {
    const { era, session, exchange } = call.request
    if (era === 'modern') return notAsked(sink, NO_SERVER_REQUESTS)
    const client = session && this.#sessions.byId(session.id)?.client
    if (client !== undefined) return client.ask(request, sink, exchange)
    if (session !== undefined) return notAsked(sink, SESSION_GONE)
    if (call.over || exchange.route === undefined) return notAsked(sink, NOBODY_TO_ASK)
    return this.#options.serverRequests.send(request, sink, { asker: call, route: exchange.route, related: exchange })
  }

  #refuse(exchange: IncomingExchange, refusal: Refusal, requestId: string): void {
    const { bridge, clock, flush, watch, peerName } = this.#options
    bridge.fail(exchange, refusal, clock.now())
    flush()
    watch.refused(refusal.outcome, { requestId, method: exchange.method, with: peerName }, refusal.message)
  }

  #ended(call: IncomingCall, how: 'result' | 'error' | CallFailure): void {
    const { clock, budget, watch, peerName } = this.#options
    const { exchange, session, octets, arrivedAt, requestId } = call.request
    const durationMs = clock.now() - arrivedAt
    const open = this.#calls.get(exchange)
    this.#calls.delete(exchange)
    this.#waiting.delete(call)
    budget.release(octets)
    const facts = { requestId, method: exchange.method, with: peerName, target: open?.scope.name }
    if (typeof how === 'string') watch.replied(how, durationMs, facts)
    else watch.failed(how, durationMs, facts)
    // An ERROR reply to initialize forgets the session (CARRIAGE section 1); so does a session that the backend lost.
    const over = (open?.opensSession && how !== 'result') || (typeof how !== 'string' && how.code === 'SessionLost')
    if (session !== undefined && over) this.#sessions.forget(session.id, open?.opensSession ? 'refused' : 'backend')
    this.#options.onEnded()
  }

  #sessionLost(sessionId: string, reason: 'backend' | 'unknown'): void {
    const lost = this.#sessions.forget(sessionId, reason)
    // The peer has no name for any other.
    if (lost?.client.route !== undefined) this.#options.sendSessionEnd(lost.session.key, reason)
  }
}

interface Open {
  readonly call: IncomingCall
  readonly scope: TargetScope
  readonly opensSession: boolean
}

interface Place extends Pick<Open, 'scope' | 'opensSession'> {
  readonly session: Session | undefined
  readonly era: 'modern' | 'legacy'
  readonly idToken: Uint8Array
  readonly message: ScannedMessage
}

/** A peer without RouteContext may ask a client something where it means its own client: nothing here is one. */
function isForServers(method: string): boolean {
  return mcpRequest(method)?.direction !== 'toClient'
}

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()
