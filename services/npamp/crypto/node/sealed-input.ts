const TAG_OCTETS = 16
/** Memory is kept up to this size; longer ciphertexts are handed out in parts of it. */
const MAX_PART_OCTETS = 1024 * 1024
const FIRST_OCTETS = 64 * 1024

/**
 * Brings what came in pieces into the arrays that node deciphers from, in memory that serves the next frame too: fresh
 * memory for each join costs a third of what opening does, and for a frame of megabytes several times as much. One for all
 * keys of a provider; nothing in it is secret.
 */
export class SealedInput {
  #joined = new Uint8Array(0)
  readonly #tag = new Uint8Array(TAG_OCTETS)

  /**
   * Tells the ciphertext to `use`, part by part, each valid only during that call; a single piece, or a part that lies in
   * one, is not copied.
   *
   * @param pieces ciphertext || tag.
   * @param ciphertextOctets without the tag.
   */
  eachPart(pieces: readonly Uint8Array[], ciphertextOctets: number, use: (part: Uint8Array) => void): void {
    let left = ciphertextOctets
    let filled = 0
    for (const piece of pieces) {
      for (let at = 0; at < piece.length && left > 0; ) {
        const partOctets = Math.min(filled + left, MAX_PART_OCTETS)
        const count = Math.min(piece.length - at, partOctets - filled)
        const slice = count === piece.length ? piece : piece.subarray(at, at + count)
        at += count
        left -= count
        if (count === partOctets) use(slice)
        else {
          this.#append(slice, filled, partOctets)
          filled += count
          if (filled < partOctets) continue
          use(this.#joined.subarray(0, filled))
        }
        filled = 0
      }
    }
  }

  /** The last 16 octets, of at least as many; valid until the next call. */
  tagOf(pieces: readonly Uint8Array[]): Uint8Array {
    let missing = TAG_OCTETS
    for (let index = pieces.length - 1; missing > 0; index--) {
      const piece = pieces[index]
      if (piece === undefined) break
      for (let at = piece.length - 1; at >= 0 && missing > 0; at--) this.#tag[--missing] = piece[at] as number
    }
    return this.#tag
  }

  #append(slice: Uint8Array, at: number, partOctets: number): void {
    // Only between parts: what was filled in already must stay.
    if (at === 0 && this.#joined.length < partOctets) this.#joined = new Uint8Array(roomFor(partOctets))
    this.#joined.set(slice, at)
  }
}

function roomFor(octets: number): number {
  let room = FIRST_OCTETS
  while (room < octets) room *= 2
  return room
}
