import { randomFillSync, timingSafeEqual } from 'node:crypto'
import type { HashName } from '../../codepoints/profiles.ts'
import type { AeadSuite, Kem, SignatureScheme } from '../../codepoints/suites.ts'
import type { AeadKey, CryptoProvider, KemKeyPair, SigningKey } from '../provider.ts'
import { newScratch } from '../scratch.ts'
import { NodeAeadKey } from './aead.ts'
import { hash, hkdfExpand, hkdfExtract, hmac } from './hashes.ts'
import { encapsulateTo, NodeKemKeyPair } from './kem.ts'
import { requireNativeSupport } from './native-support.ts'
import { SealedInput } from './sealed-input.ts'
import { NodeSigningKey, verifySignature } from './signatures.ts'

export {
  createIdentityFile,
  type Identity,
  MAX_IDENTITY_FILE_OCTETS,
  mintIdentity,
  newIdentityPem,
  parseIdentity,
  readIdentityFile,
} from './identity-file.ts'
export { type IdentityFileCode, IdentityFileError } from './identity-file-error.ts'

/**
 * Native cryptography: OpenSSL through node:crypto. Keys are imported and exported in node's raw formats, which are
 * cheaper than DER for every algorithm used here.
 *
 * @throws IncompatibleError NATIVE_CRYPTO when this Node lacks ML-KEM or the raw key formats.
 */
export function nodeProvider(): CryptoProvider {
  requireNativeSupport()
  return new NodeProvider()
}

class NodeProvider implements CryptoProvider {
  readonly name = 'node'
  readonly scratch = newScratch()
  readonly #sealedInput = new SealedInput()

  random(length: number): Uint8Array {
    return randomFillSync(new Uint8Array(length))
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
    return new NodeAeadKey(suite, key, this.#sealedInput)
  }

  generateKemKeyPair(kem: Kem): KemKeyPair {
    return new NodeKemKeyPair(kem)
  }

  encapsulate(kem: Kem, share: Uint8Array): { ciphertext: Uint8Array; secret: Uint8Array } {
    return encapsulateTo(kem, share)
  }

  signingKey(scheme: SignatureScheme, seed: Uint8Array): SigningKey {
    return new NodeSigningKey(scheme, seed)
  }

  verify(scheme: SignatureScheme, publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
    return verifySignature(scheme, publicKey, message, signature)
  }

  equal(a: Uint8Array, b: Uint8Array): boolean {
    return a.length === b.length && timingSafeEqual(a, b)
  }
}
