import { TLV } from '../codepoints/tlv-types.ts'
import { decodeExactTlvs, encodeTlvs } from './tlv.ts'
import { decodeU64, encodeU64 } from './u64.ts'

/** Body of KEY_UPDATE and KEY_UPDATE_ACK: exactly one KeyUpdateMarker with the new epoch (REC-014). */
export function encodeKeyUpdate(epoch: bigint): Uint8Array<ArrayBuffer> {
  return encodeTlvs([{ type: TLV.KEY_UPDATE_MARKER, value: encodeU64(epoch) }])
}

/** The epoch. Throws MalformedError TLV_TRUNCATED, TLV_LAYOUT or TLV_VALUE. */
export function decodeKeyUpdate(payload: Uint8Array): bigint {
  const [marker = EMPTY] = decodeExactTlvs(payload, [TLV.KEY_UPDATE_MARKER])
  return decodeU64(marker, 'KeyUpdateMarker')
}

const EMPTY = new Uint8Array(0)
