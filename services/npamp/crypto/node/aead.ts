import {
  type CipherChaCha20Poly1305Types,
  type CipherGCMTypes,
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type DecipherGCM,
  type KeyObject,
} from 'node:crypto'
import { AEAD, type AeadSuite } from '../../codepoints/suites.ts'
import { ClosedError } from '../../errors.ts'
import { concatOctets, release } from '../../wire/octets.ts'
import { checkAeadKey, checkNonce, checkSealed } from '../arguments.ts'
import type { AeadKey } from '../provider.ts'
import { plain } from './octets.ts'
import type { SealedInput } from './sealed-input.ts'

const TAG_OCTETS = 16
/** Below this, joining pieces costs less than another call into OpenSSL. */
const JOIN_BELOW_OCTETS = 4096
/** From here on a KeyObject, which node takes up a little faster than octets. */
const BUSY_FROM_USES = 64
/** Node copies what it enciphered once more to trim its array: within a cache that costs little. */
const STEP_OCTETS = 1024 * 1024

const ALGORITHM: Readonly<Record<AeadSuite, CipherGCMTypes | CipherChaCha20Poly1305Types>> = {
  [AEAD.AES_256_GCM]: 'aes-256-gcm',
  [AEAD.CHACHA20_POLY1305]: 'chacha20-poly1305',
}

export class NodeAeadKey implements AeadKey {
  readonly #algorithm: CipherGCMTypes
  /** Octets at first: a fraction of a KeyObject's memory, which matters while an association is idle. */
  #key: Uint8Array | KeyObject | undefined
  #uses = 0
  readonly #input: SealedInput

  constructor(suite: AeadSuite, key: Uint8Array, input: SealedInput) {
    checkAeadKey(key)
    // Both take the same options; node's types only know them apart.
    this.#algorithm = ALGORITHM[suite] as CipherGCMTypes
    this.#key = new Uint8Array(key)
    this.#input = input
  }

  seal(nonce: Uint8Array, aad: Uint8Array, plaintext: readonly Uint8Array[]): Uint8Array[] {
    checkNonce(nonce)
    const cipher = createCipheriv(this.#algorithm, this.#usable(), nonce)
    cipher.setAAD(aad)
    // Buffers as they are: they only get written, and a view of each costs 4 % of sealing 1 KiB.
    const parts = joinSmall(plaintext)
    const [only] = parts
    if (only !== undefined && parts.length === 1 && only.length <= STEP_OCTETS) {
      // Nearly every frame; an array that grows would be three times as large.
      const ciphertext = cipher.update(only)
      cipher.final()
      return [ciphertext, cipher.getAuthTag()]
    }
    const pieces: Uint8Array[] = []
    for (const part of parts) {
      for (let at = 0; at < part.length; at += STEP_OCTETS) {
        pieces.push(cipher.update(part.length <= STEP_OCTETS ? part : part.subarray(at, at + STEP_OCTETS)))
      }
    }
    cipher.final()
    pieces.push(cipher.getAuthTag())
    return pieces
  }

  open(nonce: Uint8Array, aad: Uint8Array, sealed: readonly Uint8Array[]): Uint8Array | undefined {
    checkNonce(nonce)
    const sealedOctets = lengthOf(sealed)
    checkSealed(sealedOctets)
    const octets = sealedOctets - TAG_OCTETS
    const decipher = createDecipheriv(this.#algorithm, this.#usable(), nonce)
    decipher.setAAD(aad)
    decipher.setAuthTag(this.#input.tagOf(sealed))
    const [only] = sealed
    const whole = only !== undefined && sealed.length === 1 && octets <= STEP_OCTETS
    const plaintext = whole ? plain(decipher.update(only.subarray(0, octets))) : this.#join(decipher, sealed, octets)
    try {
      decipher.final()
    } catch {
      plaintext.fill(0)
      return undefined
    }
    return plaintext
  }

  #join(decipher: DecipherGCM, sealed: readonly Uint8Array[], octets: number): Uint8Array {
    let plaintext: Uint8Array = NOTHING
    let at = 0
    this.#input.eachPart(sealed, octets, (part) => {
      const opened = decipher.update(part)
      if (opened.length === octets) plaintext = plain(opened)
      else {
        if (at === 0) plaintext = plain(Buffer.allocUnsafeSlow(octets))
        plaintext.set(opened, at)
        at += opened.length
        release(opened)
      }
    })
    return plaintext
  }

  /** A KeyObject can only be dropped: like the ciphers that were made of any key, it is cleared when it is collected. */
  wipe(): void {
    if (this.#key instanceof Uint8Array) this.#key.fill(0)
    this.#key = undefined
  }

  #usable(): Uint8Array | KeyObject {
    const key = this.#key
    if (key === undefined) throw new ClosedError('WIPED', 'this AEAD key was wiped')
    this.#uses += 1
    return this.#uses === BUSY_FROM_USES && key instanceof Uint8Array ? this.#keyObjectOf(key) : key
  }

  #keyObjectOf(octets: Uint8Array): KeyObject {
    const key = createSecretKey(octets)
    octets.fill(0)
    this.#key = key
    return key
  }
}

function joinSmall(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  if (parts.length < 2) return parts
  return lengthOf(parts) < JOIN_BELOW_OCTETS ? [concatOctets(parts)] : parts
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  let octets = 0
  for (const piece of pieces) octets += piece.length
  return octets
}

const NOTHING = new Uint8Array(0)
