import { LimitError } from '@causeway/npamp'
import { Gathered } from '../../octets/gathered.ts'
import { type SseEvent, SseParser } from './sse.ts'
import type { StreamPosition } from './stream-position.ts'

/** Turns the body of an answer into JSON texts. `end` may come while it waits; what was held is told first. */
export interface BodyReader {
  /** Read, and not told yet. */
  readonly heldOctets: number
  push(chunk: Uint8Array): void
  /** Nothing more comes; not `whole` when the connection broke. */
  end(whole: boolean): void
  resume(): void
}

export interface BodyListener {
  /** One JSON text, perhaps. Answers 'wait' to be told nothing more until `resume`. */
  text(octets: Uint8Array): 'ok' | 'wait'
  /** An SSE event of a type other than `message`. */
  otherEvent(event: SseEvent): void
  /** An event that an earlier connection of the same stream has told. */
  repeatedEvent(): void
  /** A body or an event beyond the limit; nothing is told after it. */
  tooLarge(error: LimitError): void
  /** All has been told. */
  finished(): void
}

/** The whole body is one JSON text. */
export class JsonBody implements BodyReader {
  readonly #listener: BodyListener
  readonly #maxOctets: number
  #body = new Gathered()
  #over = false
  #waiting = false

  constructor(listener: BodyListener, maxOctets: number) {
    this.#listener = listener
    this.#maxOctets = maxOctets
  }

  get heldOctets(): number {
    return this.#over ? 0 : this.#body.octets
  }

  push(chunk: Uint8Array): void {
    if (this.#over) return
    if (this.#body.octets + chunk.length > this.#maxOctets) {
      this.#over = true
      this.#body = new Gathered()
      this.#listener.tooLarge(tooLarge(this.#maxOctets))
      return
    }
    this.#body.push(chunk)
  }

  end(whole: boolean): void {
    if (this.#over) return
    this.#over = true
    this.#waiting = whole && this.#body.octets > 0 && this.#listener.text(this.#body.join()) === 'wait'
    if (!this.#waiting) this.#listener.finished()
  }

  resume(): void {
    if (!this.#waiting) return
    this.#waiting = false
    this.#listener.finished()
  }
}

/** Each `message` event of the stream is one JSON text. */
export class SseBody implements BodyReader {
  readonly #listener: BodyListener
  readonly #parser: SseParser
  readonly #position: StreamPosition | undefined
  #waiting = false
  #ended = false
  #over = false

  /** @param position of a stream that can be resumed: it is moved on, and tells what is repeated. */
  constructor(listener: BodyListener, maxOctets: number, position: StreamPosition | undefined) {
    this.#listener = listener
    this.#parser = new SseParser({ maxEventOctets: maxOctets })
    this.#position = position
  }

  get heldOctets(): number {
    return this.#over ? 0 : this.#parser.heldOctets
  }

  push(chunk: Uint8Array): void {
    this.#parser.push(chunk)
    this.#tell()
  }

  end(_whole: boolean): void {
    this.#ended = true
    this.#tell()
  }

  resume(): void {
    this.#waiting = false
    this.#tell()
  }

  #tell(): void {
    while (!this.#waiting && !this.#over) {
      const event = this.#next()
      if (event === undefined) break
      this.#tellEvent(event)
    }
    if (!this.#ended || this.#waiting || this.#over) return
    this.#over = true
    this.#listener.finished()
  }

  #tellEvent(event: SseEvent): void {
    if (this.#position?.note(event) === false) this.#listener.repeatedEvent()
    else if (event.type !== '' && event.type !== 'message') this.#listener.otherEvent(event)
    else if (event.data.length > 0) this.#waiting = this.#listener.text(event.data) === 'wait'
  }

  #next(): SseEvent | undefined {
    try {
      return this.#parser.next()
    } catch (error) {
      if (!(error instanceof LimitError)) throw error
      this.#over = true
      this.#listener.tooLarge(error)
      return undefined
    }
  }
}

function tooLarge(limitOctets: number): LimitError {
  return new LimitError('LENGTH', `the answer is larger than ${limitOctets} octets (limits.maxReplyBytes of the relay)`)
}
