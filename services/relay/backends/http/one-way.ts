import { readMessage } from './message.ts'
import { type HttpRequest, Post, type ResponseHeaders, type ResponseReceiver } from './post.ts'
import { LINGER_MS, STATUS_LIMIT_MS, type Upstream } from './upstream.ts'

/** A request whose status is all that matters: a notification, a response to the backend, or the DELETE of a session. */
export interface OneWayListener {
  /** Once: the HTTP status, or 0 when none came. */
  settled(status: number): void
  /** A 404, or a 400 whose error has no id (CARRIAGE section 8): inside a session, the backend no longer knows it. */
  unknownSession(): void
}

export class OneWay implements ResponseReceiver {
  readonly #upstream: Upstream
  readonly #listener: OneWayListener
  readonly #post: Post
  #settled = false
  #status = 0
  #body: Uint8Array[] = []
  #octets = 0
  /** Until the status, then until the end of the body. */
  #timer: unknown

  constructor(upstream: Upstream, request: HttpRequest, listener: OneWayListener) {
    this.#upstream = upstream
    this.#listener = listener
    this.#timer = upstream.clock.setTimeout(() => this.abort(), STATUS_LIMIT_MS)
    this.#post = new Post(upstream, request, this)
  }

  abort(): void {
    this.#over()
    this.#post.abort()
    this.#settle(0)
  }

  head(status: number, _headers: ResponseHeaders): void {
    const { clock } = this.#upstream
    this.#over()
    this.#status = status
    this.#timer = clock.setTimeout(() => this.#post.abort(), LINGER_MS)
    this.#settle(status)
    if (status === 404) this.#listener.unknownSession()
  }

  chunk(octets: Uint8Array): void {
    this.#octets += octets.length
    if (this.#octets > MOST_BODY_OCTETS) {
      this.#over()
      this.#post.abort()
    } else if (this.#status === 400) {
      this.#body.push(octets)
    }
  }

  end(): void {
    this.#over()
    if (this.#status !== 400) return
    const message = readMessage(Buffer.concat(this.#body))
    if (message.kind === 'error' && message.idToken === undefined) this.#listener.unknownSession()
  }

  error(_error: Error): void {
    this.#over()
    this.#settle(0)
  }

  #settle(status: number): void {
    if (this.#settled) return
    this.#settled = true
    this.#listener.settled(status)
  }

  #over(): void {
    this.#upstream.clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

/** Nobody reads these bodies; a longer one costs the connection. */
const MOST_BODY_OCTETS = 64 * 1024
