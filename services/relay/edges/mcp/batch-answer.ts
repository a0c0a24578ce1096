import type { ServerResponse } from 'node:http'
import type { NorthboundSession } from '../../sessions/northbound-session.ts'
import { type Answer, type AnswerEvents, type EventStream, openEventStream } from './answer.ts'
import type { EdgeContext } from './edge-context.ts'
import { errorBody } from './edge-error.ts'
import { sendJson } from './respond.ts'
import type { Pushed } from './sse-stream.ts'
import { SseStream } from './sse-stream.ts'

/**
 * What the client gets for the requests of one batch: an array of the responses as they were written where nothing else
 * comes, an event stream with one event for each where something does.
 */
export class BatchAnswer {
  readonly #edge: EdgeContext
  readonly #response: ServerResponse
  readonly #session: NorthboundSession | undefined
  readonly #parts: AnswerEvents[] = []
  /** Requests that have not had their end. */
  #left: number
  #stream: EventStream | undefined
  #texts: { readonly octets: Uint8Array; readonly release: (() => void) | undefined }[] = []
  #heldOctets = 0

  constructor(edge: EdgeContext, response: ServerResponse, session: NorthboundSession | undefined, requests: number) {
    this.#edge = edge
    this.#response = response
    this.#session = session
    this.#left = requests
  }

  get streaming(): boolean {
    return this.#stream !== undefined
  }

  get resumable(): boolean {
    return this.#stream !== undefined && this.#session !== undefined
  }

  part(events: AnswerEvents): Answer {
    this.#parts.push(events)
    return new BatchPart(this)
  }

  event(text: Uint8Array, onLost: (() => void) | undefined): Pushed {
    return this.stream().event(text, onLost)
  }

  /** The end of one part; `octets` is its response, if it has one. */
  over(octets: Uint8Array | undefined, release?: () => void): void {
    this.#left--
    if (octets !== undefined) this.#give(octets, release)
    if (this.#left > 0) return
    if (this.#stream !== undefined) this.#stream.end()
    else if (this.#texts.length > 0) this.#giveArray()
    else new SseStream(this.#edge, this.#response, { headers: [], onRelief() {}, onStall() {} }).end()
  }

  /** Turns it into a stream, if it is none yet. */
  stream(speaks = false): EventStream {
    if (this.#stream !== undefined) return this.#stream
    this.#stream = openEventStream(this.#edge, this.#response, {
      session: this.#session,
      headers: [],
      speaks,
      onRelief: () => {
        for (const part of this.#parts) part.onRelief()
      },
      onStall: () => {
        for (const part of this.#parts) part.onStall()
      },
    })
    const texts = this.#texts
    this.#texts = []
    for (const { octets, release } of texts) this.#give(octets, release)
    return this.#stream
  }

  #give(octets: Uint8Array, release: (() => void) | undefined): void {
    if (this.#stream === undefined) {
      this.#texts.push({ octets, release })
      this.#heldOctets += octets.length
      // What was answered early need not wait in memory for what is answered late.
      if (this.#heldOctets > this.#edge.limits.maxBufferedOctets && this.#left > 0) this.stream()
      return
    }
    if (release !== undefined) this.#response.once('close', release)
    // A client that has left so much waiting takes no more either.
    if (this.#stream.event(octets) === 'overflow') this.#response.destroy()
  }

  #giveArray(): void {
    const pieces: Uint8Array[] = [OPEN]
    for (const [index, { octets }] of this.#texts.entries()) {
      if (index > 0) pieces.push(COMMA)
      pieces.push(octets)
    }
    pieces.push(CLOSE)
    const body = Buffer.concat(pieces)
    for (const { release } of this.#texts) release?.()
    sendJson(this.#edge, this.#response, 200, body)
  }
}

/** One request's share in the answer. */
class BatchPart implements Answer {
  readonly #batch: BatchAnswer
  #given = false

  constructor(batch: BatchAnswer) {
    this.#batch = batch
  }

  get begun(): boolean {
    return this.#given || this.#batch.streaming
  }

  get resumable(): boolean {
    return this.#batch.resumable
  }

  notification(text: Uint8Array, onLost?: () => void): Pushed {
    return this.#given ? 'ok' : this.#batch.event(text, onLost)
  }

  response({ octets, release }: Parameters<Answer['response']>[0]): void {
    this.#over(octets, release)
  }

  error(...[error, context]: Parameters<Answer['error']>): void {
    this.#over(errorBody(error, context))
  }

  nothing(): void {
    this.#over(undefined)
  }

  openStream(): void {
    this.#batch.stream(true)
  }

  #over(octets: Uint8Array | undefined, release?: () => void): void {
    if (this.#given) return
    this.#given = true
    this.#batch.over(octets, release)
  }
}

const OPEN = Buffer.from('[')
const COMMA = Buffer.from(',')
const CLOSE = Buffer.from(']')
