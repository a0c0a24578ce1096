import { isCriticalTlv } from '../codepoints/tlv-types.ts'
import { LimitError, MalformedError, MisuseError } from '../errors.ts'

export interface Tlv {
  readonly type: number
  /** 0 to 65535 octets. */
  readonly value: Uint8Array
}

export const TLV_HEADER_OCTETS = 4
const MAX_TLV_VALUE_OCTETS = 0xffff
/** Ours: how many TLVs a decoder keeps of one list. Nothing in the protocol comes near it. */
export const MAX_TLVS = 1024

/** type u16, length u16, value, one after another (WIRE-013). Throws MisuseError ARGUMENT for a type or length that does not fit. */
export function encodeTlvs(tlvs: readonly Tlv[]): Uint8Array<ArrayBuffer> {
  let length = 0
  for (const tlv of tlvs) length += TLV_HEADER_OCTETS + tlv.value.length
  const octets = new Uint8Array(length)
  let at = 0
  for (const { type, value } of tlvs) {
    if (!(Number.isInteger(type) && type >= 0 && type <= 0xffff))
      throw new MisuseError('ARGUMENT', 'a TLV type is a u16')
    if (value.length > MAX_TLV_VALUE_OCTETS) throw new MisuseError('ARGUMENT', 'a TLV value has at most 65535 octets')
    octets[at] = type >>> 8
    octets[at + 1] = type
    octets[at + 2] = value.length >>> 8
    octets[at + 3] = value.length
    octets.set(value, at + TLV_HEADER_OCTETS)
    at += TLV_HEADER_OCTETS + value.length
  }
  return octets
}

/**
 * The known TLVs of a payload that is a TLV list, in order, as views of it. Unknown ones are skipped (WIRE-014) or, with
 * bit 0x8000 set, reject the frame (WIRE-015). Throws MalformedError TLV_TRUNCATED (WIRE-016), TLV_UNKNOWN_CRITICAL;
 * LimitError ITEMS.
 */
export function decodeTlvs(octets: Uint8Array, known: (type: number) => boolean): Tlv[] {
  const tlvs: Tlv[] = []
  for (let at = 0; at < octets.length; ) {
    const tlv = tlvAt(octets, at)
    at += TLV_HEADER_OCTETS + tlv.value.length
    if (known(tlv.type)) {
      if (tlvs.length === MAX_TLVS) throw new LimitError('ITEMS', `more than ${MAX_TLVS} TLVs`)
      tlvs.push(tlv)
    } else if (isCriticalTlv(tlv.type)) {
      throw new MalformedError(
        'TLV_UNKNOWN_CRITICAL',
        `TLV 0x${tlv.type.toString(16)} is unknown and must be understood`,
      )
    }
  }
  return tlvs
}

/**
 * The values of a payload that must be exactly these TLVs in this order, nothing else (handshake flights, KEY_UPDATE,
 * ratchet frames). Throws MalformedError TLV_TRUNCATED or TLV_LAYOUT.
 */
export function decodeExactTlvs(octets: Uint8Array, types: readonly number[]): Uint8Array[] {
  const values: Uint8Array[] = []
  let at = 0
  for (const type of types) {
    if (at === octets.length) throw new MalformedError('TLV_LAYOUT', `TLV 0x${type.toString(16)} is missing`)
    const tlv = tlvAt(octets, at)
    if (tlv.type !== type)
      throw new MalformedError(
        'TLV_LAYOUT',
        `TLV 0x${tlv.type.toString(16)} stands where 0x${type.toString(16)} belongs`,
      )
    values.push(tlv.value)
    at += TLV_HEADER_OCTETS + tlv.value.length
  }
  if (at !== octets.length) throw new MalformedError('TLV_LAYOUT', 'octets follow the last TLV')
  return values
}

/** The TLV that begins at `at`. Throws MalformedError TLV_TRUNCATED where header or value run past the end (WIRE-016). */
export function tlvAt(octets: Uint8Array, at: number): Tlv {
  const start = at + TLV_HEADER_OCTETS
  if (start > octets.length) throw new MalformedError('TLV_TRUNCATED', 'a TLV header runs past the payload')
  const end = start + u16(octets, at + 2)
  if (end > octets.length) throw new MalformedError('TLV_TRUNCATED', 'a TLV value runs past the payload')
  return { type: u16(octets, at), value: octets.subarray(start, end) }
}

function u16(octets: Uint8Array, at: number): number {
  return ((octets[at] as number) << 8) | (octets[at + 1] as number)
}
