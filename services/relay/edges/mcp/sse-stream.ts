import type { ServerResponse } from 'node:http'
import type { StreamView } from '../../sessions/session-stream.ts'
import type { EdgeContext } from './edge-context.ts'
import { IdleTimer } from './idle-timer.ts'
import { Outbox } from './outbox.ts'
import { CLOSE } from './respond.ts'
import { primingEvent, sseEvent } from './sse-event.ts'

export interface SseStreamOptions {
  /** Further headers, names and values in turn. */
  readonly headers: readonly string[]
  /** The client took everything that waited. */
  readonly onRelief: () => void
  /** The client took nothing for `limits.stallMs`. */
  readonly onStall: () => void
}

/** What became of an event: written, written but the client is behind, or refused because too much waits already. */
export type Pushed = 'ok' | 'wait' | 'overflow'

/**
 * One response as an event stream; opening it sends the head with the first event or comment. A comment line after each
 * silence of `limits.keepAliveMs` lets everybody in between see that it is alive. It has no limit in time.
 */
export class SseStream implements StreamView {
  readonly #edge: EdgeContext
  readonly #response: ServerResponse
  readonly #outbox: Outbox
  readonly #keepAlive: IdleTimer
  #ended = false

  constructor(edge: EdgeContext, response: ServerResponse, { headers, onRelief, onStall }: SseStreamOptions) {
    const { clock, limits, metrics, stopping } = edge
    this.#edge = edge
    this.#response = response
    this.#outbox = new Outbox(response, { clock, stallMs: limits.stallMs, onRelief, onStall })
    this.#keepAlive = new IdleTimer(clock, limits.keepAliveMs, () => this.comment())
    response.once('close', () => this.#keepAlive.stop())
    metrics.responded(200)
    response.writeHead(200, stopping ? [...HEADERS, ...headers, ...CLOSE] : [...HEADERS, ...headers])
  }

  event(text: Uint8Array, id?: string): Pushed {
    if (this.#ended) return 'ok'
    const waiting = this.#outbox.waitingOctets
    if (waiting > 0 && waiting + text.length > this.#edge.limits.maxBufferedOctets) return 'overflow'
    this.#push(text, id)
    return this.#outbox.behind ? 'wait' : 'ok'
  }

  /** The last event, however much waits before it. */
  last(text: Uint8Array, id?: string, release?: () => void): void {
    // Not before: the system still reads from them.
    if (release !== undefined) this.#response.once('finish', release)
    this.#push(text, id)
    this.end()
  }

  prime(id: string): void {
    const event = primingEvent(id, RETRY_MS)
    this.#keepAlive.touch()
    this.#outbox.push([event], event.length)
  }

  comment(): void {
    if (!this.#ended && !this.#outbox.behind) this.#outbox.push([COMMENT], COMMENT.length)
  }

  end(): void {
    this.#ended = true
    this.#keepAlive.stop()
    this.#outbox.end()
  }

  abandon(): void {
    this.#response.destroy()
  }

  #push(text: Uint8Array, id: string | undefined): void {
    this.#keepAlive.touch()
    const event = sseEvent(text, id)
    if (event.changes > 0) this.#edge.metrics.lineEndsChanged.add(event.changes)
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

/** When a client whose stream broke comes back: soon, as somebody waits for the answer. */
const RETRY_MS = 1_000
