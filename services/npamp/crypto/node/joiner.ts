import { concatOctets } from '../../wire/octets.ts'

/** Longer ciphertexts are rare enough to get an array of their own. */
const MAX_KEPT_OCTETS = 1024 * 1024
const FIRST_OCTETS = 64 * 1024

/**
 * Joins the pieces of a ciphertext in memory that serves the next one too: allocating and clearing an array for each costs
 * more than copying, and a third of what opening does. One for all keys of a provider; ciphertext only, so nothing in it
 * is secret.
 */
export class Joiner {
  #kept = new Uint8Array(0)

  /** The pieces as one array, valid until the next call. */
  join(pieces: readonly Uint8Array[]): Uint8Array {
    const [only] = pieces
    if (only !== undefined && pieces.length === 1) return only
    let octets = 0
    for (const piece of pieces) octets += piece.length
    if (octets > MAX_KEPT_OCTETS) return concatOctets(pieces)
    if (octets > this.#kept.length) this.#kept = new Uint8Array(roomFor(octets))
    let at = 0
    for (const piece of pieces) {
      this.#kept.set(piece, at)
      at += piece.length
    }
    return this.#kept.subarray(0, octets)
  }
}

function roomFor(octets: number): number {
  let room = FIRST_OCTETS
  while (room < octets) room *= 2
  return room
}
