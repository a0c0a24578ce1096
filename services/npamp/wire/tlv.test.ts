import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isKnownTlv, TLV } from '../codepoints/tlv-types.ts'
import { LimitError, NpampError } from '../errors.ts'
import { fromHex, toHex } from './hex.test-support.ts'
import { decodeExactTlvs, decodeTlvs, encodeTlvs, MAX_TLVS, type Tlv } from './tlv.ts'

const everyType = () => true
const anyTlv = fc.record<Tlv>({ type: fc.nat(0xffff), value: fc.uint8Array({ maxLength: 40 }) })

function codeOf(decode: () => unknown): string {
  try {
    decode()
  } catch (error) {
    if (error instanceof NpampError) return error.code
    throw error
  }
  return 'accepted'
}

describe('encodeTlvs', () => {
  it(`${requirement('WIRE-013')} writes type u16, length u16, value`, () => {
    const octets = encodeTlvs([
      { type: 0x0017, value: fromHex('0001020304050607') },
      { type: 0x8001, value: fromHex('') },
    ])
    expect(toHex(octets)).toBe('00170008000102030405060780010000')
  })

  it(`${requirement('WIRE-013')} takes values of 0 to 65535 octets and u16 types`, () => {
    const longest = encodeTlvs([{ type: 1, value: new Uint8Array(65_535) }])
    expect(longest.length).toBe(65_539)
    expect(decodeTlvs(longest, everyType)[0]?.value.length).toBe(65_535)
    expect(codeOf(() => encodeTlvs([{ type: 1, value: new Uint8Array(65_536) }]))).toBe('ARGUMENT')
    expect(codeOf(() => encodeTlvs([{ type: 0x10000, value: new Uint8Array(0) }]))).toBe('ARGUMENT')
  })
})

describe('decodeTlvs', () => {
  it(`${requirement('WIRE-013', 'WIRE-043')} gives back what was encoded and encodes to the same octets`, () => {
    fc.assert(
      fc.property(fc.array(anyTlv, { maxLength: 8 }), (tlvs) => {
        const octets = encodeTlvs(tlvs)
        expect(decodeTlvs(octets, everyType)).toEqual(tlvs)
        expect(encodeTlvs(decodeTlvs(octets, everyType))).toEqual(octets)
      }),
    )
  })

  it(`${requirement('WIRE-014')} skips an unknown type without bit 0x8000`, () => {
    const octets = fromHex('7fff 0002 aabb  0002 0001 01')
    expect(decodeTlvs(octets, isKnownTlv)).toEqual([{ type: TLV.PROFILE_SELECT, value: fromHex('01') }])
  })

  it(`${requirement('WIRE-015')} rejects the frame for an unknown type with bit 0x8000, wherever it stands`, () => {
    expect(codeOf(() => decodeTlvs(fromHex('80010000'), isKnownTlv))).toBe('TLV_UNKNOWN_CRITICAL')
    expect(codeOf(() => decodeTlvs(fromHex('0002 0001 01 ffff 0000'), isKnownTlv))).toBe('TLV_UNKNOWN_CRITICAL')
    expect(codeOf(() => decodeTlvs(fromHex('80010000'), (type) => type === 0x8001))).toBe('accepted')
  })

  it(`${requirement('WIRE-016')} is malformed at every index where a TLV is cut`, () => {
    const octets = encodeTlvs([
      { type: TLV.KEM_SHARE, value: new Uint8Array(5) },
      { type: TLV.RATCHET_GENERATION, value: new Uint8Array(8) },
    ])
    for (let length = 1; length < octets.length; length++)
      expect(codeOf(() => decodeTlvs(octets.subarray(0, length), isKnownTlv))).toBe(
        length === 9 ? 'accepted' : 'TLV_TRUNCATED',
      )
  })

  it('keeps a bounded number of TLVs', () => {
    const octets = new Uint8Array(4 * (MAX_TLVS + 1))
    expect(() => decodeTlvs(octets, everyType)).toThrow(LimitError)
    expect(decodeTlvs(octets.subarray(4), everyType).length).toBe(MAX_TLVS)
    // Skipped ones cost nothing.
    expect(decodeTlvs(octets, () => false)).toEqual([])
  })

  it('throws nothing but NpampError for arbitrary octets, and its values are views', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (octets) => {
        codeOf(() => {
          for (const tlv of decodeTlvs(octets, isKnownTlv)) expect(tlv.value.buffer).toBe(octets.buffer)
        })
        codeOf(() => decodeExactTlvs(octets, [TLV.PROFILE_OFFER]))
      }),
    )
  })
})

describe('decodeExactTlvs', () => {
  const octets = fromHex('0007 0001 aa 0019 0001 bb')

  it('takes exactly the wanted types in the wanted order', () => {
    expect(decodeExactTlvs(octets, [0x07, 0x19]).map(toHex)).toEqual(['aa', 'bb'])
  })

  it('rejects missing, surplus and reordered TLVs', () => {
    for (const types of [[0x19, 0x07], [0x07], [0x07, 0x19, 0x17], [], [0x07, 0x17]])
      expect(codeOf(() => decodeExactTlvs(octets, types))).toBe('TLV_LAYOUT')
  })

  it(`${requirement('WIRE-016')} is malformed at every index where a TLV is cut`, () => {
    for (let length = 0; length < octets.length; length++) {
      const atBorder = length === 0 || length === 5
      const code = codeOf(() => decodeExactTlvs(octets.subarray(0, length), [0x07, 0x19]))
      expect(code).toBe(atBorder ? 'TLV_LAYOUT' : 'TLV_TRUNCATED')
    }
  })
})
