import { CONTROL_FRAME } from '../codepoints/frame-types.ts'
import type { HashName } from '../codepoints/profiles.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { concatOctets } from '../wire/octets.ts'
import { encodeRekem, encodeRekemAck } from '../wire/ratchet.ts'

/**
 * TH_rekem: hash over `0106 || KEMShare TLV || generation TLV || 0107 || KEMCiphertext TLV || generation TLV` (REC-036).
 *
 * @param generation the target generation that both frames carry.
 */
export function rekemTranscriptHash(
  provider: CryptoProvider,
  hash: HashName,
  share: Uint8Array,
  ciphertext: Uint8Array,
  generation: bigint,
): Uint8Array {
  const octets = concatOctets([
    frameType(CONTROL_FRAME.REKEM),
    encodeRekem({ material: share, generation }),
    frameType(CONTROL_FRAME.REKEM_ACK),
    encodeRekemAck({ material: ciphertext, generation }),
  ])
  return provider.hash(hash, octets)
}

function frameType(type: number): Uint8Array {
  return Uint8Array.of(type >>> 8, type & 0xff)
}
