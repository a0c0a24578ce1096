import { createHash } from 'node:crypto'
import { requirement } from '@causeway/test/requirements'
import { ed25519 } from '@noble/curves/ed25519.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SIGNATURE } from '../codepoints/suites.ts'
import { AuthenticationError, MisuseError, NpampError } from '../errors.ts'
import { fromHex, toHex } from '../wire/hex.test-support.ts'
import { compareOctets } from '../wire/octets.ts'
import { decodeBase32, encodeBase32 } from './base32.ts'
import { isPeerHandle, parsePeerHandle, peerHandle, requireClaimedHandle, samePeerHandle } from './peer-handle.ts'
import { decodeSpki, encodeSpki } from './public-key.ts'

/** Digest 05 section 5.3. */
const ZERO_SEED_KEY = fromHex('3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29')
const ZERO_SEED_HANDLE = 'bciqj6hzzzgs3tczvxwp4d2vjttmevivmqgfkh4mh7ujkzv2gt6gg75i'

const sha256 = (data: Uint8Array) => new Uint8Array(createHash('sha256').update(data).digest())
const provider = {
  hash: (_: 'sha256' | 'sha384', data: Uint8Array) => sha256(data),
  equal: (a: Uint8Array, b: Uint8Array) => compareOctets(a, b) === 0,
}
const handleOf = (key: Uint8Array) => peerHandle(SIGNATURE.ED25519, key, sha256)

function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof NpampError) return error.code
    throw error
  }
  return 'accepted'
}

describe('peerHandle', () => {
  it(`${requirement('PH-013', 'PH-001', 'PH-002', 'PH-003', 'PH-004')} gives the worked example of the all-zero seed`, () => {
    expect(ed25519.getPublicKey(new Uint8Array(32))).toEqual(ZERO_SEED_KEY)
    expect(handleOf(ZERO_SEED_KEY)).toBe(ZERO_SEED_HANDLE)
  })

  it(`${requirement('PH-002')} tags ML-DSA-87 keys with 92 24`, () => {
    expect(peerHandle(SIGNATURE.ML_DSA_87, new Uint8Array(2592), sha256)).toBe(
      'bciqa7fm6v3paqntozixsx5xkncnarv3wiwfxitcuqegxxcahzeoh46q',
    )
  })

  it(`${requirement('PH-001', 'PH-003')} hashes the tagged raw key once and wraps the digest behind 12 20`, () => {
    const hashed: string[] = []
    const handle = peerHandle(SIGNATURE.ED25519, ZERO_SEED_KEY, (data) => {
      hashed.push(toHex(data))
      return new Uint8Array(32)
    })
    expect(hashed).toEqual([`ed01${toHex(ZERO_SEED_KEY)}`])
    expect(toHex(decodeBase32(handle.slice(1)) ?? new Uint8Array(0))).toBe(`1220${'00'.repeat(32)}`)
  })

  it(`${requirement('PH-004')} is 56 characters, b and lower-case base32 without padding`, () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (key) => {
        expect(handleOf(key)).toMatch(/^bciq[a-p][a-z2-7]{51}$/)
      }),
    )
  })

  it(`${requirement('PH-005')} names the two keys of a hybrid peer apart`, () => {
    const handles = [handleOf(ZERO_SEED_KEY), peerHandle(SIGNATURE.ML_DSA_87, new Uint8Array(2592), sha256)]
    expect(new Set(handles).size).toBe(2)
  })

  it(`${requirement('PH-011')} changes with every bit of the key`, () => {
    const handles = new Set([ZERO_SEED_HANDLE])
    for (let bit = 0; bit < 256; bit++) {
      const key = ZERO_SEED_KEY.slice()
      key[bit >> 3] = (key[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      handles.add(handleOf(key))
    }
    expect(handles.size).toBe(257)
  })

  it('refuses a key of another length', () => {
    expect(() => handleOf(new Uint8Array(31))).toThrow(MisuseError)
    expect(() => peerHandle(SIGNATURE.ML_DSA_87, ZERO_SEED_KEY, sha256)).toThrow(MisuseError)
  })
})

describe('parsePeerHandle', () => {
  it('gives the digest', () => {
    expect(parsePeerHandle(ZERO_SEED_HANDLE)).toEqual(
      fromHex('9f1f39c9a5b98b35bd9fc1eaa99cd84aa2ac818aa3f187fd12acd7469f8c6ff5'),
    )
  })

  it(`${requirement('PH-004')} refuses upper case, other multibases, padding, other lengths and other spellings`, () => {
    const bad = [
      '',
      'b',
      ZERO_SEED_HANDLE.toUpperCase(),
      `B${ZERO_SEED_HANDLE.slice(1)}`,
      `z${ZERO_SEED_HANDLE.slice(1)}`,
      `${ZERO_SEED_HANDLE}=`,
      `${ZERO_SEED_HANDLE}a`,
      ZERO_SEED_HANDLE.slice(0, -1),
      `${ZERO_SEED_HANDLE.slice(0, -1)}j`, // padding bits that are not zero
      ` ${ZERO_SEED_HANDLE}`,
      ZERO_SEED_HANDLE.replace('6', '1'),
    ]
    for (const text of bad) {
      expect(codeOf(() => parsePeerHandle(text))).toBe('PEER_HANDLE')
      expect(isPeerHandle(text)).toBe(false)
    }
    expect(isPeerHandle(ZERO_SEED_HANDLE)).toBe(true)
  })

  it(`${requirement('PH-003')} refuses another multihash`, () => {
    for (const head of ['1120', '1221', '1620'])
      expect(isPeerHandle(`b${encodeBase32(fromHex(head + '00'.repeat(32)))}`)).toBe(false)
  })

  it('throws nothing but NpampError for arbitrary text', () => {
    fc.assert(fc.property(fc.string(), (text) => void codeOf(() => parsePeerHandle(text))))
  })
})

describe('a claimed handle', () => {
  it(`${requirement('PH-007')} is recomputed from the key; any other one is an authentication error`, () => {
    const other = handleOf(new Uint8Array(32))
    expect(codeOf(() => requireClaimedHandle(ZERO_SEED_HANDLE, SIGNATURE.ED25519, ZERO_SEED_KEY, provider))).toBe(
      'accepted',
    )
    for (const claimed of [other, ZERO_SEED_HANDLE.toUpperCase(), '', `${ZERO_SEED_HANDLE} `])
      expect(() => requireClaimedHandle(claimed, SIGNATURE.ED25519, ZERO_SEED_KEY, provider)).toThrow(
        AuthenticationError,
      )
  })

  it(`${requirement('REC-007')} is compared by the provider, which does so in constant time`, () => {
    const compared: number[] = []
    const spy = {
      equal: (a: Uint8Array, b: Uint8Array) => {
        compared.push(a.length, b.length)
        return false
      },
    }
    expect(samePeerHandle(ZERO_SEED_HANDLE, ZERO_SEED_HANDLE, spy)).toBe(false)
    expect(compared).toEqual([56, 56])
  })
})

describe('the scope of a handle', () => {
  it(`${requirement('PH-012')} is the connection: a name can be made, read and compared, never looked up or ranked`, async () => {
    expect(Object.keys(await import('./peer-handle.ts')).sort()).toEqual([
      'PEER_HANDLE_LENGTH',
      'isPeerHandle',
      'parsePeerHandle',
      'peerHandle',
      'requireClaimedHandle',
      'samePeerHandle',
    ])
  })
})

describe('SubjectPublicKeyInfo', () => {
  it(`${requirement('PH-006')} carries an Ed25519 key with OID 1.3.101.112`, () => {
    const spki = encodeSpki({ scheme: SIGNATURE.ED25519, publicKey: ZERO_SEED_KEY })
    expect(toHex(spki)).toBe(`302a300506032b6570032100${toHex(ZERO_SEED_KEY)}`)
    expect(decodeSpki(spki)).toEqual({ scheme: SIGNATURE.ED25519, publicKey: ZERO_SEED_KEY })
  })

  it(`${requirement('PH-006')} carries an ML-DSA-87 key with OID 2.16.840.1.101.3.4.3.19 in 2614 octets`, () => {
    const publicKey = new Uint8Array(2592).fill(7)
    const spki = encodeSpki({ scheme: SIGNATURE.ML_DSA_87, publicKey })
    expect(spki.length).toBe(2614)
    expect(toHex(spki.subarray(0, 22))).toBe('30820a32300b060960864801650304031303820a2100')
    expect(decodeSpki(spki)).toEqual({ scheme: SIGNATURE.ML_DSA_87, publicKey })
  })

  it('is refused when cut at any index, continued, or of another algorithm', () => {
    const spki = encodeSpki({ scheme: SIGNATURE.ED25519, publicKey: ZERO_SEED_KEY })
    for (let length = 0; length < spki.length; length++)
      expect(codeOf(() => decodeSpki(spki.subarray(0, length)))).toBe('KEY')
    expect(codeOf(() => decodeSpki(fromHex(`${toHex(spki)}00`)))).toBe('KEY')
    for (let at = 0; at < 12; at++) {
      const other = spki.slice()
      other[at] = (other[at] ?? 0) ^ 1
      expect(codeOf(() => decodeSpki(other))).toBe('KEY')
    }
    expect(() => encodeSpki({ scheme: SIGNATURE.ED25519, publicKey: new Uint8Array(33) })).toThrow(MisuseError)
  })
})

describe('base32', () => {
  it('gives the examples of RFC 4648 section 10 without padding', () => {
    const examples = {
      '': '',
      f: 'my',
      fo: 'mzxq',
      foo: 'mzxw6',
      foob: 'mzxw6yq',
      fooba: 'mzxw6ytb',
      foobar: 'mzxw6ytboi',
    }
    for (const [text, encoded] of Object.entries(examples)) {
      expect(encodeBase32(new TextEncoder().encode(text))).toBe(encoded)
      expect(new TextDecoder().decode(decodeBase32(encoded))).toBe(text)
    }
  })

  it('decodes to what was encoded, and has one spelling for it', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ unit: fc.constantFrom(...'abcdwxyz234567A1=') }), (octets, text) => {
        expect(decodeBase32(encodeBase32(octets))).toEqual(octets)
        const decoded = decodeBase32(text)
        if (decoded !== undefined) expect(encodeBase32(decoded)).toBe(text)
      }),
    )
  })
})
