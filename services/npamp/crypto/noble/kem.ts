import { x25519 } from '@noble/curves/ed25519.js'
import { ml_kem768, ml_kem1024 } from '@noble/post-quantum/ml-kem.js'
import { KEM, type Kem } from '../../codepoints/suites.ts'
import { AuthenticationError, ClosedError } from '../../errors.ts'
import { joinParts, splitCiphertext, splitShare } from '../kem-layout.ts'
import type { KemKeyPair } from '../provider.ts'

type Random = (length: number) => Uint8Array

const MLKEM = { [KEM.X25519MLKEM768]: ml_kem768, [KEM.X25519MLKEM1024]: ml_kem1024 } as const
/** d || z of FIPS 203. */
const MLKEM_SEED_OCTETS = 64
const MLKEM_COIN_OCTETS = 32
const X25519_KEY_OCTETS = 32

interface PrivateKeys {
  readonly mlkem: Uint8Array
  readonly x25519: Uint8Array
}

export class NobleKemKeyPair implements KemKeyPair {
  readonly share: Uint8Array
  readonly #kem: Kem
  #keys: PrivateKeys | undefined

  /** Draws 64 octets for ML-KEM, then 32 for X25519. */
  constructor(kem: Kem, random: Random) {
    const seed = random(MLKEM_SEED_OCTETS)
    const mlkem = MLKEM[kem].keygen(seed)
    seed.fill(0)
    const x25519Key = random(X25519_KEY_OCTETS)
    this.#kem = kem
    this.#keys = { mlkem: mlkem.secretKey, x25519: x25519Key }
    this.share = joinParts(mlkem.publicKey, x25519.getPublicKey(x25519Key))
  }

  decapsulate(ciphertext: Uint8Array): Uint8Array {
    if (this.#keys === undefined) throw new ClosedError('WIPED', 'these KEM keys were wiped')
    const parts = splitCiphertext(this.#kem, ciphertext)
    const x25519Secret = agree(this.#keys.x25519, parts.x25519)
    // Implicit rejection: a damaged ciphertext gives another secret, and the AUTH tag fails (HS-029).
    return joinSecrets(MLKEM[this.#kem].decapsulate(parts.mlkem, this.#keys.mlkem), x25519Secret)
  }

  wipe(): void {
    this.#keys?.mlkem.fill(0)
    this.#keys?.x25519.fill(0)
    this.#keys = undefined
  }
}

/** Draws 32 octets for X25519, then 32 as ML-KEM's coins. */
export function encapsulateTo(
  kem: Kem,
  share: Uint8Array,
  random: Random,
): { ciphertext: Uint8Array; secret: Uint8Array } {
  const parts = splitShare(kem, share)
  const x25519Key = random(X25519_KEY_OCTETS)
  const coins = random(MLKEM_COIN_OCTETS)
  try {
    const x25519Secret = agree(x25519Key, parts.x25519)
    const mlkem = encapsulateMlkem(kem, parts.mlkem, coins)
    return {
      ciphertext: joinParts(mlkem.cipherText, x25519.getPublicKey(x25519Key)),
      secret: joinSecrets(mlkem.sharedSecret, x25519Secret),
    }
  } finally {
    x25519Key.fill(0)
    coins.fill(0)
  }
}

function encapsulateMlkem(kem: Kem, encapsulationKey: Uint8Array, coins: Uint8Array) {
  try {
    return MLKEM[kem].encapsulate(encapsulationKey, coins)
  } catch {
    // The length is right, so it is the modulus check of FIPS 203 section 7.2 (HS-028).
    throw new AuthenticationError('KEM', 'the ML-KEM encapsulation key is not well-formed')
  }
}

/** noble refuses an all-zero result, the outcome of every low-order point (HS-028). */
function agree(privateKey: Uint8Array, peerPublic: Uint8Array): Uint8Array {
  try {
    return x25519.getSharedSecret(privateKey, peerPublic)
  } catch {
    throw new AuthenticationError('KEM', 'X25519 gave an all-zero result')
  }
}

function joinSecrets(mlkem: Uint8Array, x25519Secret: Uint8Array): Uint8Array {
  const secret = joinParts(mlkem, x25519Secret)
  mlkem.fill(0)
  x25519Secret.fill(0)
  return secret
}
