import {
  createPublicKey,
  decapsulate,
  diffieHellman,
  encapsulate,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import { KEM, type Kem } from '../../codepoints/suites.ts'
import { AuthenticationError, ClosedError } from '../../errors.ts'
import { joinParts, splitCiphertext, splitShare } from '../kem-layout.ts'
import type { KemKeyPair } from '../provider.ts'
import { asBuffer } from './octets.ts'

const MLKEM: Readonly<Record<Kem, 'ml-kem-768' | 'ml-kem-1024'>> = {
  [KEM.X25519MLKEM768]: 'ml-kem-768',
  [KEM.X25519MLKEM1024]: 'ml-kem-1024',
}

const RAW_PUBLIC = { format: 'raw-public' } as const

interface PrivateKeys {
  readonly mlkem: KeyObject
  readonly x25519: KeyObject
}

export class NodeKemKeyPair implements KemKeyPair {
  readonly share: Uint8Array
  readonly #kem: Kem
  #keys: PrivateKeys | undefined

  constructor(kem: Kem) {
    const mlkem = generateMlkem(kem)
    const x25519 = generateKeyPairSync('x25519')
    this.#kem = kem
    this.#keys = { mlkem: mlkem.privateKey, x25519: x25519.privateKey }
    this.share = joinParts(mlkem.publicKey.export(RAW_PUBLIC), x25519.publicKey.export(RAW_PUBLIC))
  }

  decapsulate(ciphertext: Uint8Array): Uint8Array {
    if (this.#keys === undefined) throw new ClosedError('WIPED', 'these KEM keys were wiped')
    const parts = splitCiphertext(this.#kem, ciphertext)
    const x25519Secret = agree(this.#keys.x25519, parts.x25519)
    // Implicit rejection: a damaged ciphertext gives another secret, and the AUTH tag fails (HS-029).
    const mlkemSecret = decapsulate(this.#keys.mlkem, parts.mlkem)
    return joinSecrets(mlkemSecret, x25519Secret)
  }

  /** The octets live in OpenSSL; they can only be dropped (HS-053). */
  wipe(): void {
    this.#keys = undefined
  }
}

export function encapsulateTo(kem: Kem, share: Uint8Array): { ciphertext: Uint8Array; secret: Uint8Array } {
  const parts = splitShare(kem, share)
  const mlkemKey = importEncapsulationKey(kem, parts.mlkem)
  const x25519 = generateKeyPairSync('x25519')
  const x25519Secret = agree(x25519.privateKey, parts.x25519)
  const mlkem = encapsulate(mlkemKey)
  return {
    ciphertext: joinParts(mlkem.ciphertext, x25519.publicKey.export(RAW_PUBLIC)),
    secret: joinSecrets(mlkem.sharedKey, x25519Secret),
  }
}

/** OpenSSL makes the modulus check of FIPS 203 section 7.2 when it imports the key (HS-028). */
function importEncapsulationKey(kem: Kem, octets: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: asBuffer(octets), format: 'raw-public', asymmetricKeyType: MLKEM[kem] })
  } catch {
    throw new AuthenticationError('KEM', 'the ML-KEM encapsulation key is not well-formed')
  }
}

/** OpenSSL refuses an all-zero result, the outcome of every low-order point (HS-028). */
function agree(privateKey: KeyObject, peerPublic: Uint8Array): Uint8Array {
  const publicKey = createPublicKey({ key: asBuffer(peerPublic), format: 'raw-public', asymmetricKeyType: 'x25519' })
  try {
    return diffieHellman({ privateKey, publicKey })
  } catch {
    throw new AuthenticationError('KEM', 'X25519 gave an all-zero result')
  }
}

function joinSecrets(mlkem: Uint8Array, x25519: Uint8Array): Uint8Array {
  const secret = joinParts(mlkem, x25519)
  mlkem.fill(0)
  x25519.fill(0)
  return secret
}

function generateMlkem(kem: Kem): { publicKey: KeyObject; privateKey: KeyObject } {
  // Two calls because node's types have an overload per name and none for their union.
  return kem === KEM.X25519MLKEM768 ? generateKeyPairSync('ml-kem-768') : generateKeyPairSync('ml-kem-1024')
}
