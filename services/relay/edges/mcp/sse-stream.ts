import type { ServerResponse } from 'node:http'
import { Outbox, type OutboxOptions } from './outbox.ts'
import { sseEvent } from './sse-event.ts'

export interface SseStreamOptions extends OutboxOptions {
  /** Events that may wait for the client; one event alone may be larger. */
  readonly maxBufferedOctets: number
  /** Further headers, names and values in turn. */
  readonly headers: readonly string[]
  /** CR octets that the format does not let through, each counted (CARRIAGE section 3). */
  readonly onChanges: (octets: number) => void
}

/** What became of an event: written, written but the client is behind, or refused because too much waits already. */
export type Pushed = 'ok' | 'wait' | 'overflow'

/** The answer to one request as an event stream; opening it sends the head. */
export class SseStream {
  readonly #outbox: Outbox
  readonly #options: SseStreamOptions

  constructor(response: ServerResponse, options: SseStreamOptions) {
    this.#options = options
    this.#outbox = new Outbox(response, options)
    response.writeHead(200, [...HEADERS, ...options.headers])
  }

  event(text: Uint8Array): Pushed {
    const waiting = this.#outbox.waitingOctets
    if (waiting > 0 && waiting + text.length > this.#options.maxBufferedOctets) return 'overflow'
    this.#push(text)
    return this.#outbox.behind ? 'wait' : 'ok'
  }

  /** The response: the last event, however much waits before it. */
  last(text: Uint8Array): void {
    this.#push(text)
    this.#outbox.end()
  }

  /** A line that says nothing, so that nobody in between takes the stream for dead. */
  comment(): void {
    if (!this.#outbox.behind) this.#outbox.push([COMMENT], COMMENT.length)
  }

  /** Ends without a response. */
  end(): void {
    this.#outbox.end()
  }

  #push(text: Uint8Array): void {
    const event = sseEvent(text)
    if (event.changes > 0) this.#options.onChanges(event.changes)
    this.#outbox.push(event.pieces, text.length)
  }
}

/** Compression would hold events back, and so would the buffer of a common reverse proxy. */
const HEADERS = [
  'Content-Type',
  'text/event-stream',
  'Cache-Control',
  'no-cache, no-transform',
  'X-Accel-Buffering',
  'no',
] as const

const COMMENT = Buffer.from(':\n\n')
