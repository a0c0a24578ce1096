import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SIGNATURE, type SignatureScheme } from '../codepoints/suites.ts'
import { nobleProvider } from '../crypto/noble/index.ts'
import { nodeProvider } from '../crypto/node/index.ts'
import { peerHandle } from '../discovery/peer-handle.ts'
import { encodeSpki } from '../discovery/public-key.ts'
import { NpampError } from '../errors.ts'
import { type CborMap, type CborValue, decodeCbor, encodeCbor } from '../wire/cbor.ts'
import { toHex } from '../wire/hex.test-support.ts'
import { signSuccessor, verifySuccessor } from './successor.ts'

const provider = nodeProvider()
const noble = nobleProvider({ random: provider.random })
const seed = (octet: number) => new Uint8Array(32).fill(octet)
const keyOf = (octet: number, scheme: SignatureScheme = SIGNATURE.ED25519) => provider.signingKey(scheme, seed(octet))
const handleOf = (key: { scheme: SignatureScheme; publicKey: Uint8Array }) =>
  peerHandle(key.scheme, key.publicKey, (data) => provider.hash('sha256', data))

const TERMS = { notBeforeS: 1_800_000_000, notAfterS: 1_800_604_800 }
const NOW = 1_800_000_100
const current = keyOf(1)
const next = keyOf(2)
const statement = () => signSuccessor(TERMS, current, next, provider)
const check = { current, nowS: NOW, provider }

function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof NpampError) return `${error.family} ${error.code}`
    throw error
  }
  return 'accepted'
}

/** The statement with some of its keys changed, encoded again. */
function altered(change: (map: Map<CborValue, CborValue>) => void): Uint8Array {
  const map = new Map(decodeCbor(statement()) as CborMap)
  change(map)
  return encodeCbor(map)
}

/** Signed as the real ones are, over whatever claims. */
function signedOver(claims: readonly (readonly [bigint, CborValue])[]): Uint8Array {
  const input = Buffer.concat([Buffer.from('causeway successor v1\0', 'latin1'), encodeCbor(new Map(claims))])
  return encodeCbor(
    new Map<CborValue, CborValue>([
      ...claims,
      [5n, current.sign(new Uint8Array(input))],
      [6n, next.sign(new Uint8Array(input))],
    ]),
  )
}

describe('a successor statement', () => {
  it('is what was written down here: Ed25519 keys of the seeds 01... and 02...', () => {
    expect(toHex(statement())).toBe(VECTOR)
  })

  it('signs the label, a zero octet and the encoding of keys 0 to 4', () => {
    const claims = [
      [0n, handleOf(current)],
      [1n, encodeSpki(next)],
      [2n, BigInt(TERMS.notBeforeS)],
      [3n, BigInt(TERMS.notAfterS)],
      [4n, BigInt(SIGNATURE.ED25519)],
    ] as const
    expect(toHex(signedOver(claims))).toBe(toHex(statement()))
  })

  it.each([
    ['Ed25519', 'Ed25519', SIGNATURE.ED25519, SIGNATURE.ED25519],
    ['Ed25519', 'ML-DSA-87', SIGNATURE.ED25519, SIGNATURE.ML_DSA_87],
    ['ML-DSA-87', 'ML-DSA-87', SIGNATURE.ML_DSA_87, SIGNATURE.ML_DSA_87],
  ])('%s to %s verifies, by the other provider too', (_, __, from, to) => {
    const [old, young] = [keyOf(3, from), keyOf(4, to)]
    const octets = signSuccessor(TERMS, old, young, provider)
    for (const one of [provider, noble]) {
      expect(verifySuccessor(octets, { current: old, nowS: NOW, provider: one })).toEqual({
        ...TERMS,
        currentHandle: handleOf(old),
        next: { scheme: to, publicKey: young.publicKey },
        nextHandle: handleOf(young),
      })
    }
  })

  it('holds from its first second to its last', () => {
    const at = (nowS: number) => codeOf(() => verifySuccessor(statement(), { ...check, nowS }))
    expect([at(TERMS.notBeforeS), at(TERMS.notAfterS)]).toEqual(['accepted', 'accepted'])
    expect(at(TERMS.notBeforeS - 1)).toBe('authentication SUCCESSOR')
    expect(at(TERMS.notAfterS + 1)).toBe('authentication SUCCESSOR')
  })

  it('a key that is not known yet is nobody’s business, and not signed', () => {
    expect(
      codeOf(() =>
        verifySuccessor(
          altered((map) => map.set(7n, 'later')),
          check,
        ),
      ),
    ).toBe('accepted')
  })

  it('is not made for an empty span or for one key', () => {
    expect(codeOf(() => signSuccessor({ notBeforeS: 5, notAfterS: 5 }, current, next, provider))).toBe(
      'misuse ARGUMENT',
    )
    expect(codeOf(() => signSuccessor({ notBeforeS: 0.5, notAfterS: 5 }, current, next, provider))).toBe(
      'misuse ARGUMENT',
    )
    expect(codeOf(() => signSuccessor(TERMS, current, keyOf(1), provider))).toBe('misuse ARGUMENT')
  })
})

describe('who forges a successor statement', () => {
  it('changes any one bit: refused', () => {
    const octets = statement()
    for (let bit = 0; bit < octets.length * 8; bit++) {
      const forged = octets.slice()
      forged[bit >> 3] = (forged[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(
        codeOf(() => verifySuccessor(forged, check)),
        `bit ${bit}`,
      ).not.toBe('accepted')
    }
  })

  it('cuts it at any index, or adds to it: refused', () => {
    const octets = statement()
    for (let length = 0; length < octets.length; length++)
      expect(codeOf(() => verifySuccessor(octets.subarray(0, length), check))).not.toBe('accepted')
    expect(codeOf(() => verifySuccessor(Uint8Array.of(...octets, 0), check))).toBe('malformed CBOR')
  })

  it('sends whatever octets: a typed error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (octets) => {
        expect(codeOf(() => verifySuccessor(octets, check))).not.toBe('accepted')
      }),
    )
  })

  it('sends more than a statement can have: refused before it is read', () => {
    expect(codeOf(() => verifySuccessor(new Uint8Array(16_385), check))).toBe('limit LENGTH')
  })

  it('signs with only one of the two keys: refused', () => {
    const byCurrent = altered((map) => map.set(6n, map.get(5n)))
    const byNext = altered((map) => map.set(5n, map.get(6n)))
    const swapped = altered((map) => {
      const [first, second] = [map.get(5n), map.get(6n)]
      map.set(5n, second)
      map.set(6n, first)
    })
    for (const octets of [byCurrent, byNext, swapped])
      expect(codeOf(() => verifySuccessor(octets, check))).toBe('authentication SUCCESSOR')
  })

  it('tells it about a key that is not the one authenticated: refused', () => {
    expect(codeOf(() => verifySuccessor(statement(), { ...check, current: keyOf(9) }))).toBe('authentication SUCCESSOR')
    const otherScheme = { ...check, current: keyOf(1, SIGNATURE.ML_DSA_87) }
    expect(codeOf(() => verifySuccessor(statement(), otherScheme))).toBe('authentication SUCCESSOR')
  })

  it('names the current key as its own successor: refused', () => {
    const claims = [
      [0n, handleOf(current)],
      [1n, encodeSpki(current)],
      [2n, BigInt(TERMS.notBeforeS)],
      [3n, BigInt(TERMS.notAfterS)],
      [4n, BigInt(SIGNATURE.ED25519)],
    ] as const
    expect(codeOf(() => verifySuccessor(signedOver(claims), check))).toBe('authentication SUCCESSOR')
  })

  it.each([
    ['no map', () => encodeCbor(1n), 'malformed SUCCESSOR'],
    ['an unknown suite', () => altered((map) => map.set(4n, 1n)), 'malformed SUCCESSOR'],
    ['no next key', () => altered((map) => map.delete(1n)), 'malformed SUCCESSOR'],
    ['a next key of another form', () => altered((map) => map.set(1n, new Uint8Array(44))), 'malformed KEY'],
    ['a handle that is none', () => altered((map) => map.set(0n, 'me')), 'malformed PEER_HANDLE'],
    ['a span that ends first', () => altered((map) => map.set(3n, 1n)), 'malformed SUCCESSOR'],
    ['a short signature', () => altered((map) => map.set(5n, new Uint8Array(63))), 'malformed SUCCESSOR'],
    ['no signature by the next', () => altered((map) => map.delete(6n)), 'malformed SUCCESSOR'],
    ['a negative key', () => altered((map) => map.set(-1n, 1n)), 'malformed SUCCESSOR'],
  ])('sends %s: refused', (_, make, code) => {
    expect(codeOf(() => verifySuccessor(make(), check))).toBe(code)
  })
})

const VECTOR =
  'a7007838626369716465787535766b767133626e70376e7567377870693473366666717a6267656433376d32736d7a636664697569766b7a' +
  '7669326901582c302a300506032b65700321008139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394021a6b49d2' +
  '00031a6b530c8004190807055840a41e24c4aa0b92f6b94dd7520dbb5ca9a3f6c915b6adfe4da6051b282c141695e5bf14cd99976a47a17e' +
  '9c988094c9828a8f109e6cb44edad2ea2823d4068d0c06584038a427e49331a6599ff9e332f7f7f9e8c8e85a9b15556e22946be387308b3e' +
  'c6858894d735470db006b6c2ccc743c122c72e6b8da19a2c918f308dd1b7c66901'
