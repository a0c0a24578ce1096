/**
 * A UUIDv7 (RFC 9562): of two processes the one that started later has the greater one, as text too. `random`: 10 octets.
 */
export function newBootId(unixMs: number, random: Uint8Array): string {
  const octets = Buffer.alloc(16)
  octets.writeUIntBE(unixMs, 0, 6)
  octets.set(random.subarray(0, 10), 6)
  octets.writeUInt8((octets.readUInt8(6) & 0x0f) | 0x70, 6)
  octets.writeUInt8((octets.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = octets.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
