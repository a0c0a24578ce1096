import type { HashName } from '../codepoints/profiles.ts'
import type { AeadSuite, Kem, SignatureScheme } from '../codepoints/suites.ts'
import type { Scratch } from './scratch.ts'

/**
 * All cryptography and all randomness of the core. Synchronous on purpose: every operation takes microseconds and the
 * record layer must keep wire order equal to sequence order. Secrets that a method returns belong to the caller, who
 * wipes them; a key object made from octets does not alias them.
 */
export interface CryptoProvider {
  readonly name: string
  readonly scratch: Scratch

  /** CSPRNG octets (WIRE-042). A simulation passes a provider whose randomness is seeded. */
  random(length: number): Uint8Array

  hash(name: HashName, data: Uint8Array): Uint8Array
  hmac(name: HashName, key: Uint8Array, data: Uint8Array): Uint8Array
  hkdfExtract(name: HashName, salt: Uint8Array, ikm: Uint8Array): Uint8Array
  /** Throws LimitError LENGTH when length > 255 * HashLen (RFC 5869 section 2.3). */
  hkdfExpand(name: HashName, prk: Uint8Array, info: Uint8Array, length: number): Uint8Array

  /** key: 32 octets, copied. */
  aead(suite: AeadSuite, key: Uint8Array): AeadKey

  /** Fresh ephemeral hybrid key pair; `share` is the KEMShare TLV value (ML-KEM part first, digest 02 section 3). */
  generateKemKeyPair(kem: Kem): KemKeyPair
  /**
   * Encapsulates to a peer's KEMShare. Throws AuthenticationError KEM when the encapsulation key fails its modulus check
   * or X25519 gives all zeroes (HS-028); MalformedError TLV_VALUE when the length is wrong (HS-027).
   */
  encapsulate(kem: Kem, share: Uint8Array): { ciphertext: Uint8Array; secret: Uint8Array }

  /** seed: 32 octets for both schemes. */
  signingKey(scheme: SignatureScheme, seed: Uint8Array): SigningKey
  /** False for a signature that does not verify, whatever its length. Throws MalformedError KEY for a key of another length. */
  verify(scheme: SignatureScheme, publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean

  /** Constant time for equal lengths; false for unequal ones (REC-007). */
  equal(a: Uint8Array, b: Uint8Array): boolean
}

/** Nonce and associated data are read before a method returns and never kept: their arrays may be reused. */
export interface AeadKey {
  /** Pieces whose concatenation is ciphertext || 16-octet tag, for the concatenation of `plaintext`. */
  seal(nonce: Uint8Array, aad: Uint8Array, plaintext: readonly Uint8Array[]): Uint8Array[]
  /**
   * The plaintext in an array of its own, or undefined when the tag does not verify. The concatenation of `sealed` is
   * ciphertext || tag, at least 16 octets; throws MisuseError ARGUMENT for less.
   */
  open(nonce: Uint8Array, aad: Uint8Array, sealed: readonly Uint8Array[]): Uint8Array | undefined
  wipe(): void
}

export interface KemKeyPair {
  readonly share: Uint8Array
  /** 64 octets: ML-KEM secret then X25519 secret. Errors as `encapsulate`; a damaged ML-KEM part is no error (HS-029). */
  decapsulate(ciphertext: Uint8Array): Uint8Array
  wipe(): void
}

/** An identity's private key, able to sign; the octets of the key stay inside. */
export interface SigningKey {
  readonly scheme: SignatureScheme
  /** Raw public key: 32 octets for Ed25519, 2592 for ML-DSA-87. */
  readonly publicKey: Uint8Array
  sign(message: Uint8Array): Uint8Array
}
