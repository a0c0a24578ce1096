import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crc32c } from './crc32c.ts'
import { utf8 } from './utf8.ts'

/** Bit by bit, straight from the definition. */
function crc32cByDefinition(octets: Uint8Array): number {
  let crc = 0xffffffff
  for (const octet of octets) {
    crc ^= octet
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

describe('crc32c', () => {
  it(`${requirement('WIRE-007')} gives the check value of Castagnoli's polynomial`, () => {
    expect(crc32c(utf8('123456789'))).toBe(0xe3069283)
    expect(crc32c(new Uint8Array(0))).toBe(0)
    // RFC 3720 appendix B.4.
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa)
    expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43)
  })

  it(`${requirement('WIRE-007')} agrees with the definition for every length and place`, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat(8), (octets, start) => {
        const from = Math.min(start, octets.length)
        expect(crc32c(octets, from)).toBe(crc32cByDefinition(octets.subarray(from)))
        expect(crc32c(octets, 0, from)).toBe(crc32cByDefinition(octets.subarray(0, from)))
      }),
    )
  })
})
