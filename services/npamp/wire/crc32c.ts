/**
 * CRC32C (Castagnoli) of octets[start, end): reflected polynomial 0x82F63B78, initial value and final XOR 0xFFFFFFFF
 * (WIRE-007). Eight octets a step: a header's input is 21 octets, where a call into native code costs more than the work.
 */
export function crc32c(octets: Uint8Array, start = 0, end = octets.length): number {
  let crc = -1
  let at = start
  for (; at + 8 <= end; at += 8) {
    const low = crc ^ word(octets, at)
    const high = word(octets, at + 4)
    crc =
      entry(7, low) ^
      entry(6, low >>> 8) ^
      entry(5, low >>> 16) ^
      entry(4, low >>> 24) ^
      entry(3, high) ^
      entry(2, high >>> 8) ^
      entry(1, high >>> 16) ^
      entry(0, high >>> 24)
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ entry(0, crc ^ octetAt(octets, at))
  return ~crc >>> 0
}

/** Row k of 256 entries: what an octet still does to the remainder after k further octets. */
const TABLE: Int32Array = buildTable()

function entry(row: number, octet: number): number {
  return TABLE[(row << 8) | (octet & 0xff)] as number
}

/** Little-endian, because the polynomial is reflected. */
function word(octets: Uint8Array, at: number): number {
  return (
    octetAt(octets, at) |
    (octetAt(octets, at + 1) << 8) |
    (octetAt(octets, at + 2) << 16) |
    (octetAt(octets, at + 3) << 24)
  )
}

function octetAt(octets: Uint8Array, at: number): number {
  return octets[at] as number
}

function buildTable(): Int32Array {
  const table = new Int32Array(8 * 256)
  for (let octet = 0; octet < 256; octet++) {
    let remainder = octet
    for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0x82f63b78 : remainder >>> 1
    table[octet] = remainder
  }
  for (let at = 256; at < table.length; at++) {
    const previous = table[at - 256] as number
    table[at] = (previous >>> 8) ^ (table[previous & 0xff] as number)
  }
  return table
}
