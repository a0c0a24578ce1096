import { isNullId, MalformedError, sameId } from '@causeway/npamp'
import type { CallFailure, CallHandle, CallRequest, CallSink, CancelReason } from '../../exchanges/contract.ts'
import { Answer, type AnswerListener, type ReplyMessage } from './answer.ts'
import { cancelled, lost, notJsonRpc, notReached, refusedBeforeSending, sessionLost, unknown } from './failures.ts'
import { Post, type ResponseHeaders, type ResponseReceiver } from './post.ts'
import { requestHeaders } from './request-headers.ts'
import type { OpenRequest, SouthboundSession } from './session.ts'
import type { Posting } from './session-queue.ts'
import { headerText } from './status.ts'
import { LINGER_MS, STATUS_LIMIT_MS, type Upstream } from './upstream.ts'

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
 * One request to the backend and all that comes of it: waits for its turn, is sent at most once, reads the answer, and tells
 * the sink of related notifications and exactly once of the end.
 */
export class Exchange implements CallHandle, OpenRequest {
  readonly session: SouthboundSession | undefined
  /** It is the `initialize` that opens its session. */
  readonly opening: boolean
  readonly #upstream: Upstream
  readonly #request: CallRequest
  readonly #sink: CallSink
  readonly #owner: ExchangeOwner
  #ended = false
  #cancelling = false
  #cancelLimit: unknown
  #posting: Posting | undefined
  /** Lets the session's next message go. */
  #release: () => void = () => {}
  #holdsGate = false
  #post: Post | undefined
  #httpOver = false
  #linger: unknown
  #answer: Answer | undefined

  constructor(
    upstream: Upstream,
    request: CallRequest,
    sink: CallSink,
    place: { readonly session: SouthboundSession | undefined; readonly opening: boolean },
    owner: ExchangeOwner,
  ) {
    this.#upstream = upstream
    this.#request = request
    this.#sink = sink
    this.session = place.session
    this.opening = place.opening
    this.#owner = owner
  }

  get idToken(): Uint8Array {
    return this.#request.idToken
  }

  get request(): CallRequest {
    return this.#request
  }

  start(): void {
    if (this.session === undefined) {
      this.#enterGate()
      return
    }
    this.#posting = {
      octets: this.#request.octets.length,
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
    if (this.#request.era === 'modern' || reason === 'abandoned') this.fail(cancelled())
    else this.cancelBy(cancelNotification(this.#request.idToken))
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
    this.#post?.resume()
    this.#answer?.resume()
    this.#tellArriving()
  }

  /** Ends the exchange without an answer of the backend's, and whatever of it is still on its way. */
  fail(failure: CallFailure): void {
    if (this.#ended) return
    this.#end(failure)
    this.#abortHttp()
    this.#sink.fail(failure)
  }

  failUnsent(failure: CallFailure): void {
    if (!this.#sent) this.fail(failure)
  }

  get #sent(): boolean {
    return this.#post?.sent === true
  }

  #end(how: 'result' | 'error' | CallFailure): void {
    this.#ended = true
    this.#upstream.clock.clearTimeout(this.#cancelLimit)
    if (this.#posting !== undefined) this.session?.queue.withdraw(this.#posting)
    this.#upstream.gate.withdraw(this.#send)
    this.#owner.ended(this, how)
    this.#release()
  }

  // --- sending ---

  #enterGate(): void {
    if (this.#ended || this.#upstream.gate.enter(this.#send)) return
    this.fail(
      refusedBeforeSending('the backend has as many requests as limits.maxConcurrency allows', 'try again later'),
    )
  }

  readonly #send = (): void => {
    this.#holdsGate = true
    const { pool, path } = this.#upstream
    const headers = this.#requestHeaders()
    if (headers === undefined) {
      this.#httpDone()
      this.fail(notJsonRpc())
      return
    }
    this.#post = new Post(pool, { method: 'POST', path, headers, body: this.#request.octets }, this.#receiver)
  }

  #requestHeaders(): string[] | undefined {
    const { acceptHeaders, telemetry } = this.#upstream
    try {
      return requestHeaders({ ...this.#request, kind: 'request' }, this.session, acceptHeaders, () =>
        telemetry.parameterDropped(),
      )
    } catch (error) {
      if (error instanceof MalformedError) return undefined
      throw error
    }
  }

  /** Frees what the HTTP request held; harmless when nothing of it was begun. */
  #httpDone(): void {
    this.#httpOver = true
    this.#upstream.clock.clearTimeout(this.#linger)
    if (!this.#holdsGate) return
    this.#holdsGate = false
    this.#upstream.gate.leave()
  }

  #abortHttp(): void {
    if (this.#httpOver) return
    this.#post?.abort()
    this.#httpDone()
  }

  // --- the answer ---

  readonly #receiver: ResponseReceiver = {
    head: (status, headers) => this.#head(status, headers),
    chunk: (octets) => {
      this.#answer?.chunk(octets)
      this.#tellArriving()
    },
    end: () => {
      this.#httpDone()
      this.#answer?.end()
    },
    error: (error) => {
      this.#httpDone()
      if (this.#answer !== undefined) this.#answer.end(error)
      else this.#noAnswer(error)
    },
  }

  #noAnswer(error: Error): void {
    this.#upstream.telemetry.responded(0)
    this.fail(this.#sent ? lost(error) : notReached(error))
  }

  #head(status: number, headers: ResponseHeaders): void {
    const { telemetry, maxReplyOctets } = this.#upstream
    telemetry.responded(status)
    const inSession = this.#inSession
    const answer = Answer.open({ status, headers, inSession, maxReplyOctets, telemetry }, this.#listener)
    if ('code' in answer) {
      this.#failForGood(answer)
      return
    }
    this.#answer = answer
    this.#tellArriving()
    if (!this.opening || !answer.ok) return
    if (this.session?.setSessionId(headerText(headers, 'mcp-session-id')) === false) {
      this.fail(unknown('the backend gave a session id that MCP does not allow'))
      return
    }
    this.#release()
  }

  /** Where the receiver is behind, the body is not read on. */
  #tellArriving(): void {
    if (this.#ended || this.#answer === undefined) return
    if (this.#sink.arriving?.(this.#answer.heldOctets) === 'wait') this.#post?.pause()
  }

  /** Whether the request carried a session id of the backend's. */
  get #inSession(): boolean {
    return !this.opening && this.session?.sessionId !== undefined
  }

  #failForGood(failure: CallFailure): void {
    if (failure.code === 'SessionLost') this.#owner.sessionLost(this)
    this.fail(failure)
  }

  readonly #listener: AnswerListener = {
    notification: (octets) => this.#notification(octets),
    reply: (message) => this.#reply(message),
    serverRequest: (idToken) => this.#serverRequest(idToken),
    over: (failure) => {
      this.fail(failure)
      this.#abortHttp()
    },
  }

  #notification(octets: Uint8Array): 'ok' | 'wait' {
    if (this.#ended) {
      this.#upstream.telemetry.dropped('late_notification')
      return 'ok'
    }
    const answer = this.#sink.notification(octets)
    if (answer === 'wait') this.#post?.pause()
    return answer
  }

  #reply(message: ReplyMessage): void {
    const { telemetry, clock } = this.#upstream
    if (this.#ended || this.#answer === undefined) {
      telemetry.lateReply()
      return
    }
    if (!this.#belongs(message)) {
      telemetry.dropped('unmatched_reply')
      return
    }
    if (this.#inSession && this.#answer.status === 400 && message.idToken === undefined) {
      this.#failForGood(sessionLost())
      return
    }
    if (this.opening && message.kind === 'result') this.session?.readInitializeResult(message.octets)
    this.#end(message.kind)
    if (!this.#httpOver) this.#linger = clock.setTimeout(() => this.#abortHttp(), LINGER_MS)
    this.#sink.reply(this.#answer.replyOf(message))
  }

  /** RPC-011; an error whose writer could not read the id can only be about the one request of this HTTP exchange. */
  #belongs({ kind, idToken }: ReplyMessage): boolean {
    if (idToken !== undefined) return sameId(idToken, this.idToken)
    return kind === 'error' || isNullId(this.idToken)
  }

  /** A transparent relay cannot carry a server's requests yet: it says so, as an endpoint without the method would. */
  #serverRequest(idToken: Uint8Array): void {
    const { telemetry } = this.#upstream
    if (this.#request.era === 'legacy' && this.#owner.postOneWay(this, 'response', methodNotFound(idToken), () => {})) {
      telemetry.serverRequestAnswered()
    } else {
      telemetry.dropped('server_request')
    }
  }
}

/** The raw token goes in as it came: an id is never printed anew (digest 10 section 7). */
function cancelNotification(idToken: Uint8Array): Uint8Array {
  return around('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":', idToken, '}}')
}

function methodNotFound(idToken: Uint8Array): Uint8Array {
  return around('{"jsonrpc":"2.0","id":', idToken, ',"error":{"code":-32601,"message":"Method not found"}}')
}

function around(before: string, token: Uint8Array, after: string): Uint8Array {
  return Buffer.concat([Buffer.from(before), token, Buffer.from(after)])
}
