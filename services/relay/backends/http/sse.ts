import { LimitError } from '@causeway/npamp'
import { Gathered } from '../../octets/gathered.ts'

/** One event as the WHATWG event-stream format defines it, its data as octets. */
export interface SseEvent {
  /** The `event` field; '' when absent, which means `message`. */
  readonly type: string
  /** The data lines joined with LF (CARRIAGE section 3); empty for an event that only carries an id or a retry. */
  readonly data: Uint8Array
  /** The `id` field of this event, when it has one. */
  readonly id: string | undefined
  readonly retryMs: number | undefined
}

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const SPACE = 0x20
const EMPTY = new Uint8Array(0)
const LINE_END = Uint8Array.of(LF)
const BOM = [0xef, 0xbb, 0xbf] as const

/**
 * Incremental parser of `text/event-stream` over octets: chunks go in by `push`, events come out by `next`, so that a
 * reader may stop between two events. Data is never decoded; a data line that lies inside one chunk is not copied.
 *
 * @throws LimitError LENGTH from `next` when one event holds more than `maxEventOctets`; the parser is of no use after it.
 */
export class SseParser {
  readonly #maxEventOctets: number
  readonly #chunks: Uint8Array[] = []
  #position = 0
  /** Next CR in the first chunk at or after `#position`; saves searching a chunk without CR once for every line. */
  #nextCr = -1
  /** Pieces of a line that began in an earlier chunk. */
  #lineStart: Gathered | undefined
  /** A CR ended the last line: a LF right after it belongs to it. */
  #skipLf = false
  #firstLine = true
  #data: Gathered | undefined
  #type = ''
  #id: string | undefined
  #retryMs: number | undefined

  constructor(limits: { readonly maxEventOctets: number }) {
    this.#maxEventOctets = limits.maxEventOctets
  }

  /** Of events that `next` has not returned yet. */
  get heldOctets(): number {
    let octets = this.#dataOctets + (this.#lineStart?.octets ?? 0) - this.#position
    for (const chunk of this.#chunks) octets += chunk.length
    return octets
  }

  /** Kept by reference until it has been read. */
  push(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#chunks.push(chunk)
  }

  /** The next whole event, or undefined when more octets are needed. An event that the stream's end cuts is never told. */
  next(): SseEvent | undefined {
    for (;;) {
      const line = this.#nextLine()
      if (line === undefined) return undefined
      if (line.length > 0) {
        this.#field(line)
        continue
      }
      const event = this.#dispatch()
      if (event !== undefined) return event
    }
  }

  #nextLine(): Uint8Array | undefined {
    for (;;) {
      const chunk = this.#chunks[0]
      if (chunk === undefined) return undefined
      if (this.#skipLf) {
        this.#skipLf = false
        if (chunk[this.#position] === LF) this.#position += 1
      }
      const end = this.#lineEnd(chunk)
      if (end === -1) {
        this.#keepRest(chunk)
        continue
      }
      const line = this.#finishLine(chunk.subarray(this.#position, end))
      this.#skipLf = chunk[end] === CR
      this.#position = end + 1
      if (this.#position === chunk.length) this.#dropChunk()
      return line
    }
  }

  #lineEnd(chunk: Uint8Array): number {
    if (this.#nextCr < this.#position) {
      const found = chunk.indexOf(CR, this.#position)
      this.#nextCr = found === -1 ? chunk.length : found
    }
    const lf = chunk.indexOf(LF, this.#position)
    const end = lf === -1 ? this.#nextCr : Math.min(lf, this.#nextCr)
    return end === chunk.length ? -1 : end
  }

  #keepRest(chunk: Uint8Array): void {
    const rest = chunk.subarray(this.#position)
    this.#dropChunk()
    if (rest.length === 0) return
    this.#lineStart ??= new Gathered()
    this.#lineStart.push(rest)
    this.#checkSize(this.#lineStart.octets)
  }

  #dropChunk(): void {
    this.#chunks.shift()
    this.#position = 0
    this.#nextCr = -1
  }

  #finishLine(rest: Uint8Array): Uint8Array {
    let line = rest
    if (this.#lineStart !== undefined) {
      this.#lineStart.push(rest)
      line = this.#lineStart.join()
      this.#lineStart = undefined
    }
    this.#checkSize(line.length)
    if (!this.#firstLine) return line
    this.#firstLine = false
    return BOM.every((octet, i) => line[i] === octet) ? line.subarray(BOM.length) : line
  }

  #checkSize(lineOctets: number): void {
    if (this.#dataOctets + lineOctets > this.#maxEventOctets + FIELD_OVERHEAD) throw this.#tooLarge()
  }

  get #dataOctets(): number {
    return this.#data?.octets ?? 0
  }

  #tooLarge(): LimitError {
    return new LimitError(
      'LENGTH',
      `an event of the stream is larger than ${this.#maxEventOctets} octets (limits.maxReplyBytes of the relay)`,
    )
  }

  #field(line: Uint8Array): void {
    const colon = line.indexOf(COLON)
    if (colon === 0) return // a comment
    const nameEnd = colon === -1 ? line.length : colon
    let valueStart = colon === -1 ? line.length : colon + 1
    if (line[valueStart] === SPACE) valueStart += 1
    const value = line.subarray(valueStart)
    switch (nameEnd <= LONGEST_FIELD_NAME ? text(line.subarray(0, nameEnd)) : '') {
      case 'data':
        this.#addData(value)
        break
      case 'event':
        this.#type = text(value)
        break
      case 'id':
        if (!value.includes(0)) this.#id = text(value)
        break
      case 'retry':
        this.#retryMs = digits(value) ?? this.#retryMs
        break
    }
  }

  #addData(value: Uint8Array): void {
    if (this.#data === undefined) this.#data = new Gathered()
    else this.#data.push(LINE_END)
    this.#data.push(value)
    if (this.#dataOctets > this.#maxEventOctets) throw this.#tooLarge()
  }

  #dispatch(): SseEvent | undefined {
    const event: SseEvent = {
      type: this.#type,
      data: this.#data?.join() ?? EMPTY,
      id: this.#id,
      retryMs: this.#retryMs,
    }
    this.#data = undefined
    this.#type = ''
    this.#id = undefined
    this.#retryMs = undefined
    return event.data.length > 0 || event.id !== undefined || event.retryMs !== undefined ? event : undefined
  }
}

const LONGEST_FIELD_NAME = 5
/** Room for the field name and the blank before a value of the largest size. */
const FIELD_OVERHEAD = 6

const decoder = new TextDecoder()

function text(octets: Uint8Array): string {
  return decoder.decode(octets)
}

function digits(value: Uint8Array): number | undefined {
  const written = text(value)
  return /^[0-9]{1,9}$/.test(written) ? Number(written) : undefined
}
