import { TLV } from '../codepoints/tlv-types.ts'
import { decodeExactTlvs, encodeTlvs } from '../wire/tlv.ts'
import { decodeU8, decodeU16, encodeU8List, encodeU16List } from './code-lists.ts'

/** One code each, as it stands on the wire. */
export interface SelectedCodes {
  readonly profile: number
  readonly kem: number
  readonly signature: number
  /** A single suite, the primary one. */
  readonly aead: number
}

export interface ServerHello {
  readonly selected: SelectedCodes
  /** KEMCiphertext; its length is the KEM's to check. */
  readonly ciphertext: Uint8Array
}

/** Exactly these, in this order (HS-004). */
const LAYOUT = [TLV.PROFILE_SELECT, TLV.KEM_SELECT, TLV.SIG_SELECT, TLV.AEAD_SELECT, TLV.KEM_CIPHERTEXT] as const

/** The TLV list of a SERVER_HELLO. */
export function encodeServerHello(hello: ServerHello): Uint8Array {
  const { profile, kem, signature, aead } = hello.selected
  return encodeTlvs([
    { type: TLV.PROFILE_SELECT, value: encodeU8List([profile]) },
    { type: TLV.KEM_SELECT, value: encodeU16List([kem]) },
    { type: TLV.SIG_SELECT, value: encodeU16List([signature]) },
    { type: TLV.AEAD_SELECT, value: encodeU16List([aead]) },
    { type: TLV.KEM_CIPHERTEXT, value: hello.ciphertext },
  ])
}

/**
 * `ciphertext` is a view of `payload`. Throws MalformedError TLV_TRUNCATED, TLV_LAYOUT (HS-006) or, for a selection of
 * another length, TLV_VALUE.
 */
export function decodeServerHello(payload: Uint8Array): ServerHello {
  const [profile = NONE, kem = NONE, signature = NONE, aead = NONE, ciphertext = NONE] = decodeExactTlvs(
    payload,
    LAYOUT,
  )
  return {
    selected: {
      profile: decodeU8(profile, 'ProfileSelect'),
      kem: decodeU16(kem, 'KEMSelect'),
      signature: decodeU16(signature, 'SigSelect'),
      aead: decodeU16(aead, 'AEADSelect'),
    },
    ciphertext,
  }
}

const NONE = new Uint8Array(0)
