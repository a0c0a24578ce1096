import type { SignatureScheme } from '../codepoints/suites.ts'
import { MalformedError, MisuseError } from '../errors.ts'
import { SEED_OCTETS, SIGNATURE_LAYOUT } from './signature-layout.ts'

const AEAD_KEY_OCTETS = 32
const NONCE_OCTETS = 12
const TAG_OCTETS = 16

/** Checks that every provider makes, so that all fail alike. */

export function checkAeadKey(key: Uint8Array): void {
  if (key.length !== AEAD_KEY_OCTETS) throw new MisuseError('ARGUMENT', `an AEAD key has 32 octets, not ${key.length}`)
}

export function checkNonce(nonce: Uint8Array): void {
  if (nonce.length !== NONCE_OCTETS) throw new MisuseError('ARGUMENT', `a nonce has 12 octets, not ${nonce.length}`)
}

export function checkSealed(octets: number): void {
  if (octets < TAG_OCTETS) throw new MisuseError('ARGUMENT', 'sealed octets include a 16-octet tag')
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
