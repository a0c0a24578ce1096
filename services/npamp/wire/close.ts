import { CLOSE_CODE } from '../codepoints/close-codes.ts'
import { MisuseError } from '../errors.ts'
import { Reader } from './reader.ts'
import { utf8Prefix } from './utf8.ts'

/** Body of CLOSE, ours (digest 01 section 9.2): nothing, or code u16, length u8, reason. CLOSE_ACK is empty. */
export interface CloseBody {
  /** CLOSE_CODE, or another u16 that a peer sent. */
  readonly code: number
  /** For people and logs; at most 255 octets of UTF-8. */
  readonly reason: string
}

/** A longer reason is cut at a character. Throws MisuseError ARGUMENT for a code that is no u16. */
export function encodeClose(body: CloseBody): Uint8Array<ArrayBuffer> {
  if (!(Number.isInteger(body.code) && body.code >= 0 && body.code <= 0xffff))
    throw new MisuseError('ARGUMENT', 'a CLOSE code is a u16')
  const reason = utf8Prefix(body.reason, 0xff)
  const octets = new Uint8Array(3 + reason.length)
  octets.set([body.code >>> 8, body.code & 0xff, reason.length])
  octets.set(reason, 3)
  return octets
}

/** An empty body is code 0 without a reason. Throws MalformedError CONTROL_FRAME. */
export function decodeClose(payload: Uint8Array): CloseBody {
  if (payload.length === 0) return SILENT_CLOSE
  const reader = new Reader(payload, 'CLOSE', 'CONTROL_FRAME')
  const code = reader.u16()
  const reason = reader.text(reader.u8())
  reader.done()
  return { code, reason }
}

/** An authentic CLOSE closes whatever its body says: an unreadable one counts as empty. */
export function decodeCloseLeniently(payload: Uint8Array): CloseBody {
  try {
    return decodeClose(payload)
  } catch {
    return SILENT_CLOSE
  }
}

const SILENT_CLOSE: CloseBody = { code: CLOSE_CODE.NORMAL, reason: '' }
