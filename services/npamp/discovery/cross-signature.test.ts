import { requirement } from '@causeway/test/requirements'
import { ed25519 } from '@noble/curves/ed25519.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MalformedError, MisuseError, NpampError } from '../errors.ts'
import { type CborValue, encodeCbor } from '../wire/cbor.ts'
import { fromHex, toHex } from '../wire/hex.test-support.ts'
import { compareOctets } from '../wire/octets.ts'
import {
  type CrossSignature,
  type CrossStatement,
  decodeCrossStatement,
  encodeCrossStatement,
  type ForeignVerifier,
  linkForeignIdentity,
} from './cross-signature.ts'

const HANDLE = 'bciqj6hzzzgs3tczvxwp4d2vjttmevivmqgfkh4mh7ujkzv2gt6gg75i'
const OTHER_HANDLE = 'bciqa7fm6v3paqntozixsx5xkncnarv3wiwfxitcuqegxxcahzeoh46q'
const STATEMENT: CrossStatement = { controls: HANDLE, foreignId: 'did:example:alice', notAfter: 1_893_456_000n }
const BEFORE = 1_893_455_999n
const provider = { equal: (a: Uint8Array, b: Uint8Array) => compareOctets(a, b) === 0 }

const aliceSeed = new Uint8Array(32).fill(1)
const alice = ed25519.getPublicKey(aliceSeed)

/** Trusts `did:example:alice` by her Ed25519 key. */
const trusted: ForeignVerifier = async (foreignId, statement, signature) =>
  foreignId === 'did:example:alice' && ed25519.verify(signature, statement, alice)

function signed(statement: CrossStatement, seed = aliceSeed): CrossSignature {
  const octets = encodeCrossStatement(statement)
  return { statement: octets, signature: ed25519.sign(octets, seed) }
}

const link = (cross: CrossSignature | undefined, now = BEFORE, verify = trusted) =>
  linkForeignIdentity(cross, HANDLE, now, verify, provider)

describe('a cross-signature', () => {
  it(`${requirement('PH-008')} links a foreign identity to the handle until it expires`, async () => {
    expect(await link(signed(STATEMENT))).toEqual({
      linked: true,
      foreignId: 'did:example:alice',
      notAfter: 1_893_456_000n,
    })
  })

  it(`${requirement('PH-009')} that has expired links nothing and is not even verified`, async () => {
    const verified: string[] = []
    const spy: ForeignVerifier = (id) => verified.push(id) > 0
    for (const now of [1_893_456_000n, 1_893_456_001n, 1n << 63n])
      expect(await link(signed(STATEMENT), now, spy)).toEqual({ linked: false, why: 'expired' })
    expect(verified).toEqual([])
  })

  it(`${requirement('PH-009')} that does not verify links nothing`, async () => {
    expect(await link(signed(STATEMENT, new Uint8Array(32).fill(2)))).toEqual({ linked: false, why: 'badSignature' })
    const longer = encodeCrossStatement({ ...STATEMENT, notAfter: STATEMENT.notAfter + 1n })
    expect(await link({ ...signed(STATEMENT), statement: longer })).toEqual({ linked: false, why: 'badSignature' })
    const stranger = signed({ ...STATEMENT, foreignId: 'did:example:mallory' })
    expect(await link(stranger)).toEqual({ linked: false, why: 'badSignature' })
  })

  it('for another handle links nothing', async () => {
    expect(await link(signed({ ...STATEMENT, controls: OTHER_HANDLE }))).toEqual({ linked: false, why: 'otherHandle' })
  })

  it(`${requirement('PH-010')} that is missing is no failure`, async () => {
    expect(await link(undefined)).toEqual({ linked: false, why: 'missing' })
  })

  it('that cannot be read links nothing', async () => {
    expect(await link({ statement: fromHex('a0'), signature: new Uint8Array(64) })).toEqual({
      linked: false,
      why: 'malformed',
    })
  })
})

describe('the statement', () => {
  it('is deterministic CBOR with its keys in the order of their encodings', () => {
    expect(toHex(encodeCrossStatement({ ...STATEMENT, foreignId: 'x' }))).toBe(
      `a368636f6e74726f6c737838${toHex(new TextEncoder().encode(HANDLE))}` +
        '696e6f745f61667465721a70dbd880' +
        '6a666f726569676e5f69646178',
    )
    expect(decodeCrossStatement(encodeCrossStatement(STATEMENT))).toEqual(STATEMENT)
  })

  it('has exactly three keys of the right types', () => {
    const good: [CborValue, CborValue][] = [
      ['controls', HANDLE],
      ['not_after', 1n],
      ['foreign_id', 'x'],
    ]
    const bad: [CborValue, CborValue][][] = [
      good.slice(1),
      [...good, ['more', 1n]],
      [['controls', 1n], ...good.slice(1)],
      [['controls', 'nobody'], ...good.slice(1)],
      [good[0] ?? ['', ''], ['not_after', -1n], ['foreign_id', 'x']],
      [good[0] ?? ['', ''], ['not_after', '1'], ['foreign_id', 'x']],
    ]
    for (const entries of bad) expect(() => decodeCrossStatement(encodeCbor(new Map(entries)))).toThrow(MalformedError)
    expect(() => encodeCrossStatement({ ...STATEMENT, controls: 'nobody' })).toThrow(MalformedError)
    expect(() => encodeCrossStatement({ ...STATEMENT, foreignId: '' })).toThrow(MisuseError)
  })

  it('throws nothing but NpampError for arbitrary octets', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (octets) => {
        try {
          decodeCrossStatement(octets)
        } catch (error) {
          expect(error).toBeInstanceOf(NpampError)
        }
      }),
    )
  })
})
