import type { ServerResponse } from 'node:http'
import type { CallReply } from '../../exchanges/contract.ts'
import type { EdgeContext } from './edge-context.ts'
import { type EdgeError, type ErrorContext, errorBody } from './edge-error.ts'
import { CLOSE, sendError, sendJson } from './respond.ts'
import { type Pushed, SseStream } from './sse-stream.ts'

export interface AnswerOptions {
  /** Status and headers depend on the reply: what comes before it waits for it. */
  readonly held: boolean
  /** The client took everything that waited. */
  readonly onRelief: () => void
  /** The client took nothing for too long. */
  readonly onStall: () => void
}

type State =
  /** Nothing has been sent. */
  | { readonly at: 'silent' }
  /** Nothing has been sent, and these wait for the head. */
  | { readonly at: 'held'; readonly events: Uint8Array[]; octets: number }
  | { readonly at: 'streaming'; readonly stream: SseStream }
  /** It is complete, though some of it may still wait for the client. */
  | { readonly at: 'given' }

/** What the client gets for one request: JSON where the response is the first thing, an event stream where it is not. */
export class Answer {
  readonly #edge: EdgeContext
  readonly #response: ServerResponse
  readonly #options: AnswerOptions
  #state: State

  constructor(edge: EdgeContext, response: ServerResponse, options: AnswerOptions) {
    this.#edge = edge
    this.#response = response
    this.#options = options
    this.#state = options.held ? { at: 'held', events: [], octets: 0 } : SILENT
  }

  /** Whether the client has seen a status already. */
  get begun(): boolean {
    return this.#state.at === 'streaming' || this.#state.at === 'given'
  }

  notification(text: Uint8Array): Pushed {
    const state = this.#state
    switch (state.at) {
      case 'silent':
        return this.#openStream([]).event(text)
      case 'streaming':
        return state.stream.event(text)
      case 'held':
        state.octets += text.length
        if (state.octets > this.#edge.limits.maxBufferedOctets) return 'overflow'
        state.events.push(text)
        return 'ok'
      case 'given':
        return 'ok'
    }
  }

  /** The response. `head` is asked for only where nothing has been sent. */
  response({ octets: text, release }: Pick<CallReply, 'octets' | 'release'>, head: () => Head): void {
    const state = this.#state
    // Not before: the system still reads from them.
    if (release !== undefined) this.#response.once('finish', release)
    if (state.at === 'streaming') state.stream.last(text)
    else if (state.at === 'held' && state.events.length > 0) this.#streamHeld(state.events, text, head())
    else if (state.at !== 'given') {
      const { status, headers } = head()
      sendJson(this.#edge, this.#response, status, text, headers)
    }
    this.#state = GIVEN
  }

  /** An error of the edge's own in place of the response. */
  error(error: EdgeError, context: ErrorContext): void {
    const state = this.#state
    if (state.at === 'streaming') state.stream.last(errorBody(error, context))
    else if (state.at !== 'given') sendError(this.#edge, this.#response, error, context)
    this.#state = GIVEN
  }

  /** Ends without any response: an event stream that says nothing more. */
  nothing(): void {
    const state = this.#state
    if (state.at === 'given') return
    const stream = state.at === 'streaming' ? state.stream : this.#openStream([])
    stream.end()
    this.#state = GIVEN
  }

  /** Lets everybody in between see that the answer is alive; that it will be a stream is decided by this. */
  keepAlive(): void {
    if (this.#state.at === 'silent') this.#openStream([]).comment()
    else if (this.#state.at === 'streaming') this.#state.stream.comment()
  }

  #streamHeld(events: readonly Uint8Array[], text: Uint8Array, { headers }: Head): void {
    const stream = this.#openStream(headers)
    for (const event of events) stream.event(event)
    stream.last(text)
  }

  #openStream(headers: readonly string[]): SseStream {
    const { clock, limits, metrics, stopping } = this.#edge
    metrics.responded(200)
    const stream = new SseStream(this.#response, {
      clock,
      stallMs: limits.stallMs,
      maxBufferedOctets: limits.maxBufferedOctets,
      headers: stopping ? [...headers, ...CLOSE] : headers,
      onChanges: (octets) => metrics.lineEndsChanged.add(octets),
      onRelief: this.#options.onRelief,
      onStall: this.#options.onStall,
    })
    this.#state = { at: 'streaming', stream }
    return stream
  }
}

export interface Head {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
}

const SILENT: State = { at: 'silent' }
const GIVEN: State = { at: 'given' }
