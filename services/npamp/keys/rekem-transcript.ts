import { FRAME_TYPE } from '../codepoints/frame-types.ts'
import type { HashName } from '../codepoints/profiles.ts'
import { TLV_TYPE } from '../codepoints/tlv-types.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { encodeTlvs } from '../wire/tlv.ts'

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
  const generationTlv = { type: TLV_TYPE.RATCHET_GENERATION, value: u64(generation) }
  const request = encodeTlvs([{ type: TLV_TYPE.KEM_SHARE, value: share }, generationTlv])
  const reply = encodeTlvs([{ type: TLV_TYPE.KEM_CIPHERTEXT, value: ciphertext }, generationTlv])
  const octets = new Uint8Array(4 + request.length + reply.length)
  const view = new DataView(octets.buffer)
  view.setUint16(0, FRAME_TYPE.REKEM)
  octets.set(request, 2)
  view.setUint16(2 + request.length, FRAME_TYPE.REKEM_ACK)
  octets.set(reply, 4 + request.length)
  return provider.hash(hash, octets)
}

function u64(value: bigint): Uint8Array {
  const octets = new Uint8Array(8)
  new DataView(octets.buffer).setBigUint64(0, value)
  return octets
}
