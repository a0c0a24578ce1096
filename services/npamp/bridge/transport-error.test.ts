import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hex, octets } from '../../../test/fixtures/npamp/hex.ts'
import { TRANSPORT_ERROR, type TransportErrorCode } from './contract.ts'
import { decodeTransportError, encodeTransportError } from './transport-error.ts'

const codes = Object.values(TRANSPORT_ERROR) as TransportErrorCode[]

describe('a transport error', () => {
  it(`${requirement('BRG-020')} has the registered codes`, () => {
    expect(TRANSPORT_ERROR).toMatchObject({
      ENVELOPE_MALFORMED: 1,
      PROTOCOL_UNSUPPORTED: 2,
      METHOD_UNSUPPORTED: 3,
      NOT_DELIVERED: 4,
      SAFETY_POLICY: 5,
    })
    expect(hex(encodeTransportError({ code: 2, message: 'no' }))).toBe('02026e6f')
  })

  it('decodes what was encoded', () => {
    fc.assert(
      fc.property(fc.constantFrom(...codes), fc.string({ unit: 'binary', maxLength: 63 }), (code, message) => {
        expect(decodeTransportError(encodeTransportError({ code, message }))).toEqual({ code, message })
      }),
    )
  })

  it('cuts a long message after a whole character', () => {
    const sent = encodeTransportError({ code: 4, message: `x${'é'.repeat(200)}` })
    expect(sent.length).toBe(2 + 255)
    expect(decodeTransportError(sent)?.message).toBe(`x${'é'.repeat(127)}`)
  })

  it(`${requirement('BRG-017', 'RPC-015')} is never seen in a foreign JSON text, whatever its length and blanks`, () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 40 }),
        (json, blanks) => {
          expect(decodeTransportError(new TextEncoder().encode(blanks + json))).toBeUndefined()
        },
      ),
    )
    // The first octet decides: a text of exactly 2 + its second octet is still a text.
    expect(decodeTransportError(new TextEncoder().encode(`{\n${' '.repeat(9)}}`).subarray(0, 12))).toBeUndefined()
  })

  it('is never seen in a CBOR map nor in a framed gRPC message', () => {
    for (const foreign of ['a16131f5', 'a0', 'bf00', '0000000003616263', '010000000161'])
      expect(decodeTransportError(octets(foreign))).toBeUndefined()
  })

  it('is never seen where the length or the code is another', () => {
    for (const foreign of ['', '02', '0201', '02016e6f', '0002 6e6f', '0702 6e6f', '0902 6e6f', '1602 6e6f'])
      expect(decodeTransportError(octets(foreign))).toBeUndefined()
  })

  it('keeps its code where the message is not UTF-8', () => {
    expect(decodeTransportError(octets('0401ff'))).toEqual({ code: 4, message: '' })
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (foreign) => void decodeTransportError(foreign)))
  })
})
