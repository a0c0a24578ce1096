import type { Dispatcher } from 'undici'
import type { Upstream } from './upstream.ts'

export type ResponseHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly path: string
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: Uint8Array | undefined
}

/** What a Post tells, in this order: head, chunks, end; an error may take the place of any rest. */
export interface ResponseReceiver {
  /** The final status; informational ones are not told. */
  head(status: number, headers: ResponseHeaders): void
  /** May still come after `pause()` when the connection ends; the receiver keeps it. */
  chunk(octets: Uint8Array): void
  end(): void
  /** `Post.sent` says whether anything can have reached the backend. */
  error(error: Error): void
}

/** Without the header any content coding would be acceptable (RFC 9110 section 12.5.3), and hold events back. */
const UNCOMPRESSED = ['accept-encoding', 'identity']

/**
 * One HTTP request on a pool: sent at most once. undici calls `onRequestStart` in the same turn as, and right before, the first
 * write to a connected socket, and writes nothing when the handler aborts there; so whatever ends before it was not sent, and
 * whatever ends after it may have been (CARRIAGE section 4).
 */
export class Post implements Dispatcher.DispatchHandler {
  readonly #receiver: ResponseReceiver
  #controller: Dispatcher.DispatchController | undefined
  #sent = false
  #over = false
  #paused = false

  /**
   * Dispatches after the current turn: undici must not be entered from the callbacks of another response, which is where
   * many posts begin.
   */
  constructor(upstream: Pick<Upstream, 'pools' | 'headers'>, request: HttpRequest, receiver: ResponseReceiver) {
    this.#receiver = receiver
    const { method, path, body } = request
    const headers = [...request.headers, ...UNCOMPRESSED, ...upstream.headers]
    // A stream that nothing happens on may begin with its first event.
    const limits = method === 'GET' ? { headersTimeout: 0 } : {}
    queueMicrotask(() => {
      if (!this.#over) upstream.pools.newest.dispatch({ method, path, headers, body: body ?? null, ...limits }, this)
    })
  }

  /** True from the moment the first octet may have left. */
  get sent(): boolean {
    return this.#sent
  }

  /** Nothing more is told, and the connection is closed when the request was on it. A request not yet sent never is. */
  abort(): void {
    if (this.#over) return
    this.#over = true
    this.#controller?.abort(new Error('aborted'))
  }

  pause(): void {
    this.#paused = true
    this.#controller?.pause()
  }

  resume(): void {
    this.#paused = false
    // Not from the callbacks of another response, as above.
    queueMicrotask(() => {
      if (!this.#paused && !this.#over) this.#controller?.resume()
    })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A second start would be a second sending.
    if (this.#over || this.#sent) {
      controller.abort(new Error('aborted'))
      return
    }
    this.#controller = controller
    this.#sent = true
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (!this.#over && status >= 200) this.#receiver.head(status, headers)
  }

  onResponseData(_controller: Dispatcher.DispatchController, octets: Uint8Array): void {
    if (!this.#over) this.#receiver.chunk(octets)
  }

  onResponseEnd(): void {
    if (this.#over) return
    this.#over = true
    this.#receiver.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#over) return
    this.#over = true
    this.#receiver.error(error)
  }
}
