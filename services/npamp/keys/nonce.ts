import { MisuseError } from '../errors.ts'

export const IV_OCTETS = 12

const MAX_SEQUENCE = 0xffff_ffff_ffff_ffffn

/**
 * `iv XOR (00000000 || u64 sequence)`; the channel id takes no part, its keys differ instead (REC-004).
 *
 * @param into where to write the 12 octets; by default a fresh array. Reuse it only where nobody keeps the nonce.
 * @throws MisuseError ARGUMENT when the IV or `into` is not 12 octets or the sequence is no u64.
 */
export function deriveNonce(
  iv: Uint8Array,
  sequence: bigint,
  into: Uint8Array = new Uint8Array(IV_OCTETS),
): Uint8Array {
  return new Iv(iv).nonce(sequence, into)
}

/** An IV that nonces are made of. Three numbers: an array of 12 octets takes five times the memory, and each key has one. */
export class Iv {
  #first: number
  #second: number
  #third: number

  /** Copies `octets`. Throws MisuseError ARGUMENT when they are not 12. */
  constructor(octets: Uint8Array) {
    if (octets.length !== IV_OCTETS) throw new MisuseError('ARGUMENT', `an IV has 12 octets, not ${octets.length}`)
    this.#first = i32(octets, 0)
    this.#second = i32(octets, 4)
    this.#third = i32(octets, 8)
  }

  /** `deriveNonce`, into an array of the caller's. */
  nonce(sequence: bigint, into: Uint8Array): Uint8Array {
    if (into.length !== IV_OCTETS) throw new MisuseError('ARGUMENT', `a nonce has 12 octets, not ${into.length}`)
    if (sequence < 0n || sequence > MAX_SEQUENCE) throw new MisuseError('ARGUMENT', 'a sequence number is a u64')
    putI32(into, 0, this.#first)
    const exact = Number(sequence)
    if (exact <= Number.MAX_SAFE_INTEGER) {
      // Every live sequence: plain numbers instead of three bigints per frame.
      putI32(into, 4, this.#second ^ Math.floor(exact / 0x1_0000_0000))
      putI32(into, 8, this.#third ^ (exact >>> 0))
    } else {
      putI32(into, 4, this.#second ^ Number(sequence >> 32n))
      putI32(into, 8, this.#third ^ Number(sequence & 0xffff_ffffn))
    }
    return into
  }

  wipe(): void {
    this.#first = 0
    this.#second = 0
    this.#third = 0
  }
}

/** Signed, which the runtime keeps inside the object. */
function i32(octets: Uint8Array, at: number): number {
  return (
    ((octets[at] as number) << 24) |
    ((octets[at + 1] as number) << 16) |
    ((octets[at + 2] as number) << 8) |
    (octets[at + 3] as number)
  )
}

function putI32(target: Uint8Array, at: number, value: number): void {
  target[at] = value >>> 24
  target[at + 1] = value >>> 16
  target[at + 2] = value >>> 8
  target[at + 3] = value
}
