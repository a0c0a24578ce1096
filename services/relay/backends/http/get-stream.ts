import { type BackoffLimits, backoffMs } from '../../pacing/backoff.ts'
import { StreamConnection, type StreamEnd, type StreamMessages } from './stream-connection.ts'
import type { StreamPosition } from './stream-position.ts'
import type { Upstream } from './upstream.ts'

export interface GetStreamListener extends StreamMessages {
  /** The backend has given a status to one connection of it. */
  answered?(): void
  /** One connection of it is over. 'again': it goes on, after the time that the server asked for. */
  over(end: StreamEnd): 'again' | 'over'
}

export interface GetStreamOptions {
  readonly path: string
  /** Of the session, as they are when a connection is opened. */
  readonly headers: () => readonly string[]
  /** Where an earlier stream stands that this one resumes, or a new one. */
  readonly position: StreamPosition
}

/**
 * An event stream that the backend answers a GET with, over as many connections as it takes. There is no time limit on a
 * live one.
 */
export class GetStream {
  readonly #upstream: Upstream
  readonly #options: GetStreamOptions
  readonly #listener: GetStreamListener
  readonly #position: StreamPosition
  #connection: StreamConnection | undefined
  #timer: unknown
  /** Connections in a row that told nothing. */
  #failures = 0
  #closed = false

  constructor(upstream: Upstream, options: GetStreamOptions, listener: GetStreamListener) {
    this.#upstream = upstream
    this.#options = options
    this.#listener = listener
    this.#position = options.position
  }

  open(): void {
    if (this.#closed) return
    const { path, headers } = this.#options
    const { lastEventId } = this.#position
    const resumption = lastEventId === undefined ? [] : ['last-event-id', lastEventId]
    this.#position.reopened()
    this.#connection = new StreamConnection(
      this.#upstream,
      { path, headers: ['accept', 'text/event-stream', ...headers(), ...resumption] },
      this.#position,
      {
        messages: this.#listener,
        answered: () => this.#listener.answered?.(),
        over: (end) => this.#over(end),
      },
    )
  }

  /** Opens it once the server's own time has passed, or ours where it named none. */
  openLater(): void {
    const { clock, reopening, random } = this.#upstream
    const delayMs = reopenDelayMs(this.#failures, this.#position.retryMs, random(), reopening)
    this.#timer = clock.setTimeout(() => this.open(), delayMs)
  }

  /** After a 'wait' of the listener's. */
  resume(): void {
    this.#connection?.resume()
  }

  /** Nothing more is told. */
  close(): void {
    this.#closed = true
    this.#upstream.clock.clearTimeout(this.#timer)
    this.#connection?.abort()
  }

  #over(end: StreamEnd): void {
    this.#connection = undefined
    this.#failures = end.kind === 'ended' && this.#position.events > 0 ? 0 : this.#failures + 1
    if (this.#listener.over(end) === 'again' && !this.#closed) this.openLater()
  }
}

/**
 * The wait before a stream is opened again. The server's own time is kept, and doubled only while nothing comes of it;
 * what is our choice is half random, so that the sessions that lost one server do not come back in step.
 */
function reopenDelayMs(failures: number, askedMs: number | undefined, random: number, limits: BackoffLimits): number {
  const firstMs = Math.max(askedMs ?? limits.firstMs, LEAST_DELAY_MS)
  const delayMs = backoffMs(Math.max(failures, 1), random, { firstMs, maxMs: limits.maxMs })
  return askedMs === undefined ? delayMs : Math.max(firstMs, delayMs)
}

/** A server that asks for no wait would have a stream that ends at once opened without end. */
const LEAST_DELAY_MS = 50
