import type { HashName } from '../codepoints/profiles.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { AuthenticationError, MalformedError } from '../errors.ts'
import { HASH_LENGTH } from '../keys/hash-length.ts'

/** `HMAC_H(finished_key, TH)`, HashLen octets: TH_sCV of the server, TH_cCV of the client (HS-047). */
export function finishedMac(
  provider: CryptoProvider,
  hash: HashName,
  finishedKey: Uint8Array,
  transcriptHash: Uint8Array,
): Uint8Array {
  return provider.hmac(hash, finishedKey, transcriptHash)
}

/**
 * Constant-time comparison (HS-048).
 *
 * @throws MalformedError TLV_VALUE for a wrong length; AuthenticationError FINISHED on mismatch.
 */
export function verifyFinished(
  provider: CryptoProvider,
  hash: HashName,
  finishedKey: Uint8Array,
  transcriptHash: Uint8Array,
  received: Uint8Array,
): void {
  if (received.length !== HASH_LENGTH[hash]) {
    throw new MalformedError('TLV_VALUE', `Finished has ${received.length} octets, not ${HASH_LENGTH[hash]}`)
  }
  const expected = finishedMac(provider, hash, finishedKey, transcriptHash)
  if (!provider.equal(expected, received)) throw new AuthenticationError('FINISHED', 'the Finished MAC does not match')
}
