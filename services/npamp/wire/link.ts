import type { LinkMessage } from '../association/contract.ts'
import { MisuseError } from '../errors.ts'
import { type CborValue, decodePayloadMap, encodeCbor } from './cbor.ts'

/** Reasons of op 1, session-end (CARRIAGE section 1). */
export const SESSION_END_REASON = {
  CLIENT_ENDED: 0,
  BACKEND_LOST: 1,
  UNKNOWN_SESSION: 2,
  IDLE: 3,
  LIMIT_OR_POLICY: 4,
} as const

const SESSION_OCTETS = 16
/** Ours: far above any statement of CONTROL section 5. */
const MAX_STATEMENT_OCTETS = 64 * 1024

/** Payload of LINK: `{0: op, 1: session bstr(16), 2: reason uint, 3: bstr}`. Throws MisuseError ARGUMENT. */
export function encodeLink(message: LinkMessage): Uint8Array<ArrayBuffer> {
  const map = new Map<CborValue, CborValue>([[KEY.OP, OP[message.op]]])
  if (message.op === 'sessionEnd') {
    if (message.session.length !== SESSION_OCTETS) throw new MisuseError('ARGUMENT', 'a session has 16 octets')
    if (!(Number.isInteger(message.reason) && message.reason >= 0 && message.reason <= MAX_REASON))
      throw new MisuseError('ARGUMENT', 'a reason is a u16')
    map.set(KEY.SESSION, message.session)
    map.set(KEY.REASON, BigInt(message.reason))
  } else if (message.op === 'successor') {
    if (message.statement.length === 0 || message.statement.length > MAX_STATEMENT_OCTETS)
      throw new MisuseError('ARGUMENT', `a statement has 1 to ${MAX_STATEMENT_OCTETS} octets`)
    map.set(KEY.STATEMENT, message.statement)
  }
  return encodeCbor(map)
}

/** Undefined for an op that we do not know: ignored and counted. Throws MalformedError CBOR or LINK, or LimitError. */
export function decodeLink(payload: Uint8Array): LinkMessage | undefined {
  const map = decodePayloadMap(payload, 'LINK', 'LINK')
  switch (BigInt(map.uint(KEY.OP, 'op'))) {
    case OP.sessionEnd:
      return {
        op: 'sessionEnd',
        session: map.octets(KEY.SESSION, 'session', SESSION_OCTETS, SESSION_OCTETS),
        reason: map.uint(KEY.REASON, 'reason', MAX_REASON),
      }
    case OP.drain:
      return { op: 'drain' }
    case OP.successor:
      return { op: 'successor', statement: map.octets(KEY.STATEMENT, 'statement', 1, MAX_STATEMENT_OCTETS) }
    default:
      return undefined
  }
}

/** Ours: reasons that later versions add stay small numbers. */
const MAX_REASON = 0xffff
const KEY = { OP: 0n, SESSION: 1n, REASON: 2n, STATEMENT: 3n } as const
const OP: Readonly<Record<LinkMessage['op'], bigint>> = { sessionEnd: 1n, drain: 2n, successor: 3n }
