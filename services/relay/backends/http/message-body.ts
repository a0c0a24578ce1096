import type { LimitError } from '@causeway/npamp'
import { type BodyListener, type BodyReader, JsonBody, SseBody } from './body-reader.ts'
import { type BackendMessage, readMessage, slices } from './message.ts'
import type { SseEvent } from './sse.ts'
import type { StreamPosition } from './stream-position.ts'

export interface MessageListener {
  /** Answers 'wait' to be told nothing more until `resume`. */
  message(message: BackendMessage): 'ok' | 'wait'
  /** What is no message that anyone takes. */
  dropped(reason: 'not_json_rpc' | 'batch' | 'repeated_event'): void
  otherEvent(event: SseEvent): void
  /** Nothing is told after it. */
  tooLarge(error: LimitError): void
  /** All has been told. */
  finished(): void
}

export interface MessageBodyOptions {
  readonly kind: 'json' | 'sse'
  readonly maxOctets: number
  /** Messages of one batch that are taken apart; 0 where the era has no batches. */
  readonly maxBatchMessages: number
  /** Of a stream that can be resumed. */
  readonly position?: StreamPosition | undefined
}

/** The body of an answer, or a stream, taken apart into JSON-RPC messages. A batch of 2025-03-26 tells its messages one by one. */
export class MessageBody {
  readonly #listener: MessageListener
  readonly #maxBatchMessages: number
  readonly #body: BodyReader
  /** What is left of a batch whose receiver had no room. */
  #rest: Uint8Array[] = []

  constructor(options: MessageBodyOptions, listener: MessageListener) {
    const { kind, maxOctets, maxBatchMessages, position } = options
    this.#listener = listener
    this.#maxBatchMessages = maxBatchMessages
    this.#body = kind === 'sse' ? new SseBody(this.#reader, maxOctets, position) : new JsonBody(this.#reader, maxOctets)
  }

  /** Octets that were read and of which nothing was told yet. */
  get heldOctets(): number {
    return this.#body.heldOctets
  }

  push(chunk: Uint8Array): void {
    this.#body.push(chunk)
  }

  /** @param whole false when the connection broke. */
  end(whole: boolean): void {
    this.#body.end(whole)
  }

  resume(): void {
    if (this.#tellRest() === 'ok') this.#body.resume()
  }

  readonly #reader: BodyListener = {
    text: (octets) => this.#text(octets),
    otherEvent: (event) => this.#listener.otherEvent(event),
    repeatedEvent: () => this.#listener.dropped('repeated_event'),
    tooLarge: (error) => this.#listener.tooLarge(error),
    finished: () => this.#listener.finished(),
  }

  #text(octets: Uint8Array): 'ok' | 'wait' {
    const message = readMessage(octets)
    if (message.kind === 'rubbish') this.#listener.dropped('not_json_rpc')
    else if (message.kind !== 'batch') return this.#listener.message(message)
    else {
      const messages = this.#maxBatchMessages > 0 ? slices(message.message, this.#maxBatchMessages) : undefined
      if (messages === undefined) this.#listener.dropped('batch')
      else this.#rest = messages
    }
    return this.#tellRest()
  }

  #tellRest(): 'ok' | 'wait' {
    for (let octets = this.#rest.shift(); octets !== undefined; octets = this.#rest.shift()) {
      const message = readMessage(octets)
      if (message.kind === 'rubbish' || message.kind === 'batch') this.#listener.dropped('not_json_rpc')
      else if (this.#listener.message(message) === 'wait') return 'wait'
    }
    return 'ok'
  }
}
