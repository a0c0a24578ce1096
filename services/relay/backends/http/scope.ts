import type {
  CallFailure,
  CallHandle,
  CallRequest,
  CallSink,
  ClientNotification,
  Session,
  SessionEndReason,
} from '../../exchanges/contract.ts'
import type { BackendScope, SessionLostCallback } from '../contract.ts'
import { Exchange, type ExchangeOwner } from './exchange.ts'
import { httpSseOnly, notSent, sessionLost, stopping, tooManySessions, unknown } from './failures.ts'
import { OneWay } from './one-way.ts'
import { requestHeaders } from './request-headers.ts'
import { SouthboundSession } from './session.ts'
import type { Upstream } from './upstream.ts'

/** What the scopes of one backend share. */
export interface ScopeHost {
  readonly name: string
  readonly upstream: Upstream
  readonly closing: boolean
  readonly maxQueuedPerSession: number
  readonly maxSessions: number
  /** False when the backend has as many sessions as it may have. */
  takeSession(): boolean
  returnSession(): void
  scopeEnded(scope: HttpBackendScope): void
  opened(exchange: Exchange): void
  ended(exchange: Exchange, how: 'result' | 'error' | CallFailure): void
}

/** The sessions and exchanges of one caller with one backend. */
export class HttpBackendScope implements BackendScope, ExchangeOwner {
  readonly name: string
  readonly #host: ScopeHost
  readonly #onSessionLost: SessionLostCallback
  readonly #sessions = new Map<string, SouthboundSession>()
  /** Notifications and responses outside sessions that have no status yet. */
  #loose = { count: 0, octets: 0 }
  /** Sessions whose DELETE is not done yet. */
  readonly #ending = new Set<Promise<void>>()
  #retiring = false

  constructor(host: ScopeHost, onSessionLost: SessionLostCallback) {
    this.name = host.name
    this.#host = host
    this.#onSessionLost = onSessionLost
  }

  call(request: CallRequest, sink: CallSink): CallHandle {
    const place = this.#place(request)
    if ('code' in place) {
      this.#host.upstream.telemetry.refused(place)
      sink.fail(place)
      return NOTHING_TO_HANDLE
    }
    const exchange = new Exchange(this.#host.upstream, request, sink, place, this)
    place.session?.requests.add(exchange)
    this.#host.opened(exchange)
    exchange.start()
    return exchange
  }

  notify(notification: ClientNotification): void {
    const { telemetry } = this.#host.upstream
    if (this.#host.closing) {
      telemetry.notificationDropped('closing')
      return
    }
    if (notification.session === undefined) {
      this.#postOutsideSession(notification)
      return
    }
    const session = this.#sessions.get(notification.session.id)
    if (session === undefined) {
      telemetry.notificationDropped('unknown_session')
      this.#onSessionLost(notification.session.id, 'unknown')
      return
    }
    if (notification.method === 'notifications/cancelled') {
      // The client's own words go to the backend, and the exchange ends as any cancelled one (CARRIAGE section 5).
      const request = session.requestCancelledBy(notification.octets)
      request?.cancelBy(notification.octets)
      if (request !== undefined) return
    }
    const { method, octets, parameters } = notification
    const settled = (status: number) => {
      telemetry.settled(status)
      // The first moment from which on a backend may speak outside answers.
      if (method === 'notifications/initialized' && status >= 200 && status < 300) session.listen()
    }
    if (!session.postOneWay('notification', octets, parameters, settled)) telemetry.notificationDropped('queue_full')
  }

  knows(sessionId: string): boolean {
    return this.#sessions.has(sessionId)
  }

  /** Another backend takes the place of this one: sessions are lost to their clients as soon as nothing is open in them. */
  retire(): void {
    this.#retiring = true
    for (const session of [...this.#sessions.values()]) this.#retireIfUnused(session)
  }

  endSession(session: Session, reason: SessionEndReason): void {
    const southbound = this.#sessions.get(session.id)
    if (southbound !== undefined) this.#endSession(southbound, reason)
  }

  end(reason: SessionEndReason): void {
    void this.endAll(reason).then(() => this.#host.scopeEnded(this))
  }

  /** Ends all sessions; resolves when the backend has been told, or took too long to listen. */
  async endAll(reason: SessionEndReason): Promise<void> {
    for (const session of [...this.#sessions.values()]) this.#endSession(session, reason)
    await Promise.all(this.#ending)
  }

  // --- ExchangeOwner ---

  ended(exchange: Exchange, how: 'result' | 'error' | CallFailure): void {
    const { session, opening } = exchange
    session?.requests.delete(exchange)
    this.#host.ended(exchange, how)
    // Whatever is not a result to initialize leaves no session behind.
    if (opening && how !== 'result' && session !== undefined && this.#lose(session, 'refused')) {
      // It may have opened one all the same, before it broke off or took too long.
      this.#tellingBackend(session, (done) => session.deleteNow(done))
    }
    // Once its caller has the answer.
    if (this.#retiring && session !== undefined) queueMicrotask(() => this.#retireIfUnused(session))
  }

  sessionLost(exchange: Exchange): void {
    const { session } = exchange
    if (session === undefined) return
    session.requests.delete(exchange)
    this.#lose(session, 'backend')
  }

  postOneWay(
    exchange: Exchange,
    kind: 'notification' | 'response',
    octets: Uint8Array,
    settled: (status: number) => void,
  ): boolean {
    const done = (status: number) => {
      this.#host.upstream.telemetry.settled(status)
      settled(status)
    }
    if (exchange.session !== undefined) return exchange.session.postOneWay(kind, octets, NO_PARAMETERS, done)
    return this.#post({ era: exchange.request.era, kind, octets, parameters: NO_PARAMETERS }, done)
  }

  // --- sessions ---

  #place(request: CallRequest): Place | CallFailure {
    if (this.#host.closing) return stopping()
    if (request.era === 'modern' || request.session === undefined) {
      return this.#host.upstream.transport === 'httpSse' ? httpSseOnly() : { session: undefined, opening: false }
    }
    const known = this.#sessions.get(request.session.id)
    if (known !== undefined) return { session: known, opening: false }
    if (request.method !== 'initialize') return sessionLost()
    if (!this.#host.takeSession()) return tooManySessions(this.#host.maxSessions)
    const { upstream, maxQueuedPerSession } = this.#host
    const { id, client } = request.session
    const session = new SouthboundSession(upstream, {
      id,
      client,
      maxQueued: maxQueuedPerSession,
      onUnknown: (lost) => this.#lostByBackend(lost, unknown('the backend no longer knows the session of this call')),
      onStreamOver: (lost, failure) => this.#lostByBackend(lost, failure),
    })
    this.#sessions.set(session.id, session)
    upstream.telemetry.sessionOpened()
    session.open()
    return { session, opening: true }
  }

  /** Nothing more is posted in it; what is at the backend already may still be answered. */
  #lose(session: SouthboundSession, reason: 'backend' | 'refused'): boolean {
    if (!this.#forget(session, reason)) return false
    session.forget()
    for (const request of [...session.requests]) request.failUnsent(sessionLost())
    // Nothing can be answered any more where that would come on the stream.
    if (session.answersOnStream) for (const request of [...session.requests]) request.fail(unknown(SESSION_OVER))
    return true
  }

  /** @param failure why its `initialize` fails, where that is still to be sent. */
  #lostByBackend(session: SouthboundSession, failure: CallFailure): void {
    for (const request of [...session.requests]) if (request.opening) request.failUnsent(failure)
    if (this.#lose(session, 'backend')) this.#onSessionLost(session.id, 'backend')
  }

  #retireIfUnused(session: SouthboundSession): void {
    if (session.requests.size > 0 || this.#sessions.get(session.id) !== session) return
    this.#endSession(session, 'policy')
    this.#onSessionLost(session.id, 'backend')
  }

  /** False when it was forgotten before. */
  #forget(session: SouthboundSession, reason: string): boolean {
    if (this.#sessions.get(session.id) !== session) return false
    this.#sessions.delete(session.id)
    this.#host.returnSession()
    this.#host.upstream.telemetry.sessionEnded(reason)
    return true
  }

  #endSession(session: SouthboundSession, reason: SessionEndReason): void {
    if (!this.#forget(session, reason)) return
    session.stop()
    // What still waits in the session goes before the DELETE.
    this.#tellingBackend(session, (done) => (reason === 'backend' ? done() : session.delete(done)))
  }

  /** Best effort and bounded; then nothing of the session goes on. */
  #tellingBackend(session: SouthboundSession, tell: (done: () => void) => void): void {
    const { clock } = this.#host.upstream
    const told = new Promise<void>((resolve) => {
      const timer = clock.setTimeout(resolve, DELETE_TIMEOUT_MS)
      tell(() => {
        clock.clearTimeout(timer)
        resolve()
      })
    })
    const ending = told.then(() => {
      session.abandon()
      // First those that wait for a place: the end of another would give them one.
      for (const request of [...session.requests]) request.failUnsent(notSent(SESSION_OVER))
      for (const request of [...session.requests]) request.fail(unknown(SESSION_OVER))
      this.#ending.delete(ending)
    })
    this.#ending.add(ending)
  }

  // --- outside sessions ---

  #postOutsideSession({ era, octets, parameters }: ClientNotification): void {
    const { telemetry, transport } = this.#host.upstream
    if (transport === 'httpSse') {
      telemetry.notificationDropped('unknown_session')
      return
    }
    const settled = (status: number) => telemetry.settled(status)
    if (!this.#post({ era, kind: 'notification', octets, parameters }, settled)) {
      telemetry.notificationDropped('queue_full')
    }
  }

  /** False: too much is under way already, as each takes a connection and nobody waits for it; `settled` is never called. */
  #post(message: Parameters<typeof requestHeaders>[0], settled: (status: number) => void): boolean {
    const { upstream, maxQueuedPerSession } = this.#host
    const octets = message.octets.length
    const { count, octets: held } = this.#loose
    if (count >= maxQueuedPerSession || (count > 0 && held + octets > MAX_LOOSE_OCTETS)) return false
    const { path, acceptHeaders, telemetry } = upstream
    const headers = requestHeaders(message, undefined, acceptHeaders, () => telemetry.parameterDropped())
    this.#loose = { count: count + 1, octets: held + octets }
    const over = (status: number) => {
      this.#loose = { count: this.#loose.count - 1, octets: this.#loose.octets - octets }
      settled(status)
    }
    const listener = { settled: over, unknownSession: () => {} }
    new OneWay(upstream, { method: 'POST', path, headers, body: message.octets }, listener)
    return true
  }
}

interface Place {
  readonly session: SouthboundSession | undefined
  readonly opening: boolean
}

const SESSION_OVER = 'the session of this call has ended'
const DELETE_TIMEOUT_MS = 5_000
const MAX_LOOSE_OCTETS = 16 * 1024 * 1024
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()
const NOTHING_TO_HANDLE: CallHandle = { cancel() {}, resume() {} }
