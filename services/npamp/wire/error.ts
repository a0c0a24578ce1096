import { MisuseError } from '../errors.ts'
import { Reader } from './reader.ts'
import { utf8Prefix } from './utf8.ts'

/** Body of an all-channel ERROR, ours (digest 01 section 9.3). */
export interface ErrorBody {
  /** ERROR_CODE, or another u16 that a peer sent. */
  readonly code: number
  /** Type and sequence of the offending frame on the same channel; 0 when there is none. */
  readonly refType: number
  readonly refSequence: bigint
  /** Diagnostic only, at most 255 octets of UTF-8: no secrets and no text of the peer's. */
  readonly message: string
}

/** A longer message is cut at a character. Throws MisuseError ARGUMENT for a field out of range. */
export function encodeError(body: ErrorBody): Uint8Array<ArrayBuffer> {
  for (const value of [body.code, body.refType])
    if (!(Number.isInteger(value) && value >= 0 && value <= 0xffff))
      throw new MisuseError('ARGUMENT', 'code and ref_type of an ERROR are u16')
  if (body.refSequence < 0n || body.refSequence > 0xffff_ffff_ffff_ffffn)
    throw new MisuseError('ARGUMENT', 'ref_seq of an ERROR is a u64')
  const message = utf8Prefix(body.message, 0xff)
  const octets = new Uint8Array(13 + message.length)
  const view = new DataView(octets.buffer)
  view.setUint16(0, body.code)
  view.setUint16(2, body.refType)
  view.setBigUint64(4, body.refSequence)
  octets[12] = message.length
  octets.set(message, 13)
  return octets
}

/** Throws MalformedError CONTROL_FRAME. */
export function decodeError(payload: Uint8Array): ErrorBody {
  const reader = new Reader(payload, 'ERROR', 'CONTROL_FRAME')
  const code = reader.u16()
  const refType = reader.u16()
  const refSequence = reader.u64()
  const message = reader.text(reader.u8())
  reader.done()
  return { code, refType, refSequence, message }
}
