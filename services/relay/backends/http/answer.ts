import type { LimitError } from '@causeway/npamp'
import type { CallFailure, CallReply } from '../../exchanges/contract.ts'
import { lost, unknown } from './failures.ts'
import type { BackendMessage, ReplyMessage } from './message.ts'
import { MessageBody, type MessageListener } from './message-body.ts'
import type { ResponseHeaders } from './post.ts'
import { headerText, httpErrorFailure, readingOf } from './status.ts'
import type { StreamPosition } from './stream-position.ts'
import type { BackendTelemetry } from './telemetry.ts'

export interface AnswerListener {
  message(message: BackendMessage): 'ok' | 'wait'
  /**
   * Nothing more will be told. The failure counts where no reply came before it. `brokenOff`: it was an event stream, which
   * may be resumed.
   */
  over(failure: CallFailure, brokenOff: boolean): void
}

export interface AnswerOptions {
  readonly status: number
  readonly headers: ResponseHeaders
  /** Whether the request carried a session id of the backend's. */
  readonly inSession: boolean
  readonly maxReplyOctets: number
  readonly maxBatchMessages: number
  /** Of an event stream that may be resumed. */
  readonly position: StreamPosition | undefined
  readonly telemetry: BackendTelemetry
}

/** One HTTP answer to a request, from its status on, taken apart into JSON-RPC messages. */
export class Answer {
  readonly status: number
  readonly #headers: ResponseHeaders
  readonly #telemetry: BackendTelemetry
  readonly #listener: AnswerListener
  readonly #body: MessageBody
  readonly #kind: 'json' | 'sse'
  readonly #httpError: boolean
  #broken: Error | undefined
  #sawRubbish = false

  private constructor(options: AnswerOptions, listener: AnswerListener, kind: 'json' | 'sse', httpError: boolean) {
    const { maxReplyOctets: maxOctets, maxBatchMessages, position } = options
    this.status = options.status
    this.#headers = options.headers
    this.#telemetry = options.telemetry
    this.#listener = listener
    this.#kind = kind
    this.#httpError = httpError
    this.#body = new MessageBody({ kind, maxOctets, maxBatchMessages, position }, this.#bodyListener)
  }

  /** The answer, or why its status and headers say that it is none. */
  static open(options: AnswerOptions, listener: AnswerListener): Answer | CallFailure {
    const reading = readingOf(options.status, options.headers, options.inSession)
    if (reading.kind === 'fail') return reading.failure
    return new Answer(options, listener, reading.kind, reading.httpError)
  }

  get ok(): boolean {
    return !this.#httpError
  }

  header(name: string): string {
    return headerText(this.#headers, name)
  }

  /** Octets of the body that were read and of which nothing was told yet. */
  get heldOctets(): number {
    return this.#body.heldOctets
  }

  chunk(octets: Uint8Array): void {
    this.#body.push(octets)
  }

  /** @param error why the connection broke; absent for an orderly end. */
  end(error?: Error): void {
    this.#broken = error
    this.#body.end(error === undefined)
  }

  /** After a 'wait' of the listener's. */
  resume(): void {
    this.#body.resume()
  }

  replyOf({ kind, octets, message, release }: ReplyMessage): CallReply {
    const retryAfter = this.header('retry-after')
    const parameters = retryAfter === '' ? NO_PARAMETERS : new Map([['retry-after', retryAfter]])
    return { kind, octets, message, release, status: this.status, parameters }
  }

  readonly #bodyListener: MessageListener = {
    message: (message) => this.#listener.message(message),
    dropped: (reason) => {
      if (reason !== 'repeated_event') this.#sawRubbish = true
      this.#telemetry.dropped(reason)
    },
    otherEvent: () => this.#telemetry.dropped('event_type'),
    tooLarge: (error: LimitError) => {
      this.#listener.over(this.#httpError ? this.#httpErrorFailure() : unknown(error.message), false)
    },
    finished: () => this.#listener.over(this.#noReply(), this.#kind === 'sse' && !this.#httpError),
  }

  #noReply(): CallFailure {
    if (this.#httpError) return this.#httpErrorFailure()
    if (this.#broken !== undefined) return lost(this.#broken)
    if (this.#sawRubbish) return unknown("the backend's answer is not JSON-RPC")
    return unknown('the backend ended its answer without a response')
  }

  #httpErrorFailure(): CallFailure {
    return httpErrorFailure(this.status, this.#headers)
  }
}

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()
