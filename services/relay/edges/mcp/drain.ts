import type { Server } from 'node:http'
import type { EdgeContext } from './edge-context.ts'

/** The end of an edge and its listeners, which a second request to stop can bring nearer. */
export class Drain {
  readonly #servers: readonly Server[]
  readonly #edge: EdgeContext
  readonly #closed: Promise<void>
  #timer: unknown
  #endsAtMs: number

  /** Stops accepting. What is open may end by itself for `limitMs`; then it is ended. */
  constructor(servers: Iterable<Server>, edge: EdgeContext, limitMs: number) {
    this.#servers = [...servers]
    this.#edge = edge
    this.#endsAtMs = edge.clock.now() + limitMs
    edge.stopping = true
    this.#closed = Promise.all(this.#servers.map(closed)).then(() => this.#finish())
    for (const exchange of edge.open) {
      // A connection whose answer began before this moment was promised to be kept.
      exchange.response.once('close', () => this.#closeIdleConnections())
      // A subscription ends with the relay and never before it; its client subscribes again elsewhere.
      if (exchange.method === 'subscriptions/listen') exchange.stop()
    }
    for (const opened of [...edge.openedStreams]) {
      opened.response.once('close', () => this.#closeIdleConnections())
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
    setImmediate(() => {
      for (const server of this.#servers) server.closeAllConnections()
    })
  }

  #closeIdleConnections(): void {
    for (const server of this.#servers) server.closeIdleConnections()
  }

  #finish(): void {
    if (this.#timer !== undefined) this.#edge.clock.clearTimeout(this.#timer)
    this.#timer = undefined
    // Calls whose clients left earlier.
    for (const exchange of [...this.#edge.open]) exchange.stop()
    this.#edge.sessions.clear()
  }
}

/** One that is leaving already is waited for as well. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (server.listening) server.close(() => resolve())
    else server.once('close', resolve)
  })
}
