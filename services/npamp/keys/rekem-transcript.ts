import { CONTROL_FRAME } from '../codepoints/frame-types.ts'
import type { HashName } from '../codepoints/profiles.ts'
import { TLV } from '../codepoints/tlv-types.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { encodeTlvs } from '../wire/tlv.ts'
import { u64 } from './u64.ts'

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
  const generationTlv = { type: TLV.RATCHET_GENERATION, value: u64(generation) }
  const request = encodeTlvs([{ type: TLV.KEM_SHARE, value: share }, generationTlv])
  const reply = encodeTlvs([{ type: TLV.KEM_CIPHERTEXT, value: ciphertext }, generationTlv])
  const octets = new Uint8Array(4 + request.length + reply.length)
  const view = new DataView(octets.buffer)
  view.setUint16(0, CONTROL_FRAME.REKEM)
  octets.set(request, 2)
  view.setUint16(2 + request.length, CONTROL_FRAME.REKEM_ACK)
  octets.set(reply, 4 + request.length)
  return provider.hash(hash, octets)
}
