import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LinkMessage } from '../association/contract.ts'
import { MisuseError, NpampError } from '../errors.ts'
import { fromHex, toHex } from './hex.test-support.ts'
import { decodeLink, encodeLink } from './link.ts'

const SESSION = fromHex('000102030405060708090a0b0c0d0e0f')

function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof NpampError) return error.code
    throw error
  }
  return 'accepted'
}

const anyLink: fc.Arbitrary<LinkMessage> = fc.oneof(
  fc.record({
    op: fc.constant('sessionEnd' as const),
    session: fc.uint8Array({ minLength: 16, maxLength: 16 }),
    reason: fc.nat(0xffff),
  }),
  fc.constant({ op: 'drain' as const }),
  fc.record({ op: fc.constant('successor' as const), statement: fc.uint8Array({ minLength: 1, maxLength: 80 }) }),
)

describe('LINK', () => {
  it('is a deterministic CBOR map of op, session and reason', () => {
    expect(toHex(encodeLink({ op: 'sessionEnd', session: SESSION, reason: 2 }))).toBe(
      'a3000101 50000102030405060708090a0b0c0d0e0f 0202'.replaceAll(' ', ''),
    )
    expect(toHex(encodeLink({ op: 'drain' }))).toBe('a10002')
    expect(toHex(encodeLink({ op: 'successor', statement: fromHex('aa') }))).toBe('a200030341aa')
  })

  it('decodes to what was encoded, and to nothing when cut at any index', () => {
    fc.assert(
      fc.property(anyLink, (message) => {
        const octets = encodeLink(message)
        expect(decodeLink(octets)).toEqual(message)
        for (let length = 0; length < octets.length; length++)
          expect(codeOf(() => decodeLink(octets.subarray(0, length)))).not.toBe('accepted')
      }),
    )
  })

  it(`${requirement('OWN-018')} with an unknown op is nobody’s business`, () => {
    for (const hex of ['a10000', 'a10004', 'a2001a000100000101']) expect(decodeLink(fromHex(hex))).toBeUndefined()
  })

  it('passes over unknown non-negative keys and rejects negative ones', () => {
    expect(decodeLink(fromHex('a200020900'))).toEqual({ op: 'drain' })
    expect(codeOf(() => decodeLink(fromHex('a200022000')))).toBe('LINK')
  })

  it.each([
    ['no map', '80'],
    ['no op', 'a0'],
    ['op as text', 'a1006131'],
    ['no session', 'a200010200'],
    ['a session of 15 octets', `a30001014f${'00'.repeat(15)}0200`],
    ['no reason', `a200010150${'00'.repeat(16)}`],
    ['a negative reason', `a300010150${'00'.repeat(16)}0220`],
    ['a reason above 65535', `a300010150${'00'.repeat(16)}021a00010000`],
    ['no statement', 'a10003'],
    ['an empty statement', 'a200030340'],
  ])(`${requirement('OWN-018')} is malformed with %s`, (_, hex) => {
    expect(codeOf(() => decodeLink(fromHex(hex)))).toBe('LINK')
  })

  it('cannot be sent malformed', () => {
    expect(() => encodeLink({ op: 'sessionEnd', session: new Uint8Array(15), reason: 0 })).toThrow(MisuseError)
    expect(() => encodeLink({ op: 'sessionEnd', session: SESSION, reason: -1 })).toThrow(MisuseError)
    expect(() => encodeLink({ op: 'successor', statement: new Uint8Array(0) })).toThrow(MisuseError)
  })

  it('throws nothing but NpampError for arbitrary octets', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (octets) => void codeOf(() => decodeLink(octets))))
  })
})
