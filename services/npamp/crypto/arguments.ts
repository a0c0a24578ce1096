import type { HashName } from '../codepoints/profiles.ts'
import type { SignatureScheme } from '../codepoints/suites.ts'
import { LimitError, MalformedError, MisuseError } from '../errors.ts'
import { HASH_LENGTH } from '../keys/hash-length.ts'
import { SEED_OCTETS, SIGNATURE_LAYOUT } from './signature-layout.ts'

const AEAD_KEY_OCTETS = 32
const NONCE_OCTETS = 12
const TAG_OCTETS = 16
const MAX_EXPAND_BLOCKS = 255

/** Checks that every provider makes, so that all fail alike. */

/** RFC 5869 section 2.3. */
export function checkExpandLength(hash: HashName, length: number): void {
  const limit = MAX_EXPAND_BLOCKS * HASH_LENGTH[hash]
  if (!Number.isInteger(length) || length < 0 || length > limit) {
    throw new LimitError('LENGTH', `HKDF-Expand gives at most ${limit} octets, not ${length}`)
  }
}

export function checkAeadKey(key: Uint8Array): void {
  if (key.length !== AEAD_KEY_OCTETS) throw new MisuseError('ARGUMENT', `an AEAD key has 32 octets, not ${key.length}`)
}

export function checkNonce(nonce: Uint8Array): void {
  if (nonce.length !== NONCE_OCTETS) throw new MisuseError('ARGUMENT', `a nonce has 12 octets, not ${nonce.length}`)
}

export function checkSealed(sealed: Uint8Array): void {
  if (sealed.length < TAG_OCTETS) throw new MisuseError('ARGUMENT', 'sealed octets include a 16-octet tag')
}

export function checkSeed(seed: Uint8Array): void {
  if (seed.length !== SEED_OCTETS) throw new MisuseError('ARGUMENT', `a signing seed has 32 octets, not ${seed.length}`)
}

/** A peer chooses its key, so a wrong length is its fault. */
export function checkPublicKey(scheme: SignatureScheme, publicKey: Uint8Array): void {
  const { name, publicKeyOctets } = SIGNATURE_LAYOUT[scheme]
  if (publicKey.length !== publicKeyOctets) {
    throw new MalformedError('KEY', `an ${name} key has ${publicKeyOctets} octets, not ${publicKey.length}`)
  }
}
