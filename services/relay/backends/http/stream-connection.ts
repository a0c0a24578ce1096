import type { LimitError } from '@causeway/npamp'
import { MessageBody, type MessageListener } from './message-body.ts'
import { Post, type ResponseHeaders, type ResponseReceiver } from './post.ts'
import { isEventStream } from './status.ts'
import type { StreamPosition } from './stream-position.ts'
import type { Upstream } from './upstream.ts'

export interface StreamMessages extends Pick<MessageListener, 'message' | 'dropped' | 'otherEvent'> {
  /** As of a CallSink. */
  arriving?(octets: number): 'ok' | 'wait'
}

export interface ConnectionListener {
  readonly messages: StreamMessages
  /** The backend has given its status. */
  answered?(): void
  /** Once, and nothing after it. */
  over(end: StreamEnd): void
}

export type StreamEnd =
  /** The answer is no event stream. */
  | { readonly kind: 'refused'; readonly status: number; readonly headers: ResponseHeaders }
  /** There is none. */
  | { readonly kind: 'unanswered'; readonly error: Error }
  /** It ended; with an error when the connection broke. */
  | { readonly kind: 'ended'; readonly error: Error | undefined }
  | { readonly kind: 'tooLarge'; readonly error: LimitError }

/** One GET and the event stream that answers it. */
export class StreamConnection implements ResponseReceiver {
  readonly #listener: ConnectionListener
  readonly #post: Post
  readonly #body: MessageBody
  #live = false
  #over = false
  #broken: Error | undefined

  constructor(
    upstream: Upstream,
    request: { readonly path: string; readonly headers: readonly string[] },
    position: StreamPosition,
    listener: ConnectionListener,
  ) {
    this.#listener = listener
    const { maxReplyOctets: maxOctets, maxBatchMessages } = upstream
    const { messages } = listener
    this.#body = new MessageBody(
      { kind: 'sse', maxOctets, maxBatchMessages, position },
      {
        message: (message) => {
          const answer = messages.message(message)
          if (answer === 'wait') this.#post.pause()
          return answer
        },
        dropped: (reason) => messages.dropped(reason),
        otherEvent: (event) => messages.otherEvent(event),
        tooLarge: (error) => this.#end({ kind: 'tooLarge', error }),
        finished: () => this.#end({ kind: 'ended', error: this.#broken }),
      },
    )
    this.#post = new Post(upstream, { method: 'GET', ...request, body: undefined }, this)
  }

  /** Whether the event stream has begun. */
  get live(): boolean {
    return this.#live
  }

  /** After a 'wait'. */
  resume(): void {
    if (this.#over) return
    this.#post.resume()
    this.#body.resume()
    this.#tellArriving()
  }

  /** Nothing more is told. */
  abort(): void {
    this.#over = true
    this.#post.abort()
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#live = isEventStream(status, headers)
    this.#listener.answered?.()
    if (!this.#live) this.#end({ kind: 'refused', status, headers })
  }

  chunk(octets: Uint8Array): void {
    if (this.#over) return
    this.#body.push(octets)
    this.#tellArriving()
  }

  end(): void {
    if (!this.#over) this.#body.end(true)
  }

  error(error: Error): void {
    if (this.#over) return
    this.#broken = error
    if (this.#live) this.#body.end(false)
    else this.#end({ kind: 'unanswered', error })
  }

  #tellArriving(): void {
    if (!this.#over && this.#listener.messages.arriving?.(this.#body.heldOctets) === 'wait') this.#post.pause()
  }

  #end(end: StreamEnd): void {
    if (this.#over) return
    this.abort()
    this.#listener.over(end)
  }
}
