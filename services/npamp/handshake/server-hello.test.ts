import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex } from '../../../test/fixtures/npamp/hex.ts'
import { encodeTlvs } from '../wire/tlv.ts'
import { decodeServerHello, encodeServerHello, type ServerHello } from './server-hello.ts'

const HELLO: ServerHello = {
  selected: { profile: 1, kem: 0x11ec, signature: 0x0807, aead: 2 },
  ciphertext: new Uint8Array(1120).fill(0xcd),
}

const code = fc.nat(0xffff)
const anyHello = fc.record<ServerHello>({
  selected: fc.record({ profile: fc.nat(0xff), kem: code, signature: code, aead: code }),
  ciphertext: fc.uint8Array({ maxLength: 2000 }),
})

const TLVS = [
  { type: 0x0002, value: Uint8Array.of(1) },
  { type: 0x0004, value: Uint8Array.of(0x11, 0xec) },
  { type: 0x0006, value: Uint8Array.of(0x08, 0x07) },
  { type: 0x000d, value: Uint8Array.of(0x00, 0x02) },
  { type: 0x0008, value: HELLO.ciphertext },
]

function decoding(tlvs: readonly { type: number; value: Uint8Array }[]): string {
  return failure(() => decodeServerHello(encodeTlvs(tlvs)))
}

describe('SERVER_HELLO', () => {
  it(`${requirement('HS-004', 'HS-007', 'HS-008')} has its five TLVs in wire order`, () => {
    expect(hex(encodeServerHello(HELLO))).toBe(
      `0002000101 0004000211ec 000600020807 000d00020002 00080460${'cd'.repeat(1120)}`.replaceAll(' ', ''),
    )
    expect(encodeServerHello(HELLO).length).toBe(1147)
    expect(encodeServerHello({ ...HELLO, ciphertext: new Uint8Array(1600) }).length).toBe(1627)
  })

  it('gives back what was encoded, and the same octets again', () => {
    fc.assert(
      fc.property(anyHello, (hello) => {
        const payload = encodeServerHello(hello)
        const decoded = decodeServerHello(payload)
        expect(decoded).toEqual(hello)
        expect(hex(encodeServerHello(decoded))).toBe(hex(payload))
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
    for (const type of [0x0014, 0x0018, 0x4351, 0x8000]) {
      for (let at = 0; at <= TLVS.length; at++) {
        expect(decoding(TLVS.toSpliced(at, 0, { type, value: new Uint8Array(1) }))).toBe('malformed/TLV_LAYOUT')
      }
    }
  })

  it(`${requirement('HS-007', 'HS-008')} takes one code a selection, never none or two`, () => {
    for (const index of [0, 1, 2, 3]) {
      const type = TLVS[index]?.type ?? 0
      const right = TLVS[index]?.value.length ?? 0
      for (let length = 0; length <= 4; length++) {
        const outcome = decoding(TLVS.with(index, { type, value: new Uint8Array(length) }))
        expect(outcome).toBe(length === right ? 'none' : 'malformed/TLV_VALUE')
      }
    }
  })

  it('fails when truncated at any octet', () => {
    const payload = encodeServerHello({ ...HELLO, ciphertext: new Uint8Array(40) })
    for (let length = 0; length < payload.length; length++) {
      expect(failure(() => decodeServerHello(payload.subarray(0, length)))).toMatch(
        /^malformed\/TLV_(TRUNCATED|LAYOUT)$/,
      )
    }
  })

  it('throws nothing but protocol errors for arbitrary octets', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (octets) => void failure(() => decodeServerHello(octets))))
  })
})
