/** Chunks below this are copied together, so that a peer that writes octet by octet cannot make us hold an object for each. */
const SMALL_CHUNK_OCTETS = 4096
/** Consumed places at the front of the list that are tolerated. */
const COMPACT_AT = 64

/** A first-in, first-out queue of octets. Chunks are kept by reference, small ones behind an unfinished one are copied. */
export class ChunkQueue {
  #chunks: Uint8Array[] = []
  /** Index of the first chunk with octets left, and the first of those. */
  #head = 0
  #offset = 0
  /** Free room behind the last chunk when that one is a copy of ours. */
  #spare: Uint8Array = EMPTY
  #length = 0

  get length(): number {
    return this.#length
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    this.#length += chunk.length
    if (chunk.length >= SMALL_CHUNK_OCTETS || this.#length === chunk.length) {
      this.#spare = EMPTY
      this.#chunks.push(chunk)
    } else {
      this.#append(chunk)
    }
  }

  /** The next `count` octets, of at least that many: a view when one chunk holds them all, else one joined copy. */
  take(count: number): Uint8Array {
    const first = this.#chunks[this.#head] ?? EMPTY
    this.#length -= count
    if (first.length - this.#offset >= count) {
      const octets = first.subarray(this.#offset, this.#offset + count)
      this.#advance(first, count)
      return octets
    }
    const joined = new Uint8Array(count)
    for (let filled = 0; filled < count; ) {
      const chunk = this.#chunks[this.#head] ?? EMPTY
      const part = chunk.subarray(this.#offset, this.#offset + count - filled)
      joined.set(part, filled)
      filled += part.length
      this.#advance(chunk, part.length)
    }
    return joined
  }

  #advance(chunk: Uint8Array, count: number): void {
    this.#offset += count
    if (this.#offset < chunk.length) return
    this.#chunks[this.#head] = EMPTY
    this.#offset = 0
    this.#head += 1
    if (this.#head === this.#chunks.length) {
      this.#chunks = []
      this.#head = 0
      this.#spare = EMPTY
    } else if (this.#head === COMPACT_AT) {
      this.#chunks = this.#chunks.slice(this.#head)
      this.#head = 0
    }
  }

  #append(chunk: Uint8Array): void {
    const fits = Math.min(this.#spare.length, chunk.length)
    if (fits > 0) {
      this.#spare.set(chunk.subarray(0, fits))
      this.#growLast(fits)
    }
    if (fits === chunk.length) return
    const rest = chunk.subarray(fits)
    const owned = new Uint8Array(SMALL_CHUNK_OCTETS)
    owned.set(rest)
    this.#chunks.push(owned.subarray(0, rest.length))
    this.#spare = owned.subarray(rest.length)
  }

  #growLast(count: number): void {
    const last = this.#chunks.length - 1
    const chunk = this.#chunks[last] ?? EMPTY
    this.#chunks[last] = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length + count)
    this.#spare = this.#spare.subarray(count)
  }
}

const EMPTY = new Uint8Array(0)
