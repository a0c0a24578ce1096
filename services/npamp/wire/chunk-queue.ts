/** Chunks below this are copied together, so that a peer that writes octet by octet cannot make us hold an object for each. */
const SMALL_CHUNK_OCTETS = 4096
/** Consumed places at the front of the list that are tolerated. */
const COMPACT_AT = 64
const EMPTY = new Uint8Array(0)

/**
 * A first-in, first-out queue of octets. Chunks are kept by reference, small ones behind unfinished ones are copied into a
 * block of ours.
 */
export class ChunkQueue {
  #chunks: Uint8Array[] = []
  /** Index of the first chunk with octets left, and the first of those. */
  #head = 0
  #offset = 0
  /** The last chunk, when it is a block of ours that takes more, and how much of it is filled. */
  #block: Uint8Array | undefined
  #filled = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    const behind = this.#length > 0
    this.#length += chunk.length
    if (behind && chunk.length < SMALL_CHUNK_OCTETS) this.#append(chunk)
    else this.#add(chunk)
  }

  /** The next `count` octets, of at least that many: a view when one chunk holds them all, else one joined copy. */
  take(count: number): Uint8Array {
    this.#closeBlock()
    this.#length -= count
    const first = this.#chunks[this.#head] ?? EMPTY
    if (first.length - this.#offset >= count) {
      const octets = first.subarray(this.#offset, this.#offset + count)
      this.#advance(first, count)
      return octets
    }
    const joined = new Uint8Array(count)
    for (let at = 0; at < count; ) {
      const chunk = this.#chunks[this.#head] ?? EMPTY
      const part = chunk.subarray(this.#offset, this.#offset + count - at)
      joined.set(part, at)
      at += part.length
      this.#advance(chunk, part.length)
    }
    return joined
  }

  #append(chunk: Uint8Array): void {
    const block = this.#block
    const room = block === undefined ? 0 : block.length - this.#filled
    const fits = Math.min(room, chunk.length)
    if (block !== undefined && fits > 0) {
      block.set(fits === chunk.length ? chunk : chunk.subarray(0, fits), this.#filled)
      this.#filled += fits
    }
    if (fits === chunk.length) return
    const rest = chunk.subarray(fits)
    const next = new Uint8Array(SMALL_CHUNK_OCTETS)
    next.set(rest)
    this.#add(next)
    this.#block = next
    this.#filled = rest.length
  }

  #add(chunk: Uint8Array): void {
    this.#closeBlock()
    this.#chunks.push(chunk)
  }

  /** Views of a block must end where it is filled; what comes later starts another one. */
  #closeBlock(): void {
    if (this.#block === undefined) return
    this.#chunks[this.#chunks.length - 1] = this.#block.subarray(0, this.#filled)
    this.#block = undefined
  }

  #advance(chunk: Uint8Array, count: number): void {
    this.#offset += count
    if (this.#offset < chunk.length) return
    this.#chunks[this.#head] = EMPTY
    this.#offset = 0
    this.#head += 1
    if (this.#head === this.#chunks.length || this.#head === COMPACT_AT) {
      this.#chunks = this.#chunks.slice(this.#head)
      this.#head = 0
    }
  }
}
