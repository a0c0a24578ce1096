import { MisuseError } from '../errors.ts'

export const IV_OCTETS = 12

const SEQUENCE_AT = 4
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
  if (iv.length !== IV_OCTETS) throw new MisuseError('ARGUMENT', `an IV has 12 octets, not ${iv.length}`)
  if (into.length !== IV_OCTETS) throw new MisuseError('ARGUMENT', `a nonce has 12 octets, not ${into.length}`)
  if (sequence < 0n || sequence > MAX_SEQUENCE) throw new MisuseError('ARGUMENT', 'a sequence number is a u64')
  for (let at = 0; at < SEQUENCE_AT; at++) into[at] = iv[at] as number
  const exact = Number(sequence)
  if (exact <= Number.MAX_SAFE_INTEGER) {
    // Every live sequence: plain numbers instead of three bigints per frame.
    xorU32(into, iv, SEQUENCE_AT, Math.floor(exact / 0x1_0000_0000))
    xorU32(into, iv, SEQUENCE_AT + 4, exact >>> 0)
  } else {
    xorU32(into, iv, SEQUENCE_AT, Number(sequence >> 32n))
    xorU32(into, iv, SEQUENCE_AT + 4, Number(sequence & 0xffff_ffffn))
  }
  return into
}

function xorU32(target: Uint8Array, iv: Uint8Array, at: number, value: number): void {
  target[at] = (iv[at] as number) ^ (value >>> 24)
  target[at + 1] = (iv[at + 1] as number) ^ ((value >>> 16) & 0xff)
  target[at + 2] = (iv[at + 2] as number) ^ ((value >>> 8) & 0xff)
  target[at + 3] = (iv[at + 3] as number) ^ (value & 0xff)
}
