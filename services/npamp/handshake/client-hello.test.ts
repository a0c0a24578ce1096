import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex } from '../../../test/fixtures/npamp/hex.ts'
import { encodeTlvs } from '../wire/tlv.ts'
import { type ClientHello, decodeClientHello, encodeClientHello } from './client-hello.ts'

const HELLO: ClientHello = {
  offer: { profiles: [1], kems: [0x11ec], signatures: [0x0807], aeads: [1] },
  share: new Uint8Array(1216).fill(0xab),
}

const u16s = fc.array(fc.nat(0xffff), { minLength: 1, maxLength: 8 })
const anyHello = fc.record<ClientHello>({
  offer: fc.record({
    profiles: fc.array(fc.nat(0xff), { minLength: 1, maxLength: 8 }),
    kems: u16s,
    signatures: u16s,
    aeads: u16s,
  }),
  share: fc.uint8Array({ maxLength: 2000 }),
})

/** The five TLVs of HELLO, to be tampered with. */
const TLVS = [
  { type: 0x0001, value: Uint8Array.of(1) },
  { type: 0x0003, value: Uint8Array.of(0x11, 0xec) },
  { type: 0x0005, value: Uint8Array.of(0x08, 0x07) },
  { type: 0x000c, value: Uint8Array.of(0x00, 0x01) },
  { type: 0x0007, value: HELLO.share },
]

function decoding(tlvs: readonly { type: number; value: Uint8Array }[]): string {
  return failure(() => decodeClientHello(encodeTlvs(tlvs)))
}

describe('CLIENT_HELLO', () => {
  it(`${requirement('HS-003', 'HS-007', 'HS-008')} has its five TLVs in wire order, AEADOffer before KEMShare`, () => {
    expect(hex(encodeClientHello(HELLO))).toBe(
      `0001000101 0003000211ec 000500020807 000c00020001 000704c0${'ab'.repeat(1216)}`.replaceAll(' ', ''),
    )
    expect(encodeClientHello(HELLO).length).toBe(1243)
    expect(encodeClientHello({ ...HELLO, share: new Uint8Array(1600) }).length).toBe(1627)
  })

  it(`${requirement('HS-007', 'HS-008')} grows by one octet a profile and two a suite`, () => {
    const { offer } = HELLO
    const size = (changes: Partial<typeof offer>) =>
      encodeClientHello({ ...HELLO, offer: { ...offer, ...changes } }).length
    expect(size({ profiles: [1, 2, 3] })).toBe(1245)
    expect(size({ kems: [1, 2] })).toBe(1245)
    expect(size({ signatures: [1, 2] })).toBe(1245)
    expect(size({ aeads: [1, 2] })).toBe(1245)
  })

  it('gives back what was encoded, unknown and repeated codes included, and the same octets again', () => {
    fc.assert(
      fc.property(anyHello, (hello) => {
        const payload = encodeClientHello(hello)
        const decoded = decodeClientHello(payload)
        expect(decoded).toEqual(hello)
        expect(hex(encodeClientHello(decoded))).toBe(hex(payload))
      }),
    )
  })

  it(`${requirement('HS-006')} fails when a TLV is missing, surplus, repeated or out of order`, () => {
    expect(decoding(TLVS)).toBe('none')
    for (const [index, tlv] of TLVS.entries()) {
      const without = TLVS.toSpliced(index, 1)
      expect(decoding(without)).toBe('malformed/TLV_LAYOUT')
      expect(decoding([...TLVS.slice(0, index), tlv, ...TLVS.slice(index)])).toBe('malformed/TLV_LAYOUT')
      for (let to = 0; to < TLVS.length; to++) {
        if (to !== index) expect(decoding(without.toSpliced(to, 0, tlv))).toBe('malformed/TLV_LAYOUT')
      }
    }
  })

  it(`${requirement('HS-006')} skips no unknown TLV, critical or not`, () => {
    for (const type of [0x0014, 0x0012, 0x4351, 0x8000]) {
      for (let at = 0; at <= TLVS.length; at++) {
        expect(decoding(TLVS.toSpliced(at, 0, { type, value: new Uint8Array(32) }))).toBe('malformed/TLV_LAYOUT')
      }
    }
  })

  it(`${requirement('HS-009')} refuses an empty offer and a u16 list of odd length`, () => {
    for (const index of [0, 1, 2, 3]) {
      const type = TLVS[index]?.type ?? 0
      expect(decoding(TLVS.with(index, { type, value: new Uint8Array(0) }))).toBe('malformed/TLV_VALUE')
      const odd = decoding(TLVS.with(index, { type, value: new Uint8Array(3) }))
      expect(odd).toBe(index === 0 ? 'none' : 'malformed/TLV_VALUE')
    }
  })

  it('fails when truncated at any octet', () => {
    const payload = encodeClientHello({ ...HELLO, share: new Uint8Array(40) })
    for (let length = 0; length < payload.length; length++) {
      expect(failure(() => decodeClientHello(payload.subarray(0, length)))).toMatch(
        /^malformed\/TLV_(TRUNCATED|LAYOUT)$/,
      )
    }
  })

  it('throws nothing but protocol errors for arbitrary octets', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (octets) => void failure(() => decodeClientHello(octets))))
  })
})
