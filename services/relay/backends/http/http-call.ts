import type { CallFailure, CallReply } from '../../exchanges/contract.ts'
import { Answer, type AnswerListener } from './answer.ts'
import { authenticationRequired, notReached, sessionLostMeanwhile, unanswered, unknown } from './failures.ts'
import { GetStream } from './get-stream.ts'
import type { BackendMessage, ReplyMessage } from './message.ts'
import { type HttpRequest, Post, type ResponseHeaders, type ResponseReceiver } from './post.ts'
import { isTemporary } from './status.ts'
import type { StreamEnd } from './stream-connection.ts'
import { StreamPosition } from './stream-position.ts'
import type { ToldEvents } from './told-events.ts'
import { LINGER_MS, type Upstream } from './upstream.ts'

export interface HttpCallListener {
  /** The status and the headers promise an answer. */
  head(answer: Answer): void
  /** The backend has taken the request, and answers it on the stream of the session. */
  accepted(): void
  /** @param resumed on a stream that resumes the answer, which may bring more than that. */
  message(message: BackendMessage, resumed: boolean): 'ok' | 'wait'
  /** As of a CallSink. */
  arriving(octets: number): 'ok' | 'wait'
  /** Nothing more will be told. The failure counts where no reply came before it. */
  failed(failure: CallFailure): void
  /** No connection is used any more. */
  closed(): void
}

export interface HttpCallOptions {
  /** Whether the backend knows the session that this call is made in, so that a 404 means that it has lost it. */
  readonly inSession: () => boolean
  /** The revision has answers on the stream of the session, and 2xx means no more than that one will come. */
  readonly answeredElsewhere: boolean
  /** Absent in an era without resumption: headers of a GET that resumes the answer, and what was told in the session. */
  readonly resumption: { readonly headers: () => readonly string[]; readonly told: ToldEvents | undefined } | undefined
}

/** One request to the backend as HTTP knows it: sent at most once, its answer, and the streams that this goes on in. */
export class HttpCall {
  readonly #upstream: Upstream
  readonly #path: string
  readonly #options: HttpCallOptions
  readonly #listener: HttpCallListener
  readonly #post: Post
  readonly #position: StreamPosition | undefined
  #postOver = false
  #accepted = false
  #answer: Answer | undefined
  #stream: GetStream | undefined
  /** Connections in a row that brought no stream to go on with. */
  #failures = 0
  #lingering: unknown
  /** The reply is there. */
  #finished = false
  /** Nothing more is told but that it is closed. */
  #done = false
  #closed = false

  constructor(upstream: Upstream, request: HttpRequest, options: HttpCallOptions, listener: HttpCallListener) {
    this.#upstream = upstream
    this.#path = request.path
    this.#options = options
    this.#listener = listener
    this.#position = options.resumption && new StreamPosition(options.resumption.told)
    this.#post = new Post(upstream, request, this.#receiver)
  }

  /** True from the moment the first octet may have left. */
  get sent(): boolean {
    return this.#post.sent
  }

  /** @param message a reply, wherever it came. */
  replyOf(message: ReplyMessage): CallReply {
    if (this.#answer !== undefined) return this.#answer.replyOf(message)
    const { kind, octets, message: scanned, release } = message
    return { kind, octets, message: scanned, release, status: 200, parameters: NO_PARAMETERS }
  }

  /** After a 'wait' of the listener's. */
  resume(): void {
    if (this.#done) return
    this.#post.resume()
    this.#answer?.resume()
    this.#stream?.resume()
    this.#tellArriving()
  }

  /** The reply is there. Reading to the end keeps the connection; what still comes is told, and is too late. */
  finish(): void {
    this.#finished = true
    this.#stream?.close()
    if (this.#postOver) this.#close()
    else this.#linger()
  }

  /** Nothing more is told. */
  abort(): void {
    this.#done = true
    this.#stream?.close()
    this.#post.abort()
    this.#postOver = true
    this.#close()
  }

  #linger(): void {
    this.#lingering ??= this.#upstream.clock.setTimeout(() => {
      this.#post.abort()
      this.#postEnded()
    }, LINGER_MS)
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#upstream.clock.clearTimeout(this.#lingering)
    this.#listener.closed()
  }

  #fail(failure: CallFailure): void {
    if (this.#done) return
    this.#done = true
    this.#listener.failed(failure)
    this.abort()
  }

  // --- the answer to the POST ---

  readonly #receiver: ResponseReceiver = {
    head: (status, headers) => this.#head(status, headers),
    chunk: (octets) => {
      this.#answer?.chunk(octets)
      this.#tellArriving()
    },
    end: () => this.#end(),
    error: (error) => this.#end(error),
  }

  #head(status: number, headers: ResponseHeaders): void {
    const { telemetry, maxReplyOctets, maxBatchMessages } = this.#upstream
    telemetry.responded(status)
    if (this.#options.answeredElsewhere && status < 300) {
      this.#accepted = true
      this.#linger()
      this.#listener.accepted()
      return
    }
    const position = this.#position
    // Batches and resumption are of the legacy era both.
    const batches = position === undefined ? 0 : maxBatchMessages
    const inSession = this.#options.inSession()
    const answer = Answer.open(
      { status, headers, inSession, maxReplyOctets, maxBatchMessages: batches, position, telemetry },
      this.#answerListener,
    )
    if ('code' in answer) {
      this.#fail(answer)
      return
    }
    this.#answer = answer
    this.#tellArriving()
    this.#listener.head(answer)
  }

  #end(error?: Error): void {
    this.#postOver = true
    if (this.#accepted) this.#postEnded()
    else if (this.#answer !== undefined) this.#answer.end(error)
    else this.#noAnswer(error ?? new Error('no answer'))
  }

  /** What it is for has come, or comes on the stream of the session. */
  #postEnded(): void {
    this.#postOver = true
    this.#upstream.clock.clearTimeout(this.#lingering)
    if (this.#finished) this.#close()
  }

  #noAnswer(error: Error): void {
    const { telemetry } = this.#upstream
    telemetry.responded(0)
    const failure = this.#post.sent ? unanswered(error, this.#upstream) : notReached(error)
    if (!this.#post.sent) telemetry.notReached(failure.message)
    this.#fail(failure)
  }

  /** Where the receiver is behind, the body is not read on. */
  #tellArriving(): void {
    if (this.#done || this.#answer === undefined || this.#postOver) return
    if (this.#listener.arriving(this.#answer.heldOctets) === 'wait') this.#post.pause()
  }

  readonly #answerListener: AnswerListener = {
    message: (message) => {
      const answer = this.#listener.message(message, false)
      if (answer === 'wait') this.#post.pause()
      return answer
    },
    over: (failure, brokenOff) => {
      if (brokenOff && !this.#finished && this.#position?.lastEventId !== undefined) this.#goOn()
      else this.#fail(failure)
    },
  }

  // --- the streams that it goes on in (CARRIAGE section 9) ---

  #goOn(): void {
    const headers = this.#options.resumption?.headers
    if (this.#done || headers === undefined || this.#position === undefined) return
    const { telemetry } = this.#upstream
    this.#stream = new GetStream(
      this.#upstream,
      { path: this.#path, headers, position: this.#position },
      {
        message: (message) => this.#listener.message(message, true),
        arriving: (octets) => this.#listener.arriving(octets),
        dropped: (reason) => telemetry.dropped(reason),
        otherEvent: () => telemetry.dropped('event_type'),
        over: (end) => this.#streamOver(end),
      },
    )
    this.#stream.openLater()
  }

  #streamOver(end: StreamEnd): 'again' | 'over' {
    this.#failures = end.kind === 'ended' ? 0 : this.#failures + 1
    const failure = this.#whyNotResumed(end)
    if (failure === undefined) return 'again'
    this.#fail(failure)
    return 'over'
  }

  #whyNotResumed(end: StreamEnd): CallFailure | undefined {
    const goesOn = this.#failures <= MOST_FAILURES
    if (end.kind === 'tooLarge') return unknown(end.error.message)
    if (end.kind === 'unanswered') return goesOn ? undefined : unanswered(end.error, this.#upstream)
    if (end.kind === 'ended') return undefined
    const { status } = end
    if (status === 401 || status === 403) return authenticationRequired(status)
    if (status === 404 && this.#options.inSession()) return sessionLostMeanwhile()
    // One is 409: the backend may not have noticed yet that the connection before this one is gone.
    if (goesOn && isTemporary(status)) return undefined
    return unknown(`the backend broke its answer off and does not resume it (HTTP status ${status})`)
  }
}

/**
 * With the growing waits between them half a minute, in which a backend may restart. One that is gone for good is not asked
 * for ever: its client would never hear of it.
 */
const MOST_FAILURES = 5
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()
