import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex, octets } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDERS, seededNoble } from '../../../test/fixtures/npamp/providers.ts'
import { AEAD, KEM, SIGNATURE } from '../codepoints/suites.ts'
import { concatOctets } from '../wire/octets.ts'
import { nobleProvider } from './noble/index.ts'

/** Points of small order and their non-canonical forms: X25519 gives zero for all of them (RFC 7748 section 6.1). */
const LOW_ORDER_POINTS = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]

const NONCE = new Uint8Array(12)
const AAD = new Uint8Array(21)

describe.each(PROVIDERS)('the $name provider', (provider) => {
  describe.each(Object.entries(KEM))('%s', (_, kem) => {
    it(`${requirement('HS-027')} refuses a share of another length`, () => {
      const { share } = provider.generateKemKeyPair(kem)
      for (const wrong of [share.subarray(1), concatOctets([share, Uint8Array.of(0)]), new Uint8Array(0)]) {
        expect(failure(() => provider.encapsulate(kem, wrong))).toBe('malformed/TLV_VALUE')
      }
    })

    it(`${requirement('HS-027')} refuses a ciphertext of another length`, () => {
      const keys = provider.generateKemKeyPair(kem)
      const { ciphertext } = provider.encapsulate(kem, keys.share)
      for (const wrong of [ciphertext.subarray(1), concatOctets([ciphertext, Uint8Array.of(0)]), new Uint8Array(0)]) {
        expect(failure(() => keys.decapsulate(wrong))).toBe('malformed/TLV_VALUE')
      }
    })

    it.each(LOW_ORDER_POINTS)(`${requirement('HS-028')} refuses the low-order point %s on both sides`, (point) => {
      const keys = provider.generateKemKeyPair(kem)
      const { ciphertext } = provider.encapsulate(kem, keys.share)
      const share = new Uint8Array(keys.share)
      share.set(octets(point), share.length - 32)
      ciphertext.set(octets(point), ciphertext.length - 32)
      expect(failure(() => provider.encapsulate(kem, share))).toBe('authentication/KEM')
      expect(failure(() => keys.decapsulate(ciphertext))).toBe('authentication/KEM')
    })

    it('refuses an encapsulation key with a coefficient that is not below the modulus', () => {
      const share = new Uint8Array(provider.generateKemKeyPair(kem).share)
      // The first 12 bits become 3329 = q, the least value that must fail.
      share[0] = 0x01
      share[1] = ((share[1] as number) & 0xf0) | 0x0d
      expect(failure(() => provider.encapsulate(kem, share))).toBe('authentication/KEM')
    })

    it('makes a fresh pair each time and none that works after wiping', () => {
      const keys = provider.generateKemKeyPair(kem)
      const { ciphertext } = provider.encapsulate(kem, keys.share)
      expect(hex(provider.generateKemKeyPair(kem).share)).not.toBe(hex(keys.share))
      keys.wipe()
      keys.wipe()
      expect(failure(() => keys.decapsulate(ciphertext))).toBe('closed/WIPED')
    })
  })

  describe.each(Object.entries(AEAD))('%s', (_, suite) => {
    it('neither seals nor opens after wiping', () => {
      const key = provider.aead(suite, new Uint8Array(32))
      const sealed = concatOctets(key.seal(NONCE, AAD, [AAD]))
      key.wipe()
      key.wipe()
      expect(failure(() => key.seal(NONCE, AAD, [AAD]))).toBe('closed/WIPED')
      expect(failure(() => key.open(NONCE, AAD, [sealed]))).toBe('closed/WIPED')
    })

    it('seals and opens alike however often it was used before, and is wiped then too', () => {
      const [key, other] = [provider.aead(suite, new Uint8Array(32)), provider.aead(suite, new Uint8Array(32))]
      for (let use = 0; use < 200; use++) {
        const nonce = Uint8Array.of(use, ...new Uint8Array(11))
        expect(key.open(nonce, AAD, other.seal(nonce, AAD, [AAD]))).toEqual(AAD)
      }
      key.wipe()
      expect(failure(() => key.seal(NONCE, AAD, [AAD]))).toBe('closed/WIPED')
    })

    it('copies its key', () => {
      const octetsOfKey = new Uint8Array(32).fill(3)
      const key = provider.aead(suite, octetsOfKey)
      const before = hex(concatOctets(key.seal(NONCE, AAD, [AAD])))
      octetsOfKey.fill(0)
      expect(hex(concatOctets(key.seal(NONCE, AAD, [AAD])))).toBe(before)
    })

    it(`${requirement('REC-010')} keeps no nonce: one array may be reused for the next frame`, () => {
      const key = provider.aead(suite, new Uint8Array(32))
      const nonce = new Uint8Array(12)
      const first = key.seal(nonce, AAD, [AAD])
      const before = hex(concatOctets(first))
      nonce[11] = 1
      const second = key.seal(nonce, AAD, [AAD])
      expect(hex(concatOctets(first))).toBe(before)
      expect(hex(concatOctets(second))).not.toBe(before)
    })

    it('changes neither the plaintext nor the sealed octets', () => {
      const key = provider.aead(suite, new Uint8Array(32))
      const plaintext = new Uint8Array(5000).fill(9)
      const sealed = concatOctets(key.seal(NONCE, AAD, [plaintext.subarray(0, 10), plaintext.subarray(10)]))
      const before = hex(sealed)
      const opened = key.open(NONCE, AAD, [sealed])
      expect(plaintext.every((octet) => octet === 9)).toBe(true)
      expect(hex(sealed)).toBe(before)
      opened?.fill(0)
      expect(hex(sealed)).toBe(before)
    })

    it('opens pieces of any cut, and what it opened stays as it is', () => {
      const key = provider.aead(suite, new Uint8Array(32))
      const plaintext = new Uint8Array(70_000).fill(9)
      const sealed = concatOctets(key.seal(NONCE, AAD, [plaintext]))
      const cut = (at: number) => [sealed.subarray(0, at), sealed.subarray(at, at + 1), sealed.subarray(at + 1)]
      const opened = [0, 1, 50_000, sealed.length - 17, sealed.length - 8].map((at) => key.open(NONCE, AAD, cut(at)))
      const altered = sealed.slice()
      altered[0] = (altered[0] ?? 0) ^ 1
      expect(key.open(NONCE, AAD, [altered.subarray(0, 10), altered.subarray(10)])).toBeUndefined()
      for (const one of opened) expect(one).toEqual(plaintext)
    })

    it('seals nothing at all and gives it back', () => {
      const key = provider.aead(suite, new Uint8Array(32))
      const sealed = concatOctets(key.seal(NONCE, AAD, []))
      expect(sealed.length).toBe(16)
      expect(key.open(NONCE, AAD, [sealed])?.length).toBe(0)
    })
  })

  it('gives out plain arrays that alias nothing', () => {
    const opened = provider
      .aead(AEAD.AES_256_GCM, new Uint8Array(32))
      .open(NONCE, AAD, provider.aead(AEAD.AES_256_GCM, new Uint8Array(32)).seal(NONCE, AAD, [AAD]))
    const values = [
      provider.random(8),
      provider.hash('sha256', AAD),
      provider.hmac('sha256', AAD, AAD),
      provider.hkdfExtract('sha384', AAD, AAD),
      provider.hkdfExpand('sha256', AAD, AAD, 40),
      provider.generateKemKeyPair(KEM.X25519MLKEM768).share,
      provider.signingKey(SIGNATURE.ED25519, new Uint8Array(32)).publicKey,
      opened,
    ]
    for (const value of values) expect(Object.getPrototypeOf(value)).toBe(Uint8Array.prototype)
  })

  it('does not alias the seed of a signing key', () => {
    for (const scheme of Object.values(SIGNATURE)) {
      const seed = new Uint8Array(32).fill(4)
      const key = provider.signingKey(scheme, seed)
      seed.fill(0)
      expect(provider.verify(scheme, key.publicKey, AAD, key.sign(AAD))).toBe(true)
    }
  })
})

describe('randomness', () => {
  it(`${requirement('WIRE-042')} the native provider draws fresh octets`, () => {
    const [node] = PROVIDERS
    const draws = Array.from({ length: 100 }, () => hex(node?.random(16) ?? AAD))
    expect(new Set(draws).size).toBe(100)
  })

  it('the noble provider repeats itself for the same seed, octet for octet', () => {
    const run = () => {
      const provider = seededNoble('twice')
      const keys = provider.generateKemKeyPair(KEM.X25519MLKEM768)
      const { ciphertext, secret } = provider.encapsulate(KEM.X25519MLKEM768, keys.share)
      const signature = provider.signingKey(SIGNATURE.ML_DSA_87, new Uint8Array(32)).sign(AAD)
      return hex(concatOctets([keys.share, ciphertext, secret, signature, provider.random(7)]))
    }
    expect(run()).toBe(run())
  })

  it('the noble provider has no other source than the one it was given', () => {
    let drawn = 0
    const provider = nobleProvider({
      random: (length) => {
        drawn += length
        return new Uint8Array(length).fill(drawn & 0xff)
      },
    })
    const keys = provider.generateKemKeyPair(KEM.X25519MLKEM768)
    provider.encapsulate(KEM.X25519MLKEM768, keys.share)
    expect(drawn).toBe(64 + 32 + 32 + 32)
    provider.signingKey(SIGNATURE.ML_DSA_87, new Uint8Array(32)).sign(AAD)
    expect(drawn).toBe(160 + 32)
  })
})
