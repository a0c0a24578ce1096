import { MisuseError } from '../errors.ts'

export const IV_OCTETS = 12

const MAX_SEQUENCE = (1n << 64n) - 1n

/**
 * `iv XOR (00000000 || u64 sequence)`; the channel id takes no part, its keys differ instead (REC-004).
 *
 * @param into where to write the 12 octets; by default a fresh array. Reuse it only where nobody keeps the nonce.
 * @throws MisuseError ARGUMENT when the IV or `into` is not 12 octets or the sequence is no u64.
 */
export function deriveNonce(iv: Uint8Array, sequence: bigint, into = new Uint8Array(IV_OCTETS)): Uint8Array {
  if (iv.length !== IV_OCTETS) throw new MisuseError('ARGUMENT', `an IV has 12 octets, not ${iv.length}`)
  if (into.length !== IV_OCTETS) throw new MisuseError('ARGUMENT', `a nonce has 12 octets, not ${into.length}`)
  if (sequence < 0n || sequence > MAX_SEQUENCE) throw new MisuseError('ARGUMENT', 'a sequence number is a u64')
  into.set(iv)
  xorU32(into, 4, Number(sequence >> 32n))
  xorU32(into, 8, Number(sequence & 0xffff_ffffn))
  return into
}

function xorU32(target: Uint8Array, offset: number, value: number): void {
  target[offset] = (target[offset] ?? 0) ^ (value >>> 24)
  target[offset + 1] = (target[offset + 1] ?? 0) ^ ((value >>> 16) & 0xff)
  target[offset + 2] = (target[offset + 2] ?? 0) ^ ((value >>> 8) & 0xff)
  target[offset + 3] = (target[offset + 3] ?? 0) ^ (value & 0xff)
}
