/** Pieces from this size on are kept as they came; smaller ones are copied together. */
const KEEP_OCTETS = 4 * 1024
const LEAST_BLOCK_OCTETS = 4 * 1024
const MOST_BLOCK_OCTETS = 64 * 1024

/**
 * The pieces of something that is put together at its end. A sender chooses how small its pieces are, and an object for
 * each octet takes a hundred times the memory of the octet: so small pieces are copied into blocks. What comes in one piece
 * is never copied.
 */
export class Gathered {
  readonly #whole: Uint8Array[] = []
  #octets = 0
  /** Copies stand in `[#start, #end)` of it. */
  #block: Uint8Array = EMPTY
  #start = 0
  #end = 0

  get octets(): number {
    return this.#octets
  }

  push(piece: Uint8Array): void {
    if (piece.length === 0) return
    const isFirst = this.#octets === 0
    this.#octets += piece.length
    if (isFirst || piece.length >= KEEP_OCTETS) {
      this.#seal()
      this.#whole.push(piece)
    } else this.#copy(piece)
  }

  /** All pieces as one; the piece itself where there is only one. Called once. */
  join(): Uint8Array {
    this.#seal()
    const [only = EMPTY] = this.#whole
    return this.#whole.length <= 1 ? only : Buffer.concat(this.#whole, this.#octets)
  }

  #copy(piece: Uint8Array): void {
    if (this.#block.length - this.#end < piece.length) {
      this.#seal()
      const octets = Math.min(Math.max(this.#octets, LEAST_BLOCK_OCTETS), MOST_BLOCK_OCTETS)
      this.#block = Buffer.allocUnsafe(octets)
      this.#start = 0
      this.#end = 0
    }
    this.#block.set(piece, this.#end)
    this.#end += piece.length
  }

  /** What has been copied so far becomes a piece; the rest of the block is used for the next. */
  #seal(): void {
    if (this.#end > this.#start) this.#whole.push(this.#block.subarray(this.#start, this.#end))
    this.#start = this.#end
  }
}

const EMPTY = new Uint8Array(0)
