import { concatOctets } from './octets.ts'

/** What counts as small, and the size of a block. */
const SMALL_CHUNK_OCTETS = 4096
/** Consumed places at the front of the list that are tolerated. */
const COMPACT_AT = 64
const EMPTY = new Uint8Array(0)
/** Shared by all queues that hold nothing. */
const NO_CHUNKS: Uint8Array[] = []

/**
 * A first-in, first-out queue of octets. Chunks are kept by reference, but a small one behind another small one is copied
 * into a block of ours: a peer that writes octet by octet must not make us hold an object for each.
 */
export class ChunkQueue {
  #chunks = NO_CHUNKS
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
    if (this.#length === 0) this.#chunks = [chunk]
    else if (chunk.length < SMALL_CHUNK_OCTETS && this.#endsSmall()) this.#append(chunk)
    else this.#add(chunk)
    this.#length += chunk.length
  }

  /** Makes the next `count` octets, of at least that many, lie in one chunk: `first`, from `offset` on. */
  gather(count: number): void {
    if (this.first.length - this.#offset >= count) return
    const joined = concatOctets(this.take(count))
    const behind = this.#length === 0 ? [] : [this.first.subarray(this.#offset), ...this.#chunks.slice(this.#head + 1)]
    this.#chunks = [joined, ...behind]
    this.#head = 0
    this.#offset = 0
    this.#length += count
  }

  get first(): Uint8Array {
    return this.#chunks[this.#head] ?? EMPTY
  }

  get offset(): number {
    return this.#offset
  }

  /** Drops octets that were gathered. */
  skip(count: number): void {
    this.#closeBlock()
    this.#advance(this.first, count)
  }

  /** The next `count` octets, of at least that many, as views: one for each chunk that they lie in. */
  take(count: number): Uint8Array[] {
    const first = this.#takePart(count)
    const pieces = [first]
    for (let missing = count - first.length; missing > 0; ) {
      const part = this.#takePart(missing)
      pieces.push(part)
      missing -= part.length
    }
    return pieces
  }

  #takePart(most: number): Uint8Array {
    if (most === 0) return EMPTY
    this.#closeBlock()
    const chunk = this.first
    const part = chunk.subarray(this.#offset, this.#offset + most)
    this.#advance(chunk, part.length)
    return part
  }

  #endsSmall(): boolean {
    return this.#block !== undefined || (this.#chunks.at(-1) ?? EMPTY).length < SMALL_CHUNK_OCTETS
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
    this.#length -= count
    this.#offset += count
    if (this.#offset < chunk.length) return
    this.#offset = 0
    if (this.#length === 0) {
      this.#chunks = NO_CHUNKS
      this.#head = 0
      return
    }
    this.#chunks[this.#head] = EMPTY
    this.#head += 1
    if (this.#head === COMPACT_AT) {
      this.#chunks = this.#chunks.slice(this.#head)
      this.#head = 0
    }
  }
}
