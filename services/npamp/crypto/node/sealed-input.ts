import { concatOctets, release } from '../../wire/octets.ts'
import { checkSealed } from '../arguments.ts'

const TAG_OCTETS = 16
/** Longer ciphertexts are rare enough to get an array of their own. */
const MAX_KEPT_OCTETS = 1024 * 1024
const FIRST_OCTETS = 64 * 1024

/** Valid until `done` or the next `split`. */
export interface SealedParts {
  readonly ciphertext: Uint8Array
  readonly tag: Uint8Array
}

/**
 * Brings what came in pieces into the two arrays that node deciphers from, in memory that serves the next frame too:
 * allocating and clearing an array for each join costs a third of what opening does. One for all keys of a provider;
 * nothing in it is secret.
 */
export class SealedInput {
  #joined = new Uint8Array(0)
  #large: Uint8Array | undefined
  readonly #tag = new Uint8Array(TAG_OCTETS)

  /**
   * @param pieces ciphertext || tag. A single piece is not copied.
   * @throws MisuseError ARGUMENT for less than a tag.
   */
  split(pieces: readonly Uint8Array[]): SealedParts {
    const sealed = this.#join(pieces)
    checkSealed(sealed)
    const tagAt = sealed.length - TAG_OCTETS
    const tag = this.#tag
    for (let at = 0; at < TAG_OCTETS; at++) tag[at] = sealed[tagAt + at] as number
    return { ciphertext: sealed.subarray(0, tagAt), tag }
  }

  /** The parts have been used. */
  done(): void {
    if (this.#large !== undefined) release(this.#large)
    this.#large = undefined
  }

  #join(pieces: readonly Uint8Array[]): Uint8Array {
    const [only] = pieces
    if (only !== undefined && pieces.length === 1) return only
    let octets = 0
    for (const piece of pieces) octets += piece.length
    if (octets > MAX_KEPT_OCTETS) {
      this.#large = concatOctets(pieces)
      return this.#large
    }
    if (octets > this.#joined.length) this.#joined = new Uint8Array(roomFor(octets))
    let at = 0
    for (const piece of pieces) {
      this.#joined.set(piece, at)
      at += piece.length
    }
    return this.#joined.subarray(0, octets)
  }
}

function roomFor(octets: number): number {
  let room = FIRST_OCTETS
  while (room < octets) room *= 2
  return room
}
