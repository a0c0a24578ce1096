import { createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { hex, octets } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDERS } from '../../../test/fixtures/npamp/providers.ts'
import { scriptedRandom } from '../../../test/fixtures/npamp/random.ts'
import { vectors } from '../../../test/fixtures/npamp/vectors.ts'
import { KEM } from '../codepoints/suites.ts'
import { joinParts, KEM_LAYOUT, KEM_SECRET_OCTETS } from './kem-layout.ts'
import { nobleProvider } from './noble/index.ts'

interface KemWire {
  readonly mlkem768_keygen: { readonly d: string; readonly z: string; readonly ek: string }
  readonly mlkem768_decaps_reference: { readonly shared_secret_K: string; readonly ciphertext_c: string }
  readonly x25519_rfc7748_6_1: Readonly<
    Record<'alice_private' | 'alice_public' | 'bob_private' | 'bob_public' | 'shared_secret', string>
  >
  readonly wire_layout: Readonly<Record<'kem_share_len' | 'kem_ciphertext_len' | 'combined_secret_len', number>>
}

const { mlkem768_keygen, mlkem768_decaps_reference, x25519_rfc7748_6_1, wire_layout } = vectors<KemWire>('kem-wire-kat')
const SEED = octets(mlkem768_keygen.d + mlkem768_keygen.z)
const EK = mlkem768_keygen.ek.toLowerCase()
const ALICE = x25519_rfc7748_6_1
const COINS = new Uint8Array(32).fill(0x77)

/** Alice's hybrid keys: NIST's ML-KEM seed and RFC 7748's X25519 key. */
function alice() {
  const random = scriptedRandom(SEED, octets(ALICE.alice_private))
  return nobleProvider({ random }).generateKemKeyPair(KEM.X25519MLKEM768)
}

/** Bob encapsulates to Alice with RFC 7748's other key. */
function bob(share: Uint8Array) {
  const random = scriptedRandom(octets(ALICE.bob_private), COINS)
  return nobleProvider({ random }).encapsulate(KEM.X25519MLKEM768, share)
}

describe('X25519MLKEM768 on the wire', () => {
  it(`${requirement('HS-023')} lays out the share as NIST's ek, then RFC 7748's public key`, () => {
    const { share } = alice()
    expect(hex(share)).toBe(EK + ALICE.alice_public)
    expect(share.length).toBe(wire_layout.kem_share_len)
  })

  it(`${requirement('HS-024')} lays out the ciphertext as ct, then the server's X25519 key`, () => {
    const { ciphertext } = bob(alice().share)
    expect(hex(ciphertext.subarray(1088))).toBe(ALICE.bob_public)
    expect(ciphertext.length).toBe(wire_layout.kem_ciphertext_len)
    expect(KEM_LAYOUT[KEM.X25519MLKEM768].mlkemCiphertextOctets).toBe(
      octets(mlkem768_decaps_reference.ciphertext_c).length,
    )
  })

  it(`${requirement('HS-026')} puts the ML-KEM secret before the X25519 secret, on both ends`, () => {
    const keys = alice()
    const { ciphertext, secret } = bob(keys.share)
    expect(hex(secret.subarray(32))).toBe(ALICE.shared_secret)
    expect(hex(keys.decapsulate(ciphertext))).toBe(hex(secret))
    expect(secret.length).toBe(wire_layout.combined_secret_len)
    expect(KEM_SECRET_OCTETS).toBe(wire_layout.combined_secret_len)
  })

  it(`${requirement('HS-026')} joins the published secrets in that order`, () => {
    const combined = joinParts(octets(mlkem768_decaps_reference.shared_secret_K), octets(ALICE.shared_secret))
    expect(hex(combined)).toBe(mlkem768_decaps_reference.shared_secret_K.toLowerCase() + ALICE.shared_secret)
  })

  it('agrees with native ML-KEM and X25519 on the published keys', () => {
    const mlkem = createPrivateKey({ key: Buffer.from(SEED), format: 'raw-seed', asymmetricKeyType: 'ml-kem-768' })
    expect(hex(createPublicKey(mlkem).export({ format: 'raw-public' }))).toBe(EK)
    const privateKey = createPrivateKey({
      key: Buffer.from(ALICE.alice_private, 'hex'),
      format: 'raw-private',
      asymmetricKeyType: 'x25519',
    })
    const publicKey = createPublicKey({
      key: Buffer.from(ALICE.bob_public, 'hex'),
      format: 'raw-public',
      asymmetricKeyType: 'x25519',
    })
    expect(hex(diffieHellman({ privateKey, publicKey }))).toBe(ALICE.shared_secret)
  })

  it.each(PROVIDERS)(`${requirement('HS-024', 'HS-026')} $name encapsulates to the published share`, (provider) => {
    const keys = alice()
    const { ciphertext, secret } = provider.encapsulate(KEM.X25519MLKEM768, octets(EK + ALICE.alice_public))
    expect(ciphertext.length).toBe(1120)
    expect(hex(keys.decapsulate(ciphertext))).toBe(hex(secret))
  })
})
