import { SIGNATURE, type SignatureScheme } from '../codepoints/suites.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { AuthenticationError, MalformedError, MisuseError } from '../errors.ts'
import { compareOctets, concatOctets } from '../wire/octets.ts'
import { utf8 } from '../wire/utf8.ts'
import { decodeBase32, encodeBase32 } from './base32.ts'
import { PUBLIC_KEY_OCTETS } from './public-key.ts'

/** Characters of a handle: multibase prefix and 55 of base32. */
export const PEER_HANDLE_LENGTH = 56

/**
 * The name of a public key (PH-001 to PH-004): `b` and lower-case base32 of the multihash of the tagged key. `publicKey`
 * is the raw key, never its SPKI. A hybrid peer has one handle per key (PH-005), a new key another one (PH-011).
 * Throws MisuseError ARGUMENT for a key of another length.
 */
export function peerHandle(
  scheme: SignatureScheme,
  publicKey: Uint8Array,
  sha256: (data: Uint8Array) => Uint8Array,
): string {
  if (publicKey.length !== PUBLIC_KEY_OCTETS[scheme])
    throw new MisuseError('ARGUMENT', `a public key of this scheme has ${PUBLIC_KEY_OCTETS[scheme]} octets`)
  const digest = sha256(concatOctets([KEY_TAG[scheme], publicKey]))
  return MULTIBASE_BASE32 + encodeBase32(concatOctets([SHA2_256_MULTIHASH, digest]))
}

/**
 * The SHA-256 digest inside a handle. Compares octet for octet: upper case, another multibase and another multihash are
 * all refused. Throws MalformedError PEER_HANDLE.
 */
export function parsePeerHandle(handle: string): Uint8Array {
  const multihash = handle.startsWith(MULTIBASE_BASE32) ? decodeBase32(handle.slice(1)) : undefined
  if (
    handle.length !== PEER_HANDLE_LENGTH ||
    multihash === undefined ||
    compareOctets(multihash.subarray(0, 2), SHA2_256_MULTIHASH) !== 0
  )
    throw new MalformedError('PEER_HANDLE', 'a PeerHandle is bciq and 52 more characters of lower-case base32')
  return multihash.subarray(2)
}

export function isPeerHandle(text: string): boolean {
  try {
    parsePeerHandle(text)
    return true
  } catch {
    return false
  }
}

/** Constant time for equal lengths. */
export function samePeerHandle(a: string, b: string, provider: Pick<CryptoProvider, 'equal'>): boolean {
  return provider.equal(utf8(a), utf8(b))
}

/**
 * PH-007: recomputes a claimed handle from the key that the handshake authenticated. Throws AuthenticationError
 * PEER_HANDLE_MISMATCH, which ends the association.
 */
export function requireClaimedHandle(
  claimed: string,
  scheme: SignatureScheme,
  publicKey: Uint8Array,
  provider: Pick<CryptoProvider, 'equal' | 'hash'>,
): void {
  const actual = peerHandle(scheme, publicKey, (data) => provider.hash('sha256', data))
  if (!samePeerHandle(claimed, actual, provider))
    throw new AuthenticationError('PEER_HANDLE_MISMATCH', 'the peer is not the one that was claimed')
}

/** Multicodec varints of ed25519-pub 0xED and mldsa-87-pub 0x1212 (PH-002). */
const KEY_TAG: Readonly<Record<SignatureScheme, Uint8Array>> = {
  [SIGNATURE.ED25519]: Uint8Array.of(0xed, 0x01),
  [SIGNATURE.ML_DSA_87]: Uint8Array.of(0x92, 0x24),
}
const SHA2_256_MULTIHASH = Uint8Array.of(0x12, 0x20)
const MULTIBASE_BASE32 = 'b'
