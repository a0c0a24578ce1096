import { TLV } from '../codepoints/tlv-types.ts'
import { MalformedError, MisuseError } from '../errors.ts'
import { concatOctets } from './octets.ts'
import { decodeExactTlvs, encodeTlvs } from './tlv.ts'
import { utf8 } from './utf8.ts'

const PATH_CHALLENGE_OCTETS = 32
const PATH_RESPONSE_OCTETS = 64

/** One PathChallenge of 32 octets (WIRE-029). Throws MisuseError ARGUMENT for another length. */
export function encodePathChallenge(challenge: Uint8Array): Uint8Array<ArrayBuffer> {
  return encode(TLV.PATH_CHALLENGE, challenge, PATH_CHALLENGE_OCTETS)
}

/** Throws MalformedError TLV_TRUNCATED, TLV_LAYOUT or TLV_VALUE. */
export function decodePathChallenge(payload: Uint8Array): Uint8Array {
  return decode(TLV.PATH_CHALLENGE, payload, PATH_CHALLENGE_OCTETS)
}

/** One PathResponse of 64 octets (WIRE-029). Throws MisuseError ARGUMENT for another length. */
export function encodePathResponse(response: Uint8Array): Uint8Array<ArrayBuffer> {
  return encode(TLV.PATH_RESPONSE, response, PATH_RESPONSE_OCTETS)
}

/** Throws MalformedError TLV_TRUNCATED, TLV_LAYOUT or TLV_VALUE. */
export function decodePathResponse(payload: Uint8Array): Uint8Array {
  return decode(TLV.PATH_RESPONSE, payload, PATH_RESPONSE_OCTETS)
}

/**
 * Ours, because the specification leaves the 64 octets undefined (digest 01 section 9.4): the challenge, then a digest
 * over it and the responder's direction octet (0 client to server, 1 server to client). Compare it in constant time.
 */
export function pathResponse(
  challenge: Uint8Array,
  responderDirection: 0 | 1,
  sha256: (data: Uint8Array) => Uint8Array,
): Uint8Array<ArrayBuffer> {
  const digest = sha256(concatOctets([RESPONSE_LABEL, challenge, Uint8Array.of(responderDirection)]))
  return concatOctets([challenge, digest])
}

const RESPONSE_LABEL = utf8('n-pamp path response')

function encode(type: number, value: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  if (value.length !== length) throw new MisuseError('ARGUMENT', `a path value has ${length} octets`)
  return encodeTlvs([{ type, value }])
}

function decode(type: number, payload: Uint8Array, length: number): Uint8Array {
  const [value] = decodeExactTlvs(payload, [type])
  if (value?.length !== length) throw new MalformedError('TLV_VALUE', `a path value has ${length} octets`)
  return value
}
