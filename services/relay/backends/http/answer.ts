import type { LimitError } from '@causeway/npamp'
import type { CallFailure, CallReply } from '../../exchanges/contract.ts'
import { type BodyListener, type BodyReader, JsonBody, SseBody } from './body-reader.ts'
import { lost, unknown } from './failures.ts'
import { type BackendMessage, readMessage } from './message.ts'
import type { ResponseHeaders } from './post.ts'
import { headerText, httpErrorFailure, readingOf } from './status.ts'
import type { BackendTelemetry } from './telemetry.ts'

export type ReplyMessage = Extract<BackendMessage, { kind: 'result' | 'error' }>

export interface AnswerListener {
  notification(octets: Uint8Array): 'ok' | 'wait'
  reply(message: ReplyMessage): void
  /** The server asks something on this stream. */
  serverRequest(idToken: Uint8Array): void
  /** Nothing more will be told. The failure counts where no reply came before it. */
  over(failure: CallFailure): void
}

export interface AnswerOptions {
  readonly status: number
  readonly headers: ResponseHeaders
  /** Whether the request carried a session id of the backend's. */
  readonly inSession: boolean
  readonly maxReplyOctets: number
  readonly telemetry: BackendTelemetry
}

/** One HTTP answer to a request, from its status on, taken apart into JSON-RPC messages. */
export class Answer {
  readonly status: number
  readonly #headers: ResponseHeaders
  readonly #telemetry: BackendTelemetry
  readonly #listener: AnswerListener
  readonly #body: BodyReader
  readonly #httpError: boolean
  #broken: Error | undefined
  #sawRubbish = false

  private constructor(options: AnswerOptions, listener: AnswerListener, kind: 'json' | 'sse', httpError: boolean) {
    this.status = options.status
    this.#headers = options.headers
    this.#telemetry = options.telemetry
    this.#listener = listener
    this.#httpError = httpError
    this.#body = new (kind === 'sse' ? SseBody : JsonBody)(this.#bodyListener, options.maxReplyOctets)
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
    const retryAfter = headerText(this.#headers, 'retry-after')
    const parameters = retryAfter === '' ? NO_PARAMETERS : new Map([['retry-after', retryAfter]])
    return { kind, octets, message, release, status: this.status, parameters }
  }

  readonly #bodyListener: BodyListener = {
    text: (octets) => this.#text(octets),
    otherEvent: () => this.#telemetry.dropped('event_type'),
    tooLarge: (error: LimitError) => {
      this.#listener.over(this.#httpError ? this.#httpErrorFailure() : unknown(error.message))
    },
    finished: () => this.#listener.over(this.#noReply()),
  }

  #text(octets: Uint8Array): 'ok' | 'wait' {
    const message = readMessage(octets)
    switch (message.kind) {
      case 'notification':
        return this.#listener.notification(message.octets)
      case 'result':
      case 'error':
        this.#listener.reply(message)
        return 'ok'
      case 'request':
        this.#listener.serverRequest(message.idToken)
        return 'ok'
      case 'batch':
        this.#telemetry.dropped('batch')
        return 'ok'
      case 'rubbish':
        this.#sawRubbish = true
        this.#telemetry.dropped('not_json_rpc')
        return 'ok'
    }
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
