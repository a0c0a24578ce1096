import { TLV } from '../codepoints/tlv-types.ts'
import { decodeExactTlvs, encodeTlvs } from './tlv.ts'
import { decodeU64, encodeU64 } from './u64.ts'

/** Body of MASTER_RATCHET and its ACK: exactly one RatchetGeneration (REC-031). */
export function encodeMasterRatchet(generation: bigint): Uint8Array<ArrayBuffer> {
  return encodeTlvs([{ type: TLV.RATCHET_GENERATION, value: encodeU64(generation) }])
}

/** The generation. Throws MalformedError TLV_TRUNCATED, TLV_LAYOUT or TLV_VALUE (REC-033). */
export function decodeMasterRatchet(payload: Uint8Array): bigint {
  const [generation = EMPTY] = decodeExactTlvs(payload, [TLV.RATCHET_GENERATION])
  return decodeU64(generation, 'RatchetGeneration')
}

/** Body of REKEM and REKEM_ACK: key material, then RatchetGeneration (REC-032). */
export interface RekemBody {
  /** KEMShare of a REKEM, KEMCiphertext of a REKEM_ACK; its length is the KEM's to check. */
  readonly material: Uint8Array
  readonly generation: bigint
}

export function encodeRekem(body: RekemBody): Uint8Array<ArrayBuffer> {
  return encodeWithGeneration(TLV.KEM_SHARE, body)
}

export function encodeRekemAck(body: RekemBody): Uint8Array<ArrayBuffer> {
  return encodeWithGeneration(TLV.KEM_CIPHERTEXT, body)
}

/** Throws MalformedError TLV_TRUNCATED, TLV_LAYOUT or TLV_VALUE (REC-033). */
export function decodeRekem(payload: Uint8Array): RekemBody {
  return decodeWithGeneration(TLV.KEM_SHARE, payload)
}

/** Throws MalformedError TLV_TRUNCATED, TLV_LAYOUT or TLV_VALUE (REC-033). */
export function decodeRekemAck(payload: Uint8Array): RekemBody {
  return decodeWithGeneration(TLV.KEM_CIPHERTEXT, payload)
}

function encodeWithGeneration(type: number, body: RekemBody): Uint8Array<ArrayBuffer> {
  return encodeTlvs([
    { type, value: body.material },
    { type: TLV.RATCHET_GENERATION, value: encodeU64(body.generation) },
  ])
}

function decodeWithGeneration(type: number, payload: Uint8Array): RekemBody {
  const [material = EMPTY, generation = EMPTY] = decodeExactTlvs(payload, [type, TLV.RATCHET_GENERATION])
  return { material, generation: decodeU64(generation, 'RatchetGeneration') }
}

const EMPTY = new Uint8Array(0)
