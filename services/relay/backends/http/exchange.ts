import { CANCELLED_METHOD, cancelledNotification, isNullId, MalformedError, sameId } from '@causeway/npamp'
import type {
  CallFailure,
  CallHandle,
  CallRequest,
  CallSink,
  CancelReason,
  ServerRequest,
  ServerRequestHandle,
  ServerRequestSink,
} from '../../exchanges/contract.ts'
import { cancelled, notJsonRpc, refusedBeforeSending, sessionLost, tooManyRequests, unknown } from './failures.ts'
import { HttpCall, type HttpCallListener } from './http-call.ts'
import type { BackendMessage, ReplyMessage, RequestMessage } from './message.ts'
import type { OpenRequest } from './open-request.ts'
import { requestedProgress } from './progress-token.ts'
import { requestHeaders, sessionHeaders } from './request-headers.ts'
import { ServerRequests } from './server-requests.ts'
import type { SouthboundSession } from './session.ts'
import type { Posting } from './session-queue.ts'
import { STATUS_LIMIT_MS, type Upstream } from './upstream.ts'

export interface ExchangeOwner {
  /** The sink has been told; called before the telling. */
  ended(exchange: Exchange, how: 'result' | 'error' | CallFailure): void
  /** The backend does not know the session of this exchange any more. */
  sessionLost(exchange: Exchange): void
  /**
   * Tells the backend something that belongs to this exchange, in the order of its session: a cancel, or the answer to a
   * request of its own. False: could not be queued, `settled` is never called.
   */
  postOneWay(
    exchange: Exchange,
    kind: 'notification' | 'response',
    octets: Uint8Array,
    settled: (status: number) => void,
  ): boolean
}

/**
 * One request to the backend and all that comes of it: waits for its turn, is sent at most once, and tells the sink of what
 * belongs to it and exactly once of the end.
 */
export class Exchange implements CallHandle, OpenRequest {
  readonly session: SouthboundSession | undefined
  /** It is the `initialize` that opens its session. */
  readonly opening: boolean
  readonly request: CallRequest
  readonly #upstream: Upstream
  readonly #sink: CallSink
  readonly #owner: ExchangeOwner
  #ended = false
  #cancelling = false
  #cancelLimit: unknown
  #posting: Posting | undefined
  /** Lets the session's next message go. */
  #release: () => void = () => {}
  #http: HttpCall | undefined
  /** What the server asks outside any session. */
  #serverRequests: ServerRequests | undefined
  #progress: { readonly key: string | undefined } | undefined
  /** The stream of the session waits until the sink has room. */
  #holdsStream = false

  constructor(
    upstream: Upstream,
    request: CallRequest,
    sink: CallSink,
    place: { readonly session: SouthboundSession | undefined; readonly opening: boolean },
    owner: ExchangeOwner,
  ) {
    this.#upstream = upstream
    this.request = request
    this.#sink = sink
    this.session = place.session
    this.opening = place.opening
    this.#owner = owner
  }

  get idToken(): Uint8Array {
    return this.request.idToken
  }

  get progressKey(): string | undefined {
    this.#progress ??= { key: requestedProgress(this.request) }
    return this.#progress.key
  }

  start(): void {
    if (this.session === undefined) {
      this.#enterGate()
      return
    }
    this.#posting = {
      octets: this.request.octets.length,
      run: (release) => {
        this.#release = release
        // Requests run concurrently; but what follows `initialize` needs the session id that its answer brings.
        if (!this.opening) release()
        this.#enterGate()
      },
      dropped: () => this.fail(sessionLost()),
    }
    if (!this.session.queue.add(this.#posting)) {
      this.fail(refusedBeforeSending('too many messages of this session wait for the backend'))
    }
  }

  cancel(reason: CancelReason): void {
    if (this.request.era === 'modern' || reason === 'abandoned') this.fail(cancelled())
    else this.cancelBy(cancelledNotification(this.request.idToken))
  }

  /** Sends a `notifications/cancelled` of the legacy era and ends with outcome 2 once it has its status (CARRIAGE section 5). */
  cancelBy(notification: Uint8Array): void {
    if (this.#ended || this.#cancelling) return
    // MCP forbids to cancel initialize by a notification, and this one would wait for the session that it opens.
    if (!this.#sent || this.opening) {
      this.fail(cancelled())
      return
    }
    this.#cancelling = true
    const end = () => this.fail(cancelled())
    // It may have to wait behind others of its session: a cancelled call ends, whatever the backend does.
    this.#cancelLimit = this.#upstream.clock.setTimeout(end, STATUS_LIMIT_MS)
    if (!this.#owner.postOneWay(this, 'notification', notification, end)) end()
  }

  resume(): void {
    this.#http?.resume()
    this.#letStreamGo()
  }

  /** Ends the exchange without an answer of the backend's, and whatever of it is still on its way. */
  fail(failure: CallFailure): void {
    if (this.#ended) return
    this.#end(failure)
    this.#http?.abort()
    this.#sink.fail(failure)
  }

  failUnsent(failure: CallFailure): void {
    if (!this.#sent) this.fail(failure)
  }

  // --- what comes on the stream of the session ---

  takeReply(message: ReplyMessage): void {
    this.#reply(message)
  }

  takeNotification(octets: Uint8Array): 'ok' | 'wait' {
    if (this.#ended) return 'ok'
    const answer = this.#sink.notification(octets)
    this.#holdsStream ||= answer === 'wait'
    return answer
  }

  ask(request: ServerRequest, sink: ServerRequestSink): ServerRequestHandle | undefined {
    if (this.#ended) return this.session?.client?.request(request, sink)
    return this.#sink.serverRequest?.(request, sink)
  }

  #letStreamGo(): void {
    if (!this.#holdsStream) return
    this.#holdsStream = false
    this.session?.resumeStream()
  }

  // --- sending ---

  get #sent(): boolean {
    return this.#http?.sent === true
  }

  #enterGate(): void {
    const { gate } = this.#upstream
    if (this.#ended || gate.enter(this.#send)) return
    this.fail(tooManyRequests(gate.limit))
  }

  readonly #send = (): void => {
    const { session } = this
    const headers = this.#requestHeaders()
    if (headers === undefined) {
      this.#upstream.gate.leave()
      this.fail(notJsonRpc())
      return
    }
    this.#http = new HttpCall(
      this.#upstream,
      { method: 'POST', path: session?.path ?? this.#upstream.path, headers, body: this.request.octets },
      {
        inSession: () => session?.isKnown === true,
        answeredElsewhere: session?.answersOnStream === true,
        resumption:
          this.request.era === 'modern'
            ? undefined
            : { headers: () => sessionHeaders(session), told: session?.toldEvents },
      },
      this.#listener,
    )
  }

  #requestHeaders(): string[] | undefined {
    const { acceptHeaders, telemetry } = this.#upstream
    try {
      return requestHeaders({ ...this.request, kind: 'request' }, this.session, acceptHeaders, () =>
        telemetry.parameterDropped(),
      )
    } catch (error) {
      if (error instanceof MalformedError) return undefined
      throw error
    }
  }

  // --- the answer ---

  readonly #listener: HttpCallListener = {
    head: (answer) => {
      if (!this.opening || !answer.ok) return
      if (this.session?.setSessionId(answer.header('mcp-session-id')) === false) {
        this.fail(unknown('the backend gave a session id that MCP does not allow'))
        return
      }
      this.#release()
    },
    accepted: () => this.#release(),
    message: (message, resumed) => this.#message(message, resumed),
    arriving: (octets) => (this.#ended ? 'ok' : (this.#sink.arriving?.(octets) ?? 'ok')),
    failed: (failure) => this.#failForGood(failure),
    closed: () => this.#upstream.gate.leave(),
  }

  #message(message: BackendMessage, resumed: boolean): 'ok' | 'wait' {
    switch (message.kind) {
      case 'notification':
        return this.#notification(message)
      case 'request':
        this.#serverRequest(message)
        return 'ok'
      default:
        // A server that resumes may answer other calls there as well.
        if (resumed && !this.#belongs(message)) this.session?.takeReply(message)
        else this.#reply(message)
        return 'ok'
    }
  }

  #notification({ octets, message }: Extract<BackendMessage, { kind: 'notification' }>): 'ok' | 'wait' {
    const asked = this.session?.serverRequests ?? this.#serverRequests
    if (message.method === CANCELLED_METHOD && asked?.cancelBy(octets, message) === true) return 'ok'
    if (!this.#ended) return this.#sink.notification(octets)
    this.#upstream.telemetry.dropped('late_notification')
    return 'ok'
  }

  #serverRequest(request: RequestMessage): void {
    if (this.request.era === 'modern') {
      this.#upstream.telemetry.dropped('server_request')
      return
    }
    this.#asked().take(request, (asked, sink) => this.ask(asked, sink))
  }

  /** One that is open when the exchange ends goes on in its session; without one there is nobody who would answer. */
  #asked(): ServerRequests {
    if (this.session !== undefined) return this.session.serverRequests
    const { telemetry, maxServerRequests } = this.#upstream
    this.#serverRequests ??= new ServerRequests(
      {
        answer: (octets) => {
          if (!this.#owner.postOneWay(this, 'response', octets, () => {})) telemetry.notificationDropped('queue_full')
        },
        refused: () => telemetry.serverRequestAnswered(),
      },
      maxServerRequests,
    )
    return this.#serverRequests
  }

  #reply(message: ReplyMessage): void {
    const { telemetry } = this.#upstream
    if (this.#ended || this.#http === undefined) {
      telemetry.lateReply()
      return
    }
    if (!this.#belongs(message)) {
      telemetry.dropped('unmatched_reply')
      return
    }
    const reply = this.#http.replyOf(message)
    if (this.#inSession && reply.status === 400 && message.idToken === undefined) {
      this.#failForGood(sessionLost())
      return
    }
    if (this.opening && message.kind === 'result') this.session?.readInitializeResult(message.octets)
    this.#end(message.kind)
    this.#http.finish()
    this.#sink.reply(reply)
  }

  /** RPC-011; an error whose writer could not read the id can only be about the one request of this HTTP exchange. */
  #belongs({ kind, idToken }: ReplyMessage): boolean {
    if (idToken !== undefined) return sameId(idToken, this.idToken)
    return kind === 'error' || isNullId(this.idToken)
  }

  // --- the end ---

  /** Whether the request was made in a session that the backend knew. */
  get #inSession(): boolean {
    return !this.opening && this.session?.isKnown === true
  }

  #failForGood(failure: CallFailure): void {
    if (this.#ended) return
    if (failure.code === 'SessionLost') this.#owner.sessionLost(this)
    this.fail(failure)
  }

  #end(how: 'result' | 'error' | CallFailure): void {
    this.#ended = true
    this.#upstream.clock.clearTimeout(this.#cancelLimit)
    if (this.#posting !== undefined) this.session?.queue.withdraw(this.#posting)
    this.#upstream.gate.withdraw(this.#send)
    this.#serverRequests?.end()
    this.#owner.ended(this, how)
    this.#release()
    this.#letStreamGo()
  }
}
