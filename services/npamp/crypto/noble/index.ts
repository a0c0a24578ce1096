import type { HashName } from '../../codepoints/profiles.ts'
import type { AeadSuite, Kem, SignatureScheme } from '../../codepoints/suites.ts'
import type { AeadKey, CryptoProvider, KemKeyPair, SigningKey } from '../provider.ts'
import { newScratch } from '../scratch.ts'
import { NobleAeadKey } from './aead.ts'
import { hash, hkdfExpand, hkdfExtract, hmac } from './hashes.ts'
import { encapsulateTo, NobleKemKeyPair } from './kem.ts'
import { nobleSigningKey, verifySignature } from './signatures.ts'

export interface NobleOptions {
  /** Source of every random octet, ML-KEM coins included: seeded, a whole handshake repeats octet for octet. */
  readonly random: (length: number) => Uint8Array
}

/**
 * Pure JavaScript cryptography: the fallback where native code is missing, the oracle of the tests, and reproducible in
 * simulations. Ten to twenty times slower than native, and only as constant in time as a JIT compiler lets it be.
 */
export function nobleProvider(options: NobleOptions): CryptoProvider {
  return new NobleProvider(options.random)
}

class NobleProvider implements CryptoProvider {
  readonly name = 'noble'
  readonly scratch = newScratch()
  readonly #random: (length: number) => Uint8Array

  constructor(random: (length: number) => Uint8Array) {
    this.#random = random
  }

  random(length: number): Uint8Array {
    return this.#random(length)
  }

  hash(name: HashName, data: Uint8Array): Uint8Array {
    return hash(name, data)
  }

  hmac(name: HashName, key: Uint8Array, data: Uint8Array): Uint8Array {
    return hmac(name, key, data)
  }

  hkdfExtract(name: HashName, salt: Uint8Array, ikm: Uint8Array): Uint8Array {
    return hkdfExtract(name, salt, ikm)
  }

  hkdfExpand(name: HashName, prk: Uint8Array, info: Uint8Array, length: number): Uint8Array {
    return hkdfExpand(name, prk, info, length)
  }

  aead(suite: AeadSuite, key: Uint8Array): AeadKey {
    return new NobleAeadKey(suite, key)
  }

  generateKemKeyPair(kem: Kem): KemKeyPair {
    return new NobleKemKeyPair(kem, this.#random)
  }

  encapsulate(kem: Kem, share: Uint8Array): { ciphertext: Uint8Array; secret: Uint8Array } {
    return encapsulateTo(kem, share, this.#random)
  }

  signingKey(scheme: SignatureScheme, seed: Uint8Array): SigningKey {
    return nobleSigningKey(scheme, seed, this.#random)
  }

  verify(scheme: SignatureScheme, publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
    return verifySignature(scheme, publicKey, message, signature)
  }

  equal(a: Uint8Array, b: Uint8Array): boolean {
    if (a.length !== b.length) return false
    let difference = 0
    for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] as number)
    return difference === 0
  }
}
