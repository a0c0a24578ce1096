import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MisuseError, NpampError } from '../errors.ts'
import { decodeClose, decodeCloseLeniently, encodeClose } from './close.ts'
import { decodeError, encodeError } from './error.ts'
import { decodeFlowUpdate, encodeFlowUpdate } from './flow-update.ts'
import { fromHex, toHex } from './hex.test-support.ts'
import { decodeKeyUpdate, encodeKeyUpdate } from './key-update.ts'
import {
  decodePathChallenge,
  decodePathResponse,
  encodePathChallenge,
  encodePathResponse,
  pathResponse,
} from './path.ts'
import { decodePing, encodePing } from './ping.ts'
import {
  decodeMasterRatchet,
  decodeRekem,
  decodeRekemAck,
  encodeMasterRatchet,
  encodeRekem,
  encodeRekemAck,
} from './ratchet.ts'

const u16 = fc.nat(0xffff)
const u64 = fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn })
const shortText = fc.string({ unit: 'binary', maxLength: 60 }).filter((text) => text.isWellFormed())
const octets = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

/** A codec, its messages, and the lengths at which a cut message is still a whole one. */
interface Body<T> {
  readonly name: string
  readonly encode: (message: T) => Uint8Array
  readonly decode: (payload: Uint8Array) => T
  readonly messages: fc.Arbitrary<T>
  readonly wholeAt?: readonly number[]
}

function body<T>(one: Body<T>): Body<unknown> {
  return one as unknown as Body<unknown>
}

const material = fc.record({ material: fc.uint8Array({ maxLength: 30 }), generation: u64 })
const BODIES: readonly Body<unknown>[] = [
  body({
    name: 'CLOSE',
    encode: encodeClose,
    decode: decodeClose,
    messages: fc.record({ code: u16, reason: shortText }),
    wholeAt: [0],
  }),
  body({
    name: 'ERROR',
    encode: encodeError,
    decode: decodeError,
    messages: fc.record({ code: u16, refType: u16, refSequence: u64, message: shortText }),
  }),
  body({ name: 'KEY_UPDATE', encode: encodeKeyUpdate, decode: decodeKeyUpdate, messages: u64 }),
  body({ name: 'MASTER_RATCHET', encode: encodeMasterRatchet, decode: decodeMasterRatchet, messages: u64 }),
  body({ name: 'REKEM', encode: encodeRekem, decode: decodeRekem, messages: material }),
  body({ name: 'REKEM_ACK', encode: encodeRekemAck, decode: decodeRekemAck, messages: material }),
  body({ name: 'PATH_CHALLENGE', encode: encodePathChallenge, decode: decodePathChallenge, messages: octets(32) }),
  body({ name: 'PATH_RESPONSE', encode: encodePathResponse, decode: decodePathResponse, messages: octets(64) }),
  body({ name: 'FLOW_UPDATE', encode: encodeFlowUpdate, decode: decodeFlowUpdate, messages: u64 }),
]

function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof NpampError) return error.code
    throw error
  }
  return 'accepted'
}

describe.each(BODIES)('the body of $name', ({ encode, decode, messages, wholeAt = [] }) => {
  it('decodes to what was encoded, and encodes to the same octets', () => {
    fc.assert(
      fc.property(messages, (message) => {
        const payload = encode(message)
        expect(decode(payload)).toEqual(message)
        expect(encode(decode(payload))).toEqual(payload)
      }),
    )
  })

  it('is malformed when cut at any index or continued', () => {
    fc.assert(
      fc.property(messages, (message) => {
        const payload = encode(message)
        for (let length = 0; length < payload.length; length++)
          if (!wholeAt.includes(length)) expect(codeOf(() => decode(payload.subarray(0, length)))).not.toBe('accepted')
        const continued = new Uint8Array(payload.length + 1)
        continued.set(payload)
        expect(codeOf(() => decode(continued))).not.toBe('accepted')
      }),
      { numRuns: 20 },
    )
  })

  it('throws nothing but NpampError for arbitrary octets', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (payload) => void codeOf(() => decode(payload))))
  })
})

describe('PING and PONG', () => {
  it('carry 0 to 64 opaque octets', () => {
    for (const length of [0, 8, 64]) expect(decodePing(encodePing(new Uint8Array(length))).length).toBe(length)
    expect(codeOf(() => decodePing(new Uint8Array(65)))).toBe('LENGTH')
    expect(() => encodePing(new Uint8Array(65))).toThrow(MisuseError)
  })
})

describe('CLOSE', () => {
  it('is code u16, length u8, reason; nothing at all is code 0', () => {
    expect(toHex(encodeClose({ code: 2, reason: 'no' }))).toBe('0002026e6f')
    expect(decodeClose(new Uint8Array(0))).toEqual({ code: 0, reason: '' })
  })

  it('cuts a long reason at a character', () => {
    const close = decodeClose(encodeClose({ code: 1, reason: `${'a'.repeat(254)}é` }))
    expect(close.reason).toBe('a'.repeat(254))
  })

  it('is still a CLOSE when its body cannot be read', () => {
    expect(decodeCloseLeniently(fromHex('0002ff00'))).toEqual({ code: 0, reason: '' })
    expect(decodeCloseLeniently(fromHex('0005016f'))).toEqual({ code: 5, reason: 'o' })
  })

  it('rejects a reason that is not UTF-8', () => {
    expect(codeOf(() => decodeClose(fromHex('000001ff')))).toBe('CONTROL_FRAME')
  })
})

describe('ERROR', () => {
  it('is code u16, ref_type u16, ref_seq u64, length u8, message', () => {
    const payload = encodeError({ code: 2, refType: 0x0130, refSequence: 7n, message: 'x' })
    expect(toHex(payload)).toBe('0002 0130 0000000000000007 01 78'.replaceAll(' ', ''))
  })
})

describe('TLV bodies', () => {
  it(`${requirement('WIRE-029', 'REC-014')} KEY_UPDATE is one 8-octet KeyUpdateMarker, big-endian`, () => {
    expect(toHex(encodeKeyUpdate(1n))).toBe('001700080000000000000001')
    for (const bad of ['0017000700000000000001', '001700090000000000000000001', '001800080000000000000001'])
      expect(codeOf(() => decodeKeyUpdate(fromHex(bad)))).not.toBe('accepted')
    expect(codeOf(() => decodeKeyUpdate(fromHex('001700080000000000000001'.repeat(2))))).toBe('TLV_LAYOUT')
  })

  it(`${requirement('WIRE-029')} PATH_CHALLENGE carries 32 and PATH_RESPONSE 64 octets, nothing else`, () => {
    expect(toHex(encodePathChallenge(new Uint8Array(32)).subarray(0, 4))).toBe('00150020')
    expect(toHex(encodePathResponse(new Uint8Array(64)).subarray(0, 4))).toBe('00160040')
    expect(() => encodePathChallenge(new Uint8Array(31))).toThrow(MisuseError)
    expect(() => encodePathResponse(new Uint8Array(32))).toThrow(MisuseError)
    expect(codeOf(() => decodePathChallenge(fromHex(`0015001f${'00'.repeat(31)}`)))).toBe('TLV_VALUE')
    expect(codeOf(() => decodePathResponse(fromHex(`00160020${'00'.repeat(32)}`)))).toBe('TLV_VALUE')
    expect(codeOf(() => decodePathResponse(fromHex(`00150040${'00'.repeat(64)}`)))).toBe('TLV_LAYOUT')
  })

  it(`${requirement('REC-031')} MASTER_RATCHET is one RatchetGeneration`, () => {
    expect(toHex(encodeMasterRatchet(5n))).toBe('001900080000000000000005')
  })

  it(`${requirement('REC-032')} REKEM is KEMShare then RatchetGeneration, REKEM_ACK KEMCiphertext then RatchetGeneration`, () => {
    const message = { material: fromHex('aabb'), generation: 1n }
    expect(toHex(encodeRekem(message))).toBe('00070002aabb001900080000000000000001')
    expect(toHex(encodeRekemAck(message))).toBe('00080002aabb001900080000000000000001')
    expect(encodeRekem({ material: new Uint8Array(1216), generation: 1n }).length).toBe(1232)
    expect(encodeRekemAck({ material: new Uint8Array(1120), generation: 1n }).length).toBe(1136)
  })

  it(`${requirement('REC-033')} ratchet bodies have no other layout and no generation of another length`, () => {
    for (const bad of ['00190007 00000000000001', '00170008 0000000000000001', '00190008 0000000000000001 00190000'])
      expect(codeOf(() => decodeMasterRatchet(fromHex(bad)))).not.toBe('accepted')
    const generation = '00190008 0000000000000001'
    for (const bad of [`${generation} 00070001aa`, '00070001aa', generation, `00080001aa ${generation}`])
      expect(codeOf(() => decodeRekem(fromHex(bad)))).toBe('TLV_LAYOUT')
    expect(codeOf(() => decodeRekem(fromHex('00070001aa 00190004 00000001')))).toBe('TLV_VALUE')
  })
})

describe('pathResponse', () => {
  it('repeats the challenge and digests label, challenge and direction', () => {
    const inputs: Uint8Array[] = []
    const response = pathResponse(new Uint8Array(32).fill(7), 1, (data) => {
      inputs.push(data)
      return new Uint8Array(32).fill(9)
    })
    expect(toHex(response)).toBe('07'.repeat(32) + '09'.repeat(32))
    expect(inputs.map(toHex)).toEqual([
      `${toHex(new TextEncoder().encode('n-pamp path response'))}${'07'.repeat(32)}01`,
    ])
  })
})
