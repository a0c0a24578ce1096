import { TLV } from '../codepoints/tlv-types.ts'
import { decodeExactTlvs, encodeTlvs } from '../wire/tlv.ts'
import { decodeU8List, decodeU16List, encodeU8List, encodeU16List } from './code-lists.ts'

/** Codes as they stand on the wire: unknown and repeated ones are carried, and skipped when one is selected. */
export interface Offer {
  readonly profiles: readonly number[]
  /** The share belongs to the first of these. */
  readonly kems: readonly number[]
  readonly signatures: readonly number[]
  readonly aeads: readonly number[]
}

export interface ClientHello {
  readonly offer: Offer
  /** KEMShare; its length is the KEM's to check. */
  readonly share: Uint8Array
}

/** Exactly these, in this order: AEADOffer stands before KEMShare, so it is not numeric (HS-003). */
const LAYOUT = [TLV.PROFILE_OFFER, TLV.KEM_OFFER, TLV.SIG_OFFER, TLV.AEAD_OFFER, TLV.KEM_SHARE] as const

/** The TLV list of a CLIENT_HELLO. */
export function encodeClientHello(hello: ClientHello): Uint8Array {
  const { profiles, kems, signatures, aeads } = hello.offer
  return encodeTlvs([
    { type: TLV.PROFILE_OFFER, value: encodeU8List(profiles) },
    { type: TLV.KEM_OFFER, value: encodeU16List(kems) },
    { type: TLV.SIG_OFFER, value: encodeU16List(signatures) },
    { type: TLV.AEAD_OFFER, value: encodeU16List(aeads) },
    { type: TLV.KEM_SHARE, value: hello.share },
  ])
}

/**
 * `share` is a view of `payload`. Throws MalformedError TLV_TRUNCATED, TLV_LAYOUT (HS-006) or, for an empty offer or a
 * u16 list of odd length, TLV_VALUE (HS-009).
 */
export function decodeClientHello(payload: Uint8Array): ClientHello {
  const [profiles = NONE, kems = NONE, signatures = NONE, aeads = NONE, share = NONE] = decodeExactTlvs(payload, LAYOUT)
  return {
    offer: {
      profiles: decodeU8List(profiles, 'ProfileOffer'),
      kems: decodeU16List(kems, 'KEMOffer'),
      signatures: decodeU16List(signatures, 'SigOffer'),
      aeads: decodeU16List(aeads, 'AEADOffer'),
    },
    share,
  }
}

const NONE = new Uint8Array(0)
