import { OUTCOME } from '@causeway/npamp'
import type { CallFailure } from '../../exchanges/contract.ts'
import { authenticationRequired, lost, noEndpoint, notReached } from './failures.ts'
import type { SessionStream } from './session-stream.ts'
import type { SseEvent } from './sse.ts'
import { StreamConnection, type StreamEnd, type StreamMessages } from './stream-connection.ts'
import { StreamPosition } from './stream-position.ts'
import type { Upstream } from './upstream.ts'

export interface EndpointStreamListener {
  readonly messages: StreamMessages
  /** Once: path and query that the messages of the session are posted to. */
  endpoint(path: string): void
  /** There is none, or the stream is over, and the session with it. Nothing is told after it. */
  over(failure: CallFailure): void
}

/**
 * The one stream of a session of revision 2024-11-05 (HTTP+SSE): its first event says where to post, and all that the
 * backend says comes on it.
 */
export class EndpointStream implements SessionStream {
  readonly #upstream: Upstream
  readonly #listener: EndpointStreamListener
  readonly #connection: StreamConnection
  #limit: unknown
  #hasEndpoint = false
  #over = false

  constructor(upstream: Upstream, listener: EndpointStreamListener) {
    this.#upstream = upstream
    this.#listener = listener
    this.#limit = upstream.clock.setTimeout(
      () => this.#end(noEndpoint('it did not say in time where to post')),
      upstream.endpointLimitMs,
    )
    const { messages } = listener
    this.#connection = new StreamConnection(
      upstream,
      { path: upstream.path, headers: ['accept', 'text/event-stream'] },
      new StreamPosition(),
      {
        messages: {
          message: (message) => messages.message(message),
          dropped: (reason) => messages.dropped(reason),
          otherEvent: (event) => this.#event(event),
        },
        over: (end) => this.#end(failureOf(end, this.#hasEndpoint)),
      },
    )
  }

  resume(): void {
    this.#connection.resume()
  }

  close(): void {
    this.#over = true
    this.#upstream.clock.clearTimeout(this.#limit)
    this.#connection.abort()
  }

  #event(event: SseEvent): void {
    if (event.type !== 'endpoint' || this.#hasEndpoint) {
      this.#listener.messages.otherEvent(event)
      return
    }
    const path = endpointPath(event.data, this.#upstream.url)
    if (path === undefined) {
      this.#end(noEndpoint('the place to post to that it names is no URL of its own origin'))
      return
    }
    this.#hasEndpoint = true
    this.#upstream.clock.clearTimeout(this.#limit)
    this.#listener.endpoint(path)
  }

  #end(failure: CallFailure): void {
    if (this.#over) return
    this.close()
    this.#listener.over(failure)
  }
}

const MOST_ENDPOINT_OCTETS = 8 * 1024

/** Relative to the stream's own URL. Another origin would get what is meant for this one: credentials and messages. */
function endpointPath(data: Uint8Array, base: URL): string | undefined {
  if (data.length > MOST_ENDPOINT_OCTETS) return undefined
  const url = URL.parse(Buffer.from(data).toString(), base.href)
  return url === null || url.origin !== base.origin ? undefined : `${url.pathname}${url.search}`
}

function failureOf(end: StreamEnd, wasOpen: boolean): CallFailure {
  if (wasOpen) return lost(end.kind === 'ended' && end.error !== undefined ? end.error : new Error('ended'))
  switch (end.kind) {
    case 'refused':
      if (end.status === 401 || end.status === 403) return authenticationRequired(end.status, OUTCOME.NOT_DELIVERED)
      return noEndpoint(`it answered with HTTP status ${end.status}`, end.status)
    case 'unanswered':
      return notReached(end.error)
    case 'ended':
      return noEndpoint('it ended before it said where to post')
    case 'tooLarge':
      return noEndpoint(end.error.message)
  }
}
