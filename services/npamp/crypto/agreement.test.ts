import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDER_PAIRS } from '../../../test/fixtures/npamp/providers.ts'
import { AEAD, KEM, SIGNATURE } from '../codepoints/suites.ts'
import { concatOctets } from '../wire/octets.ts'
import { KEM_LAYOUT } from './kem-layout.ts'
import { SIGNATURE_LAYOUT } from './signature-layout.ts'

const octetsOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const anyHash = fc.constantFrom('sha256', 'sha384')
const anyAead = fc.constantFrom(...Object.values(AEAD))
const anyMessage = fc.uint8Array({ maxLength: 300 })

/** What one provider makes, the other one takes: in every direction, itself included. */
describe.each(PROVIDER_PAIRS)('$name', ({ one, other }) => {
  it('hash, MAC and derive alike', () => {
    fc.assert(
      fc.property(anyHash, fc.uint8Array({ maxLength: 200 }), anyMessage, fc.nat(500), (name, key, data, length) => {
        expect(hex(one.hash(name, data))).toBe(hex(other.hash(name, data)))
        expect(hex(one.hmac(name, key, data))).toBe(hex(other.hmac(name, key, data)))
        expect(hex(one.hkdfExtract(name, key, data))).toBe(hex(other.hkdfExtract(name, key, data)))
        expect(hex(one.hkdfExpand(name, key, data, length))).toBe(hex(other.hkdfExpand(name, key, data, length)))
      }),
    )
  })

  it('open what the other sealed, however the plaintext was cut', () => {
    const parts = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 4 })
    fc.assert(
      fc.property(anyAead, octetsOf(32), octetsOf(12), octetsOf(21), parts, (suite, key, nonce, aad, plaintext) => {
        const sealed = concatOctets(one.aead(suite, key).seal(nonce, aad, plaintext))
        expect(sealed.length).toBe(concatOctets(plaintext).length + 16)
        const opened = other.aead(suite, key).open(nonce, aad, [sealed])
        expect(opened === undefined ? 'did not open' : hex(opened)).toBe(hex(concatOctets(plaintext)))
      }),
      { numRuns: 60 },
    )
  })

  it(`${requirement('WIRE-012')} open nothing after any octet of key, nonce, data or sealed text changed`, () => {
    const place = fc.record({ of: fc.constantFrom('key', 'nonce', 'aad', 'sealed'), at: fc.nat(), bit: fc.nat(7) })
    fc.assert(
      fc.property(
        anyAead,
        octetsOf(32),
        octetsOf(12),
        octetsOf(21),
        anyMessage,
        place,
        (suite, key, nonce, aad, m, p) => {
          const input = { key, nonce, aad, sealed: concatOctets(one.aead(suite, key).seal(nonce, aad, [m])) }
          const target = (input as Record<string, Uint8Array>)[p.of] as Uint8Array
          target[p.at % target.length] = (target[p.at % target.length] as number) ^ (1 << p.bit)
          expect(other.aead(suite, input.key).open(input.nonce, input.aad, [input.sealed])).toBeUndefined()
        },
      ),
    )
  })

  it.each(Object.entries(KEM))(`${requirement('HS-025', 'HS-026')} share a %s secret`, (_, kem) => {
    const keys = one.generateKemKeyPair(kem)
    const { ciphertext, secret } = other.encapsulate(kem, keys.share)
    expect(keys.share.length).toBe(KEM_LAYOUT[kem].shareOctets)
    expect(ciphertext.length).toBe(KEM_LAYOUT[kem].ciphertextOctets)
    expect(hex(keys.decapsulate(ciphertext))).toBe(hex(secret))
  })

  it.each(Object.entries(KEM))(
    `${requirement('HS-029')} a damaged %s ciphertext gives another secret, no error`,
    (_, kem) => {
      const keys = one.generateKemKeyPair(kem)
      const { ciphertext, secret } = other.encapsulate(kem, keys.share)
      ciphertext[5] = (ciphertext[5] as number) ^ 0x10
      const damaged = keys.decapsulate(ciphertext)
      expect(damaged.length).toBe(secret.length)
      expect(hex(damaged.subarray(0, 32))).not.toBe(hex(secret.subarray(0, 32)))
      expect(hex(damaged.subarray(32))).toBe(hex(secret.subarray(32)))
    },
  )

  it.each(Object.entries(SIGNATURE))(`${requirement('HS-052')} verify each other's %s signatures`, (_, scheme) => {
    const seed = new Uint8Array(32).fill(scheme & 0xff)
    const message = new Uint8Array(130).fill(0xaa)
    const key = one.signingKey(scheme, seed)
    expect(hex(other.signingKey(scheme, seed).publicKey)).toBe(hex(key.publicKey))
    expect(key.publicKey.length).toBe(SIGNATURE_LAYOUT[scheme].publicKeyOctets)
    const signature = key.sign(message)
    expect(signature.length).toBe(SIGNATURE_LAYOUT[scheme].signatureOctets)
    expect(other.verify(scheme, key.publicKey, message, signature)).toBe(true)
    expect(other.verify(scheme, key.publicKey, message.subarray(1), signature)).toBe(false)
    expect(other.verify(scheme, key.publicKey, message, signature.subarray(1))).toBe(false)
    expect(other.verify(scheme, key.publicKey, message, new Uint8Array(0))).toBe(false)
    expect(other.verify(scheme, other.signingKey(scheme, message.subarray(0, 32)).publicKey, message, signature)).toBe(
      false,
    )
  })

  it('judge Ed25519 signatures alike, whatever key, message and signature are', () => {
    fc.assert(
      fc.property(octetsOf(32), anyMessage, octetsOf(64), (key, message, signature) => {
        expect(one.verify(SIGNATURE.ED25519, key, message, signature)).toBe(
          other.verify(SIGNATURE.ED25519, key, message, signature),
        )
      }),
      { numRuns: 30 },
    )
  })

  it('compare octets alike', () => {
    fc.assert(
      fc.property(anyMessage, anyMessage, (a, b) => {
        expect(one.equal(a, b)).toBe(hex(a) === hex(b))
        expect(one.equal(a, new Uint8Array(a))).toBe(true)
      }),
    )
  })

  it('refuse the same arguments with the same errors', () => {
    const nothing = new Uint8Array(0)
    for (const provider of [one, other]) {
      const key = provider.aead(AEAD.AES_256_GCM, new Uint8Array(32))
      expect(failure(() => provider.aead(AEAD.AES_256_GCM, new Uint8Array(31)))).toBe('misuse/ARGUMENT')
      expect(failure(() => key.seal(new Uint8Array(11), nothing, []))).toBe('misuse/ARGUMENT')
      expect(failure(() => key.open(new Uint8Array(12), nothing, [new Uint8Array(15)]))).toBe('misuse/ARGUMENT')
      expect(failure(() => provider.signingKey(SIGNATURE.ED25519, new Uint8Array(31)))).toBe('misuse/ARGUMENT')
      expect(failure(() => provider.hkdfExpand('sha256', nothing, nothing, 255 * 32 + 1))).toBe('limit/LENGTH')
      expect(failure(() => provider.verify(SIGNATURE.ED25519, new Uint8Array(31), nothing, nothing))).toBe(
        'malformed/KEY',
      )
    }
  })
})
