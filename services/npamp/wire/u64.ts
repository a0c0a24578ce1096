import { MalformedError, MisuseError } from '../errors.ts'

/** Eight octets, big-endian. Throws MisuseError ARGUMENT outside 0 to 2^64-1. */
export function encodeU64(value: bigint): Uint8Array<ArrayBuffer> {
  if (value < 0n || value > 0xffff_ffff_ffff_ffffn) throw new MisuseError('ARGUMENT', 'not an unsigned 64-bit integer')
  const octets = new Uint8Array(8)
  new DataView(octets.buffer).setBigUint64(0, value)
  return octets
}

/** A TLV value or body that is exactly one u64. Throws MalformedError TLV_VALUE for any other length. */
export function decodeU64(octets: Uint8Array, what: string): bigint {
  if (octets.length !== 8) throw new MalformedError('TLV_VALUE', `${what} has ${octets.length} octets, not 8`)
  return new DataView(octets.buffer, octets.byteOffset, 8).getBigUint64(0)
}
