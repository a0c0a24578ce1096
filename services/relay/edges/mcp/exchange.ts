import type { ServerResponse } from 'node:http'
import { OUTCOME } from '@causeway/npamp'
import type {
  CallFailure,
  CallHandle,
  CallReply,
  CallSink,
  ServerRequest,
  ServerRequestHandle,
  ServerRequestSink,
} from '../../exchanges/contract.ts'
import { refuseServerRequest } from '../../sessions/server-requests.ts'
import type { Answer, Head } from './answer.ts'
import { onClientClosed } from './client-closed.ts'
import type { EdgeContext, OpenExchange } from './edge-context.ts'
import type { EdgeError } from './edge-error.ts'
import type { ExchangeOutcome } from './edge-metrics.ts'
import { deadlineMsOf, type ExchangeStart, openingMsOf, sessionHeader } from './exchange-start.ts'
import { isListChanged } from './fact-scope.ts'
import {
  deadlineError,
  errorOfFailure,
  forMethod,
  heldTooMuchError,
  slowClientError,
  stoppingError,
} from './failure.ts'
import { IdleTimer } from './idle-timer.ts'
import { revisionOf } from './negotiated-revision.ts'
import { headOfReply } from './reply-head.ts'

type State =
  /** The client waits for its answer. */
  | 'awaited'
  /** The client is gone, and the call goes on without it: in the legacy era a disconnect is no cancel. */
  | 'deserted'
  /** The client has its answer or is gone, and the target was told to stop. */
  | 'cancelled'
  /** The target has said its end. */
  | 'over'

/** One request of a client, from the moment it is handed to the target until the target has said its end. */
export class Exchange implements CallSink, OpenExchange {
  readonly #edge: EdgeContext
  readonly #start: ExchangeStart
  readonly #answer: Answer
  readonly #startedMs: number
  readonly #deadline: IdleTimer | undefined
  #state: State = 'awaited'
  /** The client is still connected where it asked. */
  #attached = false
  /** Opens the answer as a stream when the reply is slow to come. */
  #opening: unknown
  #handle: CallHandle | undefined
  #unlisten: () => void = () => {}
  /** A cancel from before the target had given its handle. */
  #cancelFirst: 'disconnect' | 'deadline' | undefined
  /** How it went, where that was settled before the target's end. */
  #outcome: ExchangeOutcome | undefined

  constructor(edge: EdgeContext, start: ExchangeStart) {
    this.#edge = edge
    this.#start = start
    this.#startedMs = edge.clock.now()
    this.#answer = start.answer({ onRelief: () => this.#handle?.resume(), onStall: () => this.#onStall() })
    const timeoutMs = deadlineMsOf(start)
    this.#deadline =
      timeoutMs === undefined ? undefined : new IdleTimer(edge.clock, timeoutMs, () => this.#onDeadline(timeoutMs))
  }

  /** Hands the request to the target. Called once. */
  run(): void {
    this.#edge.open.add(this)
    this.#edge.bodies.hold(this.#start.request.octets.length)
    this.#edge.metrics.exchangeOpened()
    this.#attached = true
    this.#start.session?.beginUse()
    this.#armOpening()
    this.#unlisten = onClientClosed(this.#start.response, () => this.#onClientClosed())
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

  get awaited(): boolean {
    return this.#state === 'awaited'
  }

  notification(octets: Uint8Array): 'ok' | 'wait' {
    // CARRIAGE section 4: the call makes progress, whether or not its client is still there to see it.
    this.#deadline?.touch()
    if (isListChanged(octets)) this.#edge.facts.listChanged(this.#start.scope)
    if (!this.awaited) {
      this.#edge.metrics.notificationDropped('client_gone')
      return 'ok'
    }
    return this.#say(octets)
  }

  serverRequest(request: ServerRequest, sink: ServerRequestSink): ServerRequestHandle {
    this.#deadline?.touch()
    const { session } = this.#start
    if (session === undefined)
      return refuseServerRequest(sink, 'the client stands in no session that it could answer in')
    if (!this.awaited) return refuseServerRequest(sink, 'the client of this call is gone')
    // A server that asks before it answers initialize waits for what the client can say only once it knows its session.
    if (this.method === 'initialize' && !this.#answer.begun) this.#answer.openStream(sessionHeader(session))
    return session.askClient(request, sink, {
      ask: (octets, onLost) => this.#say(octets, onLost),
      tell: (octets) => {
        if (this.awaited) this.#say(octets)
        else session.tell(octets)
      },
    })
  }

  reply(reply: CallReply): void {
    // Before it is passed on: the client may call at once.
    if (reply.kind === 'result') this.#start.listed?.(reply)
    const opens = this.awaited && this.method === 'initialize' && reply.kind === 'result'
    const { session } = this.#start
    if (opens && session !== undefined) session.revision = revisionOf(reply)
    if (this.awaited) this.#answer.response(reply, () => this.#headOf(reply, opens))
    else this.#edge.metrics.lateReplies.add()
    if (!opens) this.#dropOpenedSession(reply.kind === 'result')
    this.#end(reply.kind)
  }

  fail(failure: CallFailure): void {
    if (this.awaited) this.#answerFailure(failure)
    if (failure.code === 'SessionLost') this.#forgetSession('lost')
    else this.#dropOpenedSession(failure.outcome !== OUTCOME.NOT_DELIVERED)
    this.#end(OUTCOME_LABEL[failure.outcome])
  }

  stop(): void {
    if (this.#state === 'cancelled' || this.#state === 'over') return
    // A subscription ends with the relay as a matter of course; any other call may have done something, or not.
    const level = this.method === 'subscriptions/listen' ? 'debug' : 'warn'
    this.#log(level, 'a call was ended because the relay stops')
    this.#answerError(stoppingError())
    this.#cancel('deadline', 'stopped')
  }

  #say(octets: Uint8Array, onLost?: () => void): 'ok' | 'wait' {
    this.#disarmOpening()
    const pushed = this.#answer.notification(octets, onLost)
    if (pushed !== 'overflow') return pushed
    this.#onOverflow()
    return 'ok'
  }

  #onClientClosed(): void {
    this.#endUse()
    if (!this.awaited) return
    if (this.#start.request.era === 'modern') this.#cancel('disconnect', 'disconnect')
    // CARRIAGE section 9: it may come back, and what comes meanwhile is held for it.
    else if (!this.#answer.resumable) this.#desert()
  }

  #desert(): void {
    this.#disarmOpening()
    this.#outcome = 'disconnect'
    this.#state = 'deserted'
    // A source that waits for a reader waits no longer.
    this.#handle?.resume()
  }

  #onDeadline(timeoutMs: number): void {
    this.#log('warn', 'a call passed its deadline')
    this.#answerError(deadlineError(timeoutMs))
    this.#cancel('deadline', 'deadline')
  }

  /** CARRIAGE section 7: a slow exchange fails alone. */
  #onOverflow(): void {
    const { maxBufferedOctets } = this.#edge.limits
    const slow = this.#answer.begun
    this.#log('warn', slow ? TOO_SLOW : 'a call was given up: too many notifications came before its reply')
    // A client that takes again finds this behind all that waits for it.
    this.#answerError(slow ? slowClientError(maxBufferedOctets) : heldTooMuchError(maxBufferedOctets))
    this.#cancel('deadline', slow ? 'slow_client' : 'unknown')
  }

  #onStall(): void {
    this.#start.response.destroy()
    if (!this.awaited) return
    this.#log('warn', TOO_SLOW)
    this.#cancel('deadline', 'slow_client')
  }

  #headOf(reply: CallReply, opens: boolean): Head {
    const { session, request } = this.#start
    return headOfReply(reply, request.era, opens ? sessionHeader(session) : [])
  }

  #answerFailure(failure: CallFailure): void {
    // CARRIAGE section 5: that a request was cancelled is never shown.
    if (failure.outcome === OUTCOME.CANCELLED) this.#answer.nothing()
    else {
      const error = errorOfFailure(failure)
      const { name: code, delivery, message: cause } = error
      this.#log('warn', 'a call ended without an answer', { code, delivery, cause, exchange: failure.exchange })
      this.#answerError(error)
    }
  }

  #answerError(error: EdgeError): void {
    if (!this.awaited) return
    const { request, traceId } = this.#start
    const { idToken, requestId } = request
    this.#answer.error(forMethod(error, this.method), { idToken, requestId, traceId: traceId() })
  }

  /** The client needs nothing more; the target still owes its end. */
  #cancel(reason: 'disconnect' | 'deadline', outcome: ExchangeOutcome): void {
    if (this.#state === 'cancelled' || this.#state === 'over') return
    this.#stopTimers()
    this.#outcome ??= outcome
    this.#state = 'cancelled'
    if (this.#handle === undefined) {
      this.#cancelFirst = reason
      return
    }
    this.#handle.cancel(reason)
    // What waits for a reader waits no longer: it may be the end that the target still owes.
    this.#handle.resume()
  }

  #end(outcome: ExchangeOutcome): void {
    if (this.#state === 'over') return
    this.#stopTimers()
    this.#state = 'over'
    this.#unlisten()
    this.#endUse()
    const { bodies, clock, logger, metrics, open } = this.#edge
    const nowMs = clock.now()
    this.#start.session?.releaseId(this.#start.idKey, nowMs)
    open.delete(this)
    bodies.release(this.#start.request.octets.length)
    const durationMs = nowMs - this.#startedMs
    const label = this.#outcome ?? outcome
    metrics.exchangeEnded(label, durationMs)
    // Looking for the trace id costs more than a call that nobody logs should.
    if (logger.isLevelEnabled('debug')) {
      this.#log('debug', 'a call ended', { outcome: label, durationMs: Math.round(durationMs) })
    }
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
    this.#disarmOpening()
    this.#deadline?.stop()
  }

  #armOpening(): void {
    const { clock, limits } = this.#edge
    const delayMs = openingMsOf(this.#start, limits)
    if (delayMs === undefined) return
    this.#opening = clock.setTimeout(() => {
      this.#opening = undefined
      this.#answer.openStream()
    }, delayMs)
  }

  #disarmOpening(): void {
    if (this.#opening === undefined) return
    this.#edge.clock.clearTimeout(this.#opening)
    this.#opening = undefined
  }

  #endUse(): void {
    if (!this.#attached) return
    this.#attached = false
    this.#start.session?.endUse(this.#edge.clock.now())
  }

  #log(level: 'debug' | 'warn', message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const { route, request, traceId } = this.#start
    const { method, requestId } = request
    this.#edge.logger[level](
      { route: route.name, target: route.target.name, method, requestId, traceId: traceId(), ...fields },
      message,
    )
  }
}

const TOO_SLOW = 'a client took too little of its answer for too long'

const OUTCOME_LABEL = {
  [OUTCOME.NOT_DELIVERED]: 'not_sent',
  [OUTCOME.UNKNOWN]: 'unknown',
  [OUTCOME.CANCELLED]: 'cancelled',
  [OUTCOME.SESSION_LOST]: 'session_lost',
} as const
