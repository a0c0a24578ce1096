import { MalformedError, MisuseError } from '../../errors.ts'
import { type CborValue, decodePayloadMap, encodeCbor } from '../../wire/cbor.ts'
import { utf8 } from '../../wire/utf8.ts'
import type { RouteContext } from '../contract.ts'

const SESSION_OCTETS = 16
const MAX_TARGET_OCTETS = 63
const KEY = { TARGET: 0n, SESSION: 1n } as const

/** TLV 0x4355: `{0: target tstr 1..63, 1: session bstr(16)}` (CARRIAGE section 1). Throws MisuseError ARGUMENT. */
export function encodeRouteContext({ target, session }: RouteContext): Uint8Array {
  if (!fitsTarget(target)) throw new MisuseError('ARGUMENT', `a target has 1 to ${MAX_TARGET_OCTETS} octets`)
  const map = new Map<CborValue, CborValue>([[KEY.TARGET, target]])
  if (session !== undefined) {
    if (session.length !== SESSION_OCTETS) throw new MisuseError('ARGUMENT', `a session has ${SESSION_OCTETS} octets`)
    map.set(KEY.SESSION, session)
  }
  return encodeCbor(map)
}

/** The session is a copy: it outlives its frame. Throws MalformedError EXTENSION or CBOR; LimitError. */
export function decodeRouteContext(value: Uint8Array): RouteContext {
  const map = decodePayloadMap(value, 'RouteContext', 'EXTENSION')
  const target = map.text(KEY.TARGET, 'target')
  if (!fitsTarget(target))
    throw new MalformedError('EXTENSION', `RouteContext has a target of ${target.length} characters`)
  const session = map.has(KEY.SESSION)
    ? map.octets(KEY.SESSION, 'session', SESSION_OCTETS, SESSION_OCTETS).slice()
    : undefined
  return { target, session }
}

function fitsTarget(target: string): boolean {
  return target.length > 0 && target.length <= MAX_TARGET_OCTETS && utf8(target).length <= MAX_TARGET_OCTETS
}
