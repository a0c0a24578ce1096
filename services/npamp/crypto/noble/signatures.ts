import { ed25519 } from '@noble/curves/ed25519.js'
import { ml_dsa87 } from '@noble/post-quantum/ml-dsa.js'
import { SIGNATURE, type SignatureScheme } from '../../codepoints/suites.ts'
import { checkPublicKey, checkSeed } from '../arguments.ts'
import type { SigningKey } from '../provider.ts'
import { SIGNATURE_LAYOUT } from '../signature-layout.ts'

type Random = (length: number) => Uint8Array

const HEDGE_OCTETS = 32
/** RFC 8032 rules, as OpenSSL applies them, not ZIP 215's looser ones. */
const STRICT = { zip215: false } as const

export function nobleSigningKey(scheme: SignatureScheme, seed: Uint8Array, random: Random): SigningKey {
  checkSeed(seed)
  return scheme === SIGNATURE.ED25519 ? new Ed25519Key(seed) : new MlDsa87Key(seed, random)
}

class Ed25519Key implements SigningKey {
  readonly scheme = SIGNATURE.ED25519
  readonly publicKey: Uint8Array
  readonly #seed: Uint8Array

  constructor(seed: Uint8Array) {
    this.#seed = new Uint8Array(seed)
    this.publicKey = ed25519.getPublicKey(this.#seed)
  }

  sign(message: Uint8Array): Uint8Array {
    return ed25519.sign(message, this.#seed)
  }
}

/** Pure ML-DSA with an empty context string, hedged (digest 02 section 2.2). Blocks for many milliseconds a signature. */
class MlDsa87Key implements SigningKey {
  readonly scheme = SIGNATURE.ML_DSA_87
  readonly publicKey: Uint8Array
  readonly #secretKey: Uint8Array
  readonly #random: Random

  constructor(seed: Uint8Array, random: Random) {
    const { publicKey, secretKey } = ml_dsa87.keygen(seed)
    this.publicKey = publicKey
    this.#secretKey = secretKey
    this.#random = random
  }

  sign(message: Uint8Array): Uint8Array {
    return ml_dsa87.sign(message, this.#secretKey, { extraEntropy: this.#random(HEDGE_OCTETS) })
  }
}

export function verifySignature(
  scheme: SignatureScheme,
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  checkPublicKey(scheme, publicKey)
  if (signature.length !== SIGNATURE_LAYOUT[scheme].signatureOctets) return false
  return scheme === SIGNATURE.ED25519
    ? ed25519.verify(signature, message, publicKey, STRICT)
    : ml_dsa87.verify(signature, message, publicKey)
}
