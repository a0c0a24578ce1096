import { RELEASE_FROM_OCTETS, release } from '../../wire/octets.ts'

/** Pieces on their way to a socket, cut again into slices of about one size. They belong to the queue. */
export class WriteQueue {
  #pieces: Uint8Array[] = []
  /** Index of the first piece with octets left, and the first of those. */
  #head = 0
  #offset = 0
  #length = 0
  /** Large arrays of which nothing is left to be taken. */
  #spent: Uint8Array[] = []

  get length(): number {
    return this.#length
  }

  push(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      if (piece.length === 0) continue
      this.#pieces.push(piece)
      this.#length += piece.length
    }
  }

  /** The next octets, at most `maxOctets`: a view when one piece holds them all, else a joined copy. */
  take(maxOctets: number): Uint8Array {
    const count = Math.min(maxOctets, this.#length)
    const first = this.#takePart(count)
    if (first.length === count) return first
    const joined = Buffer.allocUnsafe(count)
    joined.set(first)
    for (let at = first.length; at < count; ) {
      const part = this.#takePart(count - at)
      joined.set(part, at)
      at += part.length
    }
    this.#noteSpent(joined)
    return joined
  }

  /** What was taken is with the socket now: the memory of large pieces is given back. */
  written(): void {
    if (this.#spent.length === 0) return
    for (const piece of this.#spent) release(piece)
    this.#spent = []
  }

  clear(): void {
    this.#pieces = []
    this.#head = 0
    this.#offset = 0
    this.#length = 0
  }

  #takePart(maxOctets: number): Uint8Array {
    const piece = this.#pieces[this.#head] ?? EMPTY
    const part = piece.subarray(this.#offset, this.#offset + maxOctets)
    this.#offset += part.length
    this.#length -= part.length
    if (this.#offset === piece.length) {
      this.#noteSpent(piece)
      this.#offset = 0
      this.#head += 1
      if (this.#length === 0) this.clear()
      else if (this.#head === COMPACT_AT) this.#compact()
    }
    return part
  }

  #noteSpent(octets: Uint8Array): void {
    if (octets.length >= RELEASE_FROM_OCTETS) this.#spent.push(octets)
  }

  /** A queue that never runs empty must not keep everything that ever went through it. */
  #compact(): void {
    this.#pieces = this.#pieces.slice(this.#head)
    this.#head = 0
  }
}

const COMPACT_AT = 64
const EMPTY = new Uint8Array(0)
