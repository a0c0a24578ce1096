import { Gathered } from '../../octets/gathered.ts'

/** One line of a process's output, without its end. */
export type Line =
  | { readonly kind: 'line'; readonly octets: Uint8Array }
  /** It was longer than the limit and not kept. `head` and `tail`: its first and last octets, `EDGE_OCTETS` of each. */
  | { readonly kind: 'tooLong'; readonly length: number; readonly head: Uint8Array; readonly tail: Uint8Array }

/**
 * Cuts a stream of octets into lines at LF, with or without a CR before it, wherever its pieces end. Never holds more than
 * the limit and the piece that was pushed last. Lines are pulled, so that whoever takes them can stop at any of them.
 */
export class LineReader {
  readonly #maxOctets: number
  #chunks: Uint8Array[] = []
  /** Where the next line goes on in the first chunk. */
  #at = 0
  #line = new Gathered()
  #tooLong: { length: number; head: Uint8Array; tail: Uint8Array } | undefined
  #ended = false

  /** @param maxOctets of one line; at least `EDGE_OCTETS`. */
  constructor(maxOctets: number) {
    this.#maxOctets = maxOctets
  }

  /** Octets of a line whose end has not come. */
  get heldOctets(): number {
    return this.#line.octets
  }

  push(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#chunks.push(chunk)
  }

  /** Nothing more comes: what is left is a line too. */
  end(): void {
    this.#ended = true
  }

  /** The next whole line; blank ones are left out. */
  next(): Line | undefined {
    for (;;) {
      const isWhole = this.#advance()
      if (!isWhole && !(this.#ended && (this.#line.octets > 0 || this.#tooLong !== undefined))) return undefined
      const line = this.#take()
      if (line !== undefined) return line
    }
  }

  /** Moves on to the end of the line; false when it has not come yet. */
  #advance(): boolean {
    for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
      const end = chunk.indexOf(LF, this.#at)
      this.#add(chunk.subarray(this.#at, end === -1 ? chunk.length : end))
      this.#at = end + 1
      if (end === -1 || this.#at === chunk.length) {
        this.#chunks.shift()
        this.#at = 0
      }
      if (end !== -1) return true
    }
    return false
  }

  #add(piece: Uint8Array): void {
    if (this.#tooLong === undefined) {
      if (this.#line.octets + piece.length <= this.#maxOctets) {
        this.#line.push(piece)
        return
      }
      const held = this.#line.join()
      this.#line = new Gathered()
      const head = Buffer.concat([held.subarray(0, EDGE_OCTETS), piece.subarray(0, EDGE_OCTETS)])
      this.#tooLong = { length: held.length, head: head.subarray(0, EDGE_OCTETS), tail: lastOf(held) }
    }
    const { tail } = this.#tooLong
    this.#tooLong.length += piece.length
    this.#tooLong.tail = lastOf(Buffer.concat([tail, lastOf(piece)]))
  }

  #take(): Line | undefined {
    if (this.#tooLong !== undefined) {
      const line: Line = { kind: 'tooLong', ...this.#tooLong }
      this.#tooLong = undefined
      return line
    }
    if (this.#line.octets === 0) return undefined
    const whole = this.#line.join()
    this.#line = new Gathered()
    const octets = whole.at(-1) === CR ? whole.subarray(0, -1) : whole
    return isBlank(octets) ? undefined : { kind: 'line', octets }
  }
}

function isBlank(octets: Uint8Array): boolean {
  return octets.every((octet) => octet === 0x20 || octet === 0x09 || octet === CR)
}

function lastOf(octets: Uint8Array): Uint8Array {
  return Buffer.from(octets.subarray(Math.max(0, octets.length - EDGE_OCTETS)))
}

const EDGE_OCTETS = 512
const LF = 0x0a
const CR = 0x0d
