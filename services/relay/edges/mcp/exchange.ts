import type { ServerResponse } from 'node:http'
import { OUTCOME } from '@causeway/npamp'
import type { CallFailure, CallHandle, CallReply, CallRequest, CallSink } from '../../exchanges/contract.ts'
import type { Route } from '../../router/route.ts'
import type { NorthboundSession } from '../../sessions/northbound-session.ts'
import type { EdgeContext } from './edge-context.ts'
import { type EdgeError, type ErrorContext, errorBody } from './edge-error.ts'
import type { ExchangeOutcome } from './edge-metrics.ts'
import { deadlineError, errorOfFailure, forMethod, heldTooMuchError, stoppingError } from './failure.ts'
import { IdleTimer } from './idle-timer.ts'
import { statusOfReply } from './reply-status.ts'
import { CLOSE, sendError, sendJson } from './respond.ts'
import { SseStream } from './sse-stream.ts'

/** What the edge knows about a request when it hands it to the target. */
export interface ExchangeStart {
  readonly route: Route
  readonly request: CallRequest
  readonly response: ServerResponse
  /** The legacy session that the request stands in, or that it opens; its id is taken there. */
  readonly session: NorthboundSession | undefined
  readonly idKey: string
  readonly traceId: () => string | undefined
}

/** Where the answer to the client stands. The exchange itself is over only when the target has said so. */
type State =
  /** Nothing has been sent. */
  | { readonly at: 'silent' }
  /** Nothing has been sent, as the head depends on the reply: what comes before it waits. */
  | { readonly at: 'held'; readonly events: Uint8Array[]; octets: number }
  | { readonly at: 'streaming'; readonly stream: SseStream }
  /** The client is gone, and the call goes on without it: in the legacy era a disconnect is no cancel. */
  | { readonly at: 'deserted' }
  /** The client has its answer or is gone, and the target was told to stop. */
  | { readonly at: 'cancelled' }
  | { readonly at: 'over' }

/** One request of a client, from the moment it is handed to the target until the target has said its end. */
export class Exchange implements CallSink {
  readonly #edge: EdgeContext
  readonly #start: ExchangeStart
  readonly #startedMs: number
  readonly #keepAlive: IdleTimer | undefined
  readonly #deadline: IdleTimer | undefined
  #state: State
  #handle: CallHandle | undefined
  /** A cancel from before the target had given its handle. */
  #cancelFirst: 'disconnect' | 'deadline' | undefined
  /** How it went, where that was settled before the target's end. */
  #outcome: ExchangeOutcome | undefined

  constructor(edge: EdgeContext, start: ExchangeStart) {
    this.#edge = edge
    this.#start = start
    this.#startedMs = edge.clock.now()
    const held = holdsHead(start.request)
    this.#state = held ? { at: 'held', events: [], octets: 0 } : SILENT
    this.#keepAlive = held ? undefined : new IdleTimer(edge.clock, edge.limits.keepAliveMs, () => this.#onSilence())
    const timeoutMs = deadlineMsOf(start)
    this.#deadline =
      timeoutMs === undefined ? undefined : new IdleTimer(edge.clock, timeoutMs, () => this.#onDeadline())
  }

  /** Hands the request to the target. Called once. */
  run(): void {
    this.#edge.open.add(this)
    this.#edge.metrics.exchangeOpened()
    this.#start.response.once('close', () => this.#onClientClosed())
    const handle = this.#start.route.target.call(this.#start.request, this)
    this.#handle = handle
    if (this.#cancelFirst !== undefined) handle.cancel(this.#cancelFirst)
  }

  get response(): ServerResponse {
    return this.#start.response
  }

  get method(): string {
    return this.#start.request.method
  }

  /** Whether the client still waits for its answer. */
  get awaited(): boolean {
    return this.#state.at === 'silent' || this.#state.at === 'held' || this.#state.at === 'streaming'
  }

  notification(octets: Uint8Array): 'ok' | 'wait' {
    const state = this.#state
    switch (state.at) {
      case 'silent':
        return this.#push(this.#openStream(), octets)
      case 'streaming':
        return this.#push(state.stream, octets)
      case 'held':
        return this.#hold(state, octets)
      case 'deserted':
      case 'cancelled':
      case 'over':
        this.#edge.metrics.notificationDropped('client_gone')
        return 'ok'
    }
  }

  reply(reply: CallReply): void {
    const state = this.#state
    const opened = this.#start.request.method === 'initialize' && reply.kind === 'result' && this.awaited
    switch (state.at) {
      case 'silent':
        this.#sendReply(reply, opened)
        break
      case 'held':
        if (state.events.length === 0) this.#sendReply(reply, opened)
        else this.#streamHeld(state.events, reply, opened)
        break
      case 'streaming':
        state.stream.last(reply.octets)
        break
      case 'deserted':
      case 'cancelled':
      case 'over':
        this.#edge.metrics.lateReplies.add()
        break
    }
    if (!opened) this.#dropOpenedSession(reply.kind === 'result')
    this.#end(reply.kind)
  }

  fail(failure: CallFailure): void {
    if (this.awaited) {
      // CARRIAGE section 5: that a request was cancelled is never shown.
      if (failure.outcome === OUTCOME.CANCELLED) this.#endWithoutResponse()
      else this.#sendFailure(failure)
    }
    if (failure.code === 'SessionLost') this.#forgetSession('lost')
    else this.#dropOpenedSession(failure.outcome !== OUTCOME.NOT_DELIVERED)
    this.#end(OUTCOME_LABEL[failure.outcome])
  }

  /** The edge stops: whoever still waits gets an error, and the target is told. */
  stop(): void {
    if (this.awaited) this.#sendError(stoppingError())
    this.#cancel('deadline', 'stopped')
  }

  #onClientClosed(): void {
    if (!this.awaited) return
    if (this.#start.request.era === 'modern') this.#cancel('disconnect', 'disconnect')
    else this.#desert()
  }

  #desert(): void {
    this.#keepAlive?.stop()
    this.#outcome = 'disconnect'
    this.#state = DESERTED
    // A source that waits for a reader waits no longer.
    this.#handle?.resume()
  }

  #onSilence(): void {
    // An intermediary gives up on a response that has not begun, and on a stream in which nothing moves.
    if (this.#state.at === 'silent') this.#openStream().comment()
    else if (this.#state.at === 'streaming') this.#state.stream.comment()
  }

  #onDeadline(): void {
    const { requestTimeoutMs = 0 } = this.#start.route.limits
    if (this.awaited) this.#sendError(deadlineError(requestTimeoutMs))
    this.#log('a call passed its deadline')
    this.#cancel('deadline', 'deadline')
  }

  #onSlowClient(): void {
    this.#start.response.destroy()
    if (!this.awaited) return
    this.#log('a client took too little of its answer for too long')
    this.#cancel('deadline', 'slow_client')
  }

  #push(stream: SseStream, octets: Uint8Array): 'ok' | 'wait' {
    this.#deadline?.touch()
    this.#keepAlive?.touch()
    const pushed = stream.event(octets)
    if (pushed !== 'overflow') return pushed
    this.#onSlowClient()
    return 'ok'
  }

  #hold(state: State & { at: 'held' }, octets: Uint8Array): 'ok' | 'wait' {
    this.#deadline?.touch()
    state.octets += octets.length
    state.events.push(octets)
    const { maxBufferedOctets } = this.#edge.limits
    if (state.octets > maxBufferedOctets) {
      this.#sendError(heldTooMuchError(maxBufferedOctets))
      this.#cancel('deadline', 'unknown')
    }
    return 'ok'
  }

  #openStream(headers: readonly string[] = []): SseStream {
    const { metrics, limits, clock } = this.#edge
    metrics.responded(200)
    const stream = new SseStream(this.#start.response, {
      clock,
      stallMs: limits.stallMs,
      maxBufferedOctets: limits.maxBufferedOctets,
      headers: this.#edge.stopping ? [...headers, ...CLOSE] : headers,
      onChanges: (octets) => metrics.lineEndsChanged.add(octets),
      onRelief: () => this.#handle?.resume(),
      onStall: () => this.#onSlowClient(),
    })
    this.#state = { at: 'streaming', stream }
    return stream
  }

  #sendReply(reply: CallReply, opened: boolean): void {
    const headers = opened ? this.#sessionHeader() : []
    const retryAfter = reply.parameters.get('retry-after')
    const status = statusOfReply(reply, this.#start.request.era)
    sendJson(
      this.#edge,
      this.#start.response,
      status,
      reply.octets,
      retryAfter !== undefined && isHeaderText(retryAfter) ? [...headers, 'Retry-After', retryAfter] : headers,
    )
  }

  #streamHeld(events: readonly Uint8Array[], reply: CallReply, opened: boolean): void {
    const stream = this.#openStream(opened ? this.#sessionHeader() : [])
    for (const event of events) stream.event(event)
    stream.last(reply.octets)
  }

  #sessionHeader(): readonly string[] {
    const session = this.#start.session
    return session === undefined ? [] : ['Mcp-Session-Id', session.edgeId]
  }

  #sendFailure(failure: CallFailure): void {
    const error = errorOfFailure(failure)
    this.#log('a call ended without an answer', { code: error.name, delivery: error.delivery, cause: failure.message })
    this.#sendError(error)
  }

  #sendError(error: EdgeError): void {
    const state = this.#state
    if (state.at === 'streaming') state.stream.last(errorBody(error, this.#errorContext()))
    else sendError(this.#edge, this.#start.response, forMethod(error, this.method), this.#errorContext())
  }

  #endWithoutResponse(): void {
    const stream = this.#state.at === 'streaming' ? this.#state.stream : this.#openStream()
    stream.end()
  }

  #errorContext(): ErrorContext {
    const { request, traceId } = this.#start
    return { idToken: request.idToken, requestId: request.requestId, traceId: traceId() }
  }

  /** The client needs nothing more; the target still owes its end. */
  #cancel(reason: 'disconnect' | 'deadline', outcome: ExchangeOutcome): void {
    if (this.#state.at === 'cancelled' || this.#state.at === 'over') return
    this.#stopTimers()
    this.#outcome ??= outcome
    this.#state = CANCELLED
    if (this.#handle === undefined) this.#cancelFirst = reason
    else this.#handle.cancel(reason)
  }

  #end(outcome: ExchangeOutcome): void {
    if (this.#state.at === 'over') return
    this.#stopTimers()
    this.#state = OVER
    const { clock, metrics, open } = this.#edge
    const nowMs = clock.now()
    this.#start.session?.releaseId(this.#start.idKey, nowMs)
    open.delete(this)
    metrics.exchangeEnded(this.#outcome ?? outcome, nowMs - this.#startedMs)
  }

  /** `initialize` did not give the client a session: nobody will ever use it (CARRIAGE section 1). */
  #dropOpenedSession(targetMayHaveIt: boolean): void {
    const { session, route } = this.#start
    if (this.method !== 'initialize' || !this.#forgetSession('refused')) return
    if (session !== undefined && targetMayHaveIt) route.target.endSession(session.session, 'client')
  }

  #forgetSession(reason: 'lost' | 'refused'): boolean {
    const { session } = this.#start
    if (session === undefined || !this.#edge.sessions.forget(session)) return false
    this.#edge.metrics.sessionEnded(reason)
    return true
  }

  #stopTimers(): void {
    this.#keepAlive?.stop()
    this.#deadline?.stop()
  }

  #log(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const { route, request, traceId } = this.#start
    this.#edge.logger.warn(
      {
        route: route.name,
        target: route.target.name,
        method: request.method,
        requestId: request.requestId,
        traceId: traceId(),
        ...fields,
      },
      message,
    )
  }
}

const SILENT: State = { at: 'silent' }
const DESERTED: State = { at: 'deserted' }
const CANCELLED: State = { at: 'cancelled' }
const OVER: State = { at: 'over' }

/** Whether status or headers depend on the reply: the session id on success of one, 503 on failure of the other. */
function holdsHead(request: CallRequest): boolean {
  return request.method === 'server/discover' || (request.era === 'legacy' && request.method === 'initialize')
}

/** CARRIAGE section 4: none unless the route has one, and never for a subscription. */
function deadlineMsOf(start: ExchangeStart): number | undefined {
  return start.request.method === 'subscriptions/listen' ? undefined : start.route.limits.requestTimeoutMs
}

const OUTCOME_LABEL = {
  [OUTCOME.NOT_DELIVERED]: 'not_sent',
  [OUTCOME.UNKNOWN]: 'unknown',
  [OUTCOME.CANCELLED]: 'cancelled',
  [OUTCOME.SESSION_LOST]: 'session_lost',
} as const

/** What a header may hold; a peer wrote it. */
function isHeaderText(value: string): boolean {
  return /^[\x20-\x7e]{1,128}$/.test(value)
}
