import { SIGNATURE, type SignatureScheme } from '../codepoints/suites.ts'
import { MalformedError, MisuseError } from '../errors.ts'
import { compareOctets, concatOctets } from '../wire/octets.ts'

/** Octets of a raw public key, as it travels in IdentityKey. */
export const PUBLIC_KEY_OCTETS: Readonly<Record<SignatureScheme, number>> = {
  [SIGNATURE.ED25519]: 32,
  [SIGNATURE.ML_DSA_87]: 2592,
}

export interface PublicKey {
  readonly scheme: SignatureScheme
  /** Raw. */
  readonly publicKey: Uint8Array
}

/** The key as DER SubjectPublicKeyInfo (RFC 7250, PH-006). Throws MisuseError ARGUMENT for a key of another length. */
export function encodeSpki(key: PublicKey): Uint8Array<ArrayBuffer> {
  if (key.publicKey.length !== PUBLIC_KEY_OCTETS[key.scheme])
    throw new MisuseError('ARGUMENT', `a public key of this scheme has ${PUBLIC_KEY_OCTETS[key.scheme]} octets`)
  return concatOctets([SPKI_PREFIX[key.scheme], key.publicKey])
}

/** Throws MalformedError KEY for any other algorithm, length or DER form. */
export function decodeSpki(octets: Uint8Array): PublicKey {
  for (const scheme of Object.values(SIGNATURE)) {
    const prefix = SPKI_PREFIX[scheme]
    if (
      octets.length === prefix.length + PUBLIC_KEY_OCTETS[scheme] &&
      compareOctets(octets.subarray(0, prefix.length), prefix) === 0
    )
      return { scheme, publicKey: octets.slice(prefix.length) }
  }
  throw new MalformedError('KEY', 'not a SubjectPublicKeyInfo of Ed25519 or ML-DSA-87')
}

/** Digest 05 section 5.2: both algorithms have no parameters, so everything before the key is constant. */
const SPKI_PREFIX: Readonly<Record<SignatureScheme, Uint8Array>> = {
  [SIGNATURE.ED25519]: Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00),
  // biome-ignore format: one DER element a group
  [SIGNATURE.ML_DSA_87]: Uint8Array.of(
    0x30, 0x82, 0x0a, 0x32,
    0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x13,
    0x03, 0x82, 0x0a, 0x21, 0x00,
  ),
}
