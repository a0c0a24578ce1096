/** Big-endian, 8 octets. */
export function u64(value: bigint): Uint8Array {
  const octets = new Uint8Array(8)
  new DataView(octets.buffer).setBigUint64(0, value)
  return octets
}
