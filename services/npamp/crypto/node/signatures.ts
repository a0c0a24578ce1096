import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { SIGNATURE, type SignatureScheme } from '../../codepoints/suites.ts'
import { checkPublicKey, checkSeed } from '../arguments.ts'
import type { SigningKey } from '../provider.ts'
import { asBuffer, plain } from './octets.ts'

const NO_DIGEST = null

export class NodeSigningKey implements SigningKey {
  readonly scheme: SignatureScheme
  readonly publicKey: Uint8Array
  readonly #key: KeyObject

  constructor(scheme: SignatureScheme, seed: Uint8Array) {
    checkSeed(seed)
    this.scheme = scheme
    this.#key = importSeed(scheme, seed)
    this.publicKey = plain(createPublicKey(this.#key).export({ format: 'raw-public' }))
  }

  sign(message: Uint8Array): Uint8Array {
    return plain(sign(NO_DIGEST, message, this.#key))
  }
}

export function verifySignature(
  scheme: SignatureScheme,
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  checkPublicKey(scheme, publicKey)
  try {
    const asymmetricKeyType = scheme === SIGNATURE.ED25519 ? 'ed25519' : 'ml-dsa-87'
    return verify(
      NO_DIGEST,
      message,
      createPublicKey({ key: asBuffer(publicKey), format: 'raw-public', asymmetricKeyType }),
      signature,
    )
  } catch {
    // A key that does not import is one under which nothing verifies.
    return false
  }
}

function importSeed(scheme: SignatureScheme, seed: Uint8Array): KeyObject {
  return scheme === SIGNATURE.ED25519
    ? createPrivateKey({ key: asBuffer(seed), format: 'raw-private', asymmetricKeyType: 'ed25519' })
    : createPrivateKey({ key: asBuffer(seed), format: 'raw-seed', asymmetricKeyType: 'ml-dsa-87' })
}
