import { gcm } from '@noble/ciphers/aes.js'
import { chacha20poly1305 } from '@noble/ciphers/chacha.js'
import { AEAD, type AeadSuite } from '../../codepoints/suites.ts'
import { ClosedError } from '../../errors.ts'
import { concatOctets } from '../../wire/octets.ts'
import { checkAeadKey, checkNonce, checkSealed } from '../arguments.ts'
import type { AeadKey } from '../provider.ts'

const CIPHER = { [AEAD.AES_256_GCM]: gcm, [AEAD.CHACHA20_POLY1305]: chacha20poly1305 } as const

export class NobleAeadKey implements AeadKey {
  readonly #suite: AeadSuite
  #key: Uint8Array | undefined

  constructor(suite: AeadSuite, key: Uint8Array) {
    checkAeadKey(key)
    this.#suite = suite
    this.#key = new Uint8Array(key)
  }

  seal(nonce: Uint8Array, aad: Uint8Array, plaintext: readonly Uint8Array[]): Uint8Array[] {
    checkNonce(nonce)
    return [CIPHER[this.#suite](this.#usable(), nonce, aad).encrypt(concatOctets(plaintext))]
  }

  open(nonce: Uint8Array, aad: Uint8Array, sealed: readonly Uint8Array[]): Uint8Array | undefined {
    checkNonce(nonce)
    const joined = concatOctets(sealed)
    checkSealed(joined.length)
    const cipher = CIPHER[this.#suite](this.#usable(), nonce, aad)
    try {
      return cipher.decrypt(joined)
    } catch {
      // Lengths were checked above, so what is left is a tag that does not verify.
      return undefined
    }
  }

  wipe(): void {
    this.#key?.fill(0)
    this.#key = undefined
  }

  #usable(): Uint8Array {
    if (this.#key === undefined) throw new ClosedError('WIPED', 'this AEAD key was wiped')
    return this.#key
  }
}
