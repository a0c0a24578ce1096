import { PROFILES, type ProfileCode } from '../codepoints/profiles.ts'
import { AEAD, type AeadSuite } from '../codepoints/suites.ts'

/**
 * The AEAD suite of one sealed frame. Standard always uses the selected one. High and Sovereign diversify: the selected
 * suite for even sequence numbers, the other for odd ones, so nothing goes over the wire and no nonce repeats. That rule
 * is ours alone (digest 03 section 7) and lives only here, until it is standardised.
 */
export function suiteForFrame(profile: ProfileCode, primary: AeadSuite, sequence: bigint): AeadSuite {
  if (!PROFILES[profile].diversifiesAead || (sequence & 1n) === 0n) return primary
  return primary === AEAD.AES_256_GCM ? AEAD.CHACHA20_POLY1305 : AEAD.AES_256_GCM
}
