import type { ServerResponse } from 'node:http'
import type { CallReply } from '../../exchanges/contract.ts'
import type { NorthboundSession } from '../../sessions/northbound-session.ts'
import type { EdgeContext } from './edge-context.ts'
import { type EdgeError, type ErrorContext, errorBody } from './edge-error.ts'
import { sendError, sendJson } from './respond.ts'
import { showStream } from './show-stream.ts'
import { type Pushed, SseStream } from './sse-stream.ts'

/** What the client gets for one request. */
export interface Answer {
  /** Whether the client has seen a status already. */
  readonly begun: boolean
  /** Whether a client that lost its connection can come back for the rest of it. */
  readonly resumable: boolean
  /** Something of the server's before the response; `onLost` is called if the client can never see it. */
  notification(text: Uint8Array, onLost?: () => void): Pushed
  /** The response. `head` is asked for only where nothing has been sent. */
  response(reply: Pick<CallReply, 'octets' | 'release'>, head: () => Head): void
  /** An error of the edge's own in place of the response. */
  error(error: EdgeError, context: ErrorContext): void
  /** Ends without any response: an event stream that says nothing more. */
  nothing(): void
  /** Decides that it will be a stream, as the response is slow to come. */
  openStream(headers?: readonly string[]): void
}

export interface AnswerEvents {
  /** The client took everything that waited, or whoever waited for that need not any more. */
  readonly onRelief: () => void
  /** The client took nothing for too long. */
  readonly onStall: () => void
}

export interface Head {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
}

/** Where the events of an answer go: into one response, or into a stream of the session that may outlive it. */
export interface EventStream {
  event(text: Uint8Array, onLost?: () => void): Pushed
  last(text: Uint8Array, release?: () => void): void
  end(): void
}

export interface SingleAnswerOptions extends AnswerEvents {
  /** Status and headers depend on the reply: what comes before it waits for it. */
  readonly held: boolean
  /** Whose client may come back for it. */
  readonly session: NorthboundSession | undefined
}

type State =
  /** Nothing has been sent. */
  | { readonly at: 'silent' }
  /** Nothing has been sent, and these wait for the head. */
  | { readonly at: 'held'; readonly events: Uint8Array[]; octets: number }
  | { readonly at: 'streaming'; readonly stream: EventStream }
  /** It is complete, though some of it may still wait for the client. */
  | { readonly at: 'given' }

/** JSON where the response is the first thing; an event stream where it is not, or where a client may come back for it. */
export class SingleAnswer implements Answer {
  readonly #edge: EdgeContext
  readonly #response: ServerResponse
  readonly #options: SingleAnswerOptions
  #state: State

  constructor(edge: EdgeContext, response: ServerResponse, options: SingleAnswerOptions) {
    this.#edge = edge
    this.#response = response
    this.#options = options
    this.#state = options.held ? { at: 'held', events: [], octets: 0 } : SILENT
  }

  get begun(): boolean {
    return this.#state.at === 'streaming' || this.#state.at === 'given'
  }

  get resumable(): boolean {
    return this.#state.at === 'streaming' && this.#options.session !== undefined
  }

  notification(text: Uint8Array, onLost?: () => void): Pushed {
    const state = this.#state
    switch (state.at) {
      case 'silent':
        return this.#stream([]).event(text, onLost)
      case 'streaming':
        return state.stream.event(text, onLost)
      case 'held':
        state.octets += text.length
        if (state.octets > this.#edge.limits.maxBufferedOctets) return 'overflow'
        state.events.push(text)
        return 'ok'
      case 'given':
        return 'ok'
    }
  }

  response({ octets: text, release }: Pick<CallReply, 'octets' | 'release'>, head: () => Head): void {
    const state = this.#state
    if (state.at === 'streaming') state.stream.last(text, release)
    else if (state.at === 'held' && state.events.length > 0) {
      this.#streamHeld(state.events, head().headers).last(text, release)
    } else if (state.at !== 'given') this.#whole({ octets: text, release }, head())
    this.#state = GIVEN
  }

  #whole({ octets: text, release }: Pick<CallReply, 'octets' | 'release'>, { status, headers }: Head): void {
    // In a session it is what the servers of both SDKs send, and a client that loses it on the way can come back for it.
    if (status === 200 && this.#state.at === 'silent' && this.#options.session !== undefined) {
      this.#stream(headers).last(text, release)
    } else {
      // Not before: the system still reads from them.
      if (release !== undefined) this.#response.once('finish', release)
      sendJson(this.#edge, this.#response, status, text, headers)
    }
  }

  error(error: EdgeError, context: ErrorContext): void {
    const state = this.#state
    if (state.at === 'streaming') state.stream.last(errorBody(error, context))
    else if (state.at !== 'given') sendError(this.#edge, this.#response, error, context)
    this.#state = GIVEN
  }

  nothing(): void {
    const state = this.#state
    if (state.at === 'given') return
    // Nobody shall come back to a stream that says nothing, so it is none of the session.
    if (state.at === 'streaming') state.stream.end()
    else new SseStream(this.#edge, this.#response, { headers: [], ...this.#options }).end()
    this.#state = GIVEN
  }

  openStream(headers: readonly string[] = []): void {
    const state = this.#state
    if (state.at === 'silent') this.#stream(headers, true)
    else if (state.at === 'held') this.#streamHeld(state.events, headers)
  }

  #streamHeld(events: readonly Uint8Array[], headers: readonly string[]): EventStream {
    const stream = this.#stream(headers)
    for (const event of events) stream.event(event)
    return stream
  }

  #stream(headers: readonly string[], speaks = false): EventStream {
    const stream = openEventStream(this.#edge, this.#response, { headers, speaks, ...this.#options })
    this.#state = { at: 'streaming', stream }
    return stream
  }
}

const SILENT: State = { at: 'silent' }
const GIVEN: State = { at: 'given' }

export interface EventStreamOptions extends AnswerEvents {
  readonly session: NorthboundSession | undefined
  /** Names and values in turn. */
  readonly headers: readonly string[]
  /** There is no event yet, but the client shall see that the stream is there. */
  readonly speaks: boolean
}

/** The response of a POST as an event stream; with a session, one that the client can come back to. */
export function openEventStream(edge: EdgeContext, response: ServerResponse, options: EventStreamOptions): EventStream {
  const { session, headers, speaks, onRelief } = options
  if (session !== undefined) {
    const stream = session.openStream(onRelief)
    const view = showStream(edge, response, stream, { headers })
    if (speaks && !session.primes) view.comment()
    return stream
  }
  const stream = new SseStream(edge, response, options)
  if (speaks) stream.comment()
  return {
    event: (text) => stream.event(text),
    last: (text, release) => stream.last(text, undefined, release),
    end: () => stream.end(),
  }
}
