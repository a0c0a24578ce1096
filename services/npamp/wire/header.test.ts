import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MalformedError, MisuseError } from '../errors.ts'
import { crc32c } from './crc32c.ts'
import { AAD_OCTETS, decodeHeader, encodeHeader, FLAG, type FrameHeader, HEADER_OCTETS } from './header.ts'
import { fromHex, toHex } from './hex.test-support.ts'

/** Digest 01 section 13: PING, Control, sequence 0, no flags, empty payload. */
const GOLDEN_PING = '4e50414d 20 0001 0000 0000000000000000 00000000 0d880c25 0000000000000000000000'
const PING: FrameHeader = { flags: 0, type: 1, channel: 0, sequence: 0n, payloadOctets: 0 }

const anyHeader = fc.record<FrameHeader>({
  flags: fc.nat(0x0f),
  type: fc.integer({ min: 1, max: 0xffff }),
  channel: fc.integer({ min: 0, max: 0xfffe }),
  sequence: fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }),
  payloadOctets: fc.nat(0xffff_ffff),
})

/** A header with some octets changed and the CRC made right again. */
function forged(header: FrameHeader, change: (octets: Uint8Array) => void): Uint8Array {
  const octets = encodeHeader(header)
  change(octets)
  new DataView(octets.buffer).setUint32(21, crc32c(octets, 0, AAD_OCTETS))
  return octets
}

function codeOf(decode: () => unknown): string {
  try {
    decode()
  } catch (error) {
    if (error instanceof MalformedError || error instanceof MisuseError) return error.code
    throw error
  }
  return 'accepted'
}

describe('encodeHeader', () => {
  it(`${requirement('WIRE-003', 'WIRE-004', 'WIRE-005', 'WIRE-007', 'WIRE-009')} gives the golden PING header`, () => {
    expect(toHex(encodeHeader(PING))).toBe(GOLDEN_PING.replaceAll(' ', ''))
  })

  it(`${requirement('WIRE-003', 'WIRE-006')} puts every field at its place, big-endian`, () => {
    const octets = encodeHeader({
      flags: FLAG.ENC,
      type: 0x0102,
      channel: 0x0304,
      sequence: 0x05060708090a0b0cn,
      payloadOctets: 0x0d0e0f10,
    })
    expect(octets.length).toBe(36)
    expect(toHex(octets.subarray(0, AAD_OCTETS))).toBe('4e50414d220102030405060708090a0b0c0d0e0f10')
  })

  it(`${requirement('WIRE-011')} keeps the flags in the low nibble of octet 4`, () => {
    expect(FLAG).toEqual({ URG: 0x01, ENC: 0x02, COMP: 0x04, FRAG: 0x08 })
    for (let flags = 0; flags <= 15; flags++) expect(encodeHeader({ ...PING, flags })[4]).toBe(0x20 | flags)
    for (const flags of [16, 0x20, -1, 1.5]) expect(codeOf(() => encodeHeader({ ...PING, flags }))).toBe('ARGUMENT')
  })

  it(`${requirement('WIRE-017', 'WIRE-039')} never sends frame type 0x0000 or channel 0xFFFF`, () => {
    expect(codeOf(() => encodeHeader({ ...PING, type: 0 }))).toBe('ARGUMENT')
    expect(codeOf(() => encodeHeader({ ...PING, channel: 0xffff }))).toBe('ARGUMENT')
  })

  it('refuses fields that do not fit', () => {
    for (const bad of [{ type: 0x10000 }, { sequence: 1n << 64n }, { sequence: -1n }, { payloadOctets: 2 ** 32 }])
      expect(codeOf(() => encodeHeader({ ...PING, ...bad }))).toBe('ARGUMENT')
  })

  it(`${requirement('WIRE-009', 'WIRE-043')} sends reserved octets as zero and the same octets for the same header`, () => {
    fc.assert(
      fc.property(anyHeader, (header) => {
        expect(encodeHeader(header).subarray(25)).toEqual(new Uint8Array(11))
        expect(encodeHeader({ ...header })).toEqual(encodeHeader(header))
      }),
    )
  })
})

describe('decodeHeader', () => {
  it(`${requirement('WIRE-006', 'WIRE-011')} gives back what was encoded, and encoding gives back the octets`, () => {
    fc.assert(
      fc.property(anyHeader, fc.nat(5), (header, offset) => {
        const octets = encodeHeader(header)
        const padded = new Uint8Array(HEADER_OCTETS + offset + 3)
        padded.set(octets, offset)
        expect(decodeHeader(padded, offset)).toEqual(header)
        expect(encodeHeader(decodeHeader(octets))).toEqual(octets)
      }),
    )
  })

  it(`${requirement('WIRE-008')} looks at the CRC before any other field`, () => {
    const octets = fromHex(GOLDEN_PING)
    for (let at = 0; at < 25; at++) {
      const flipped = octets.slice()
      flipped[at] = (flipped[at] ?? 0) ^ 0x40
      expect(codeOf(() => decodeHeader(flipped))).toBe('BAD_CRC')
    }
    const allWrong = octets.slice().fill(0xff)
    expect(codeOf(() => decodeHeader(allWrong))).toBe('BAD_CRC')
  })

  it(`${requirement('WIRE-004', 'WIRE-005', 'WIRE-009', 'WIRE-017', 'WIRE-039')} then checks magic, version, reserved octets, type and channel in this order`, () => {
    const faults: [string, (octets: Uint8Array) => void][] = [
      ['BAD_MAGIC', (octets) => octets.set([0x4f], 0)],
      ['BAD_VERSION', (octets) => octets.set([0x30], 4)],
      ['RESERVED_NOT_ZERO', (octets) => octets.set([1], 25)],
      ['ILLEGAL_FRAME_TYPE', (octets) => octets.set([0, 0], 5)],
      ['ILLEGAL_CHANNEL', (octets) => octets.set([0xff, 0xff], 7)],
    ]
    for (const [index, [code, fault]] of faults.entries()) {
      expect(codeOf(() => decodeHeader(forged(PING, fault)))).toBe(code)
      const withAllLater = forged(PING, (octets) => {
        for (const [, later] of faults.slice(index)) later(octets)
      })
      expect(codeOf(() => decodeHeader(withAllLater))).toBe(code)
    }
  })

  it(`${requirement('WIRE-004')} rejects a magic that differs in any octet`, () => {
    for (let at = 0; at < 4; at++)
      expect(codeOf(() => decodeHeader(forged(PING, (octets) => octets.set([0], at))))).toBe('BAD_MAGIC')
  })

  it(`${requirement('WIRE-009')} rejects every single reserved octet that is not zero`, () => {
    for (let at = 25; at < HEADER_OCTETS; at++)
      for (const value of [0x01, 0x80])
        expect(codeOf(() => decodeHeader(forged(PING, (octets) => octets.set([value], at))))).toBe('RESERVED_NOT_ZERO')
  })

  it(`${requirement('WIRE-005')} rejects every version nibble but 2`, () => {
    for (let version = 0; version < 16; version++)
      expect(codeOf(() => decodeHeader(forged(PING, (octets) => octets.set([version << 4], 4))))).toBe(
        version === 2 ? 'accepted' : 'BAD_VERSION',
      )
  })

  it('rejects a header truncated at every index', () => {
    const octets = fromHex(GOLDEN_PING)
    for (let length = 0; length < HEADER_OCTETS; length++)
      expect(codeOf(() => decodeHeader(octets.subarray(0, length)))).toBe('TRUNCATED')
  })

  it('throws nothing but MalformedError for arbitrary octets', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 48 }), (octets) => {
        codeOf(() => decodeHeader(octets))
        // With a right CRC the later checks are reached too.
        const repaired = new Uint8Array(HEADER_OCTETS)
        repaired.set(octets.subarray(0, HEADER_OCTETS))
        new DataView(repaired.buffer).setUint32(21, crc32c(repaired, 0, AAD_OCTETS))
        codeOf(() => decodeHeader(repaired))
      }),
    )
  })
})
