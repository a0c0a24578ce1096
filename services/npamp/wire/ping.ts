import { LimitError, MisuseError } from '../errors.ts'

/** Ours (digest 01 section 9.1): 0 to 64 opaque octets; PONG is a byte-exact copy on the same channel. */
const MAX_PING_OCTETS = 64
/** What we send ourselves. */
export const PING_OCTETS = 8

/** Throws MisuseError ARGUMENT above 64 octets. */
export function encodePing(opaque: Uint8Array): Uint8Array {
  if (opaque.length > MAX_PING_OCTETS)
    throw new MisuseError('ARGUMENT', `a PING carries at most ${MAX_PING_OCTETS} octets`)
  return opaque
}

/** The opaque octets of a PING or PONG. Throws LimitError LENGTH above 64 (answered with ERROR 1). */
export function decodePing(payload: Uint8Array): Uint8Array {
  if (payload.length > MAX_PING_OCTETS) throw new LimitError('LENGTH', `a PING of more than ${MAX_PING_OCTETS} octets`)
  return payload
}
