import { MalformedError } from '../errors.ts'
import { decodeU64, encodeU64 } from './u64.ts'

/**
 * Body of FLOW_UPDATE, ours (digest 01 section 9.5): the absolute number of octets behind the headers of frames of type
 * 0x0030 and above that the receiver of the update may send, all channels together, counted from Established.
 */
export function encodeFlowUpdate(cumulativeOctets: bigint): Uint8Array<ArrayBuffer> {
  return encodeU64(cumulativeOctets)
}

/** Throws MalformedError CONTROL_FRAME. */
export function decodeFlowUpdate(payload: Uint8Array): bigint {
  if (payload.length !== 8) throw new MalformedError('CONTROL_FRAME', 'a FLOW_UPDATE has 8 octets')
  return decodeU64(payload, 'FLOW_UPDATE')
}
