import type { Server } from 'node:http'
import type { EdgeContext } from './edge-context.ts'

/** The end of a listener, which a second request to stop can bring nearer. */
export class Drain {
  readonly #server: Server
  readonly #edge: EdgeContext
  readonly #closed: Promise<void>
  #timer: unknown
  #endsAtMs: number

  /** Stops accepting. What is open may end by itself for `limitMs`; then it is ended. */
  constructor(server: Server, edge: EdgeContext, limitMs: number) {
    this.#server = server
    this.#edge = edge
    this.#endsAtMs = edge.clock.now() + limitMs
    edge.stopping = true
    this.#closed = new Promise<void>((resolve) => {
      server.close(() => resolve())
    }).then(() => this.#finish())
    for (const exchange of edge.open) {
      // A connection whose answer began before this moment was promised to be kept.
      exchange.response.once('close', () => server.closeIdleConnections())
      // A subscription ends with the relay and never before it; its client subscribes again elsewhere.
      if (exchange.method === 'subscriptions/listen') exchange.stop()
    }
    for (const opened of [...edge.openedStreams]) {
      opened.response.once('close', () => server.closeIdleConnections())
      // Like a subscription, unless it shows the answer to a call.
      if (!opened.belongsToCall) opened.hangUp()
    }
    this.#arm(limitMs)
  }

  /** Waits until every connection is closed. */
  get closed(): Promise<void> {
    return this.#closed
  }

  /** Ends it in `limitMs` at the latest, if that is earlier. */
  shorten(limitMs: number): void {
    const endsAtMs = this.#edge.clock.now() + limitMs
    if (this.#timer === undefined || endsAtMs >= this.#endsAtMs) return
    this.#endsAtMs = endsAtMs
    this.#edge.clock.clearTimeout(this.#timer)
    this.#arm(limitMs)
  }

  #arm(limitMs: number): void {
    if (limitMs > 0) this.#timer = this.#edge.clock.setTimeout(() => this.#end(), limitMs)
    else this.#end()
  }

  #end(): void {
    this.#timer = undefined
    for (const exchange of [...this.#edge.open]) exchange.stop()
    // After the errors are with the system.
    setImmediate(() => this.#server.closeAllConnections())
  }

  #finish(): void {
    if (this.#timer !== undefined) this.#edge.clock.clearTimeout(this.#timer)
    this.#timer = undefined
    // Calls whose clients left earlier.
    for (const exchange of [...this.#edge.open]) exchange.stop()
    this.#edge.sessions.clear()
  }
}
