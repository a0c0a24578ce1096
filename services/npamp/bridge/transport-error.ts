import { strictUtf8, utf8Prefix } from '../wire/utf8.ts'
import { TRANSPORT_ERROR, type TransportErrorCode } from './contract.ts'

const MAX_MESSAGE_OCTETS = 255

export interface TransportError {
  readonly code: TransportErrorCode
  /** Diagnostic only; drives no logic. */
  readonly message: string
}

/** code u8, msg_len u8, msg (digest 04 section 7). A message over 255 octets is cut after a whole character. */
export function encodeTransportError({ code, message }: TransportError): Uint8Array {
  const text = utf8Prefix(message, MAX_MESSAGE_OCTETS)
  const octets = new Uint8Array(2 + text.length)
  octets[0] = code
  octets[1] = text.length
  octets.set(text, 2)
  return octets
}

/**
 * The transport error in the foreign slot of a BRIDGE_ERROR; undefined where it is a foreign error. Its length and code
 * tell: JSON text and a CBOR map begin with none of the codes, and a gRPC error that begins with code 1 and fits the length
 * rule would be 48 MiB long (digest 04 section 7). Whoever adds a code must keep that true.
 */
export function decodeTransportError(foreign: Uint8Array): TransportError | undefined {
  const [code, length] = foreign
  if (length === undefined || foreign.length !== 2 + length || !isTransportErrorCode(code)) return undefined
  return { code, message: strictUtf8(foreign.subarray(2)) ?? '' }
}

const CODES: readonly number[] = Object.values(TRANSPORT_ERROR)

function isTransportErrorCode(value: number | undefined): value is TransportErrorCode {
  return value !== undefined && CODES.includes(value)
}
