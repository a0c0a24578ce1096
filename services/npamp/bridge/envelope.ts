import { BRIDGE_FRAME } from '../codepoints/frame-types.ts'
import { MalformedError, MisuseError } from '../errors.ts'
import { Reader } from '../wire/reader.ts'
import { utf8 } from '../wire/utf8.ts'
import { type BridgeEnvelope, MESSAGE_KIND } from './contract.ts'

/** Bit 0 of the flags; bits 1-7 are sent 0 and ignored on receipt (BRG-009). */
const FLAG_FINAL = 0x01
const MAX_CORRELATION_OCTETS = 255
export const MAX_METHOD_OCTETS = 255

export type MessageKind = (typeof MESSAGE_KIND)[keyof typeof MESSAGE_KIND]

/** A table, as the kind is not the low octet of the type: error and notification cross over (BRG-007). */
export const FRAME_TYPE_OF: Readonly<Record<MessageKind, number>> = {
  [MESSAGE_KIND.REQUEST]: BRIDGE_FRAME.REQUEST,
  [MESSAGE_KIND.RESPONSE]: BRIDGE_FRAME.RESPONSE,
  [MESSAGE_KIND.ERROR]: BRIDGE_FRAME.ERROR,
  [MESSAGE_KIND.NOTIFY]: BRIDGE_FRAME.NOTIFY,
  [MESSAGE_KIND.STREAM_DATA]: BRIDGE_FRAME.STREAM_DATA,
  [MESSAGE_KIND.STREAM_END]: BRIDGE_FRAME.STREAM_END,
}

const KIND_OF: ReadonlyMap<number, MessageKind> = new Map(
  Object.values(MESSAGE_KIND).map((kind) => [FRAME_TYPE_OF[kind], kind]),
)

/** The message_kind that a Bridge frame type demands; undefined for any other type. */
export function messageKindOf(frameType: number): MessageKind | undefined {
  return KIND_OF.get(frameType)
}

export function isFinal(envelope: BridgeEnvelope): boolean {
  return (envelope.flags & FLAG_FINAL) !== 0
}

/**
 * TLV 0x0010: protocol_id, message_kind, content_type, flags, corr_len, correlation_id, method_len, method (BRG-006).
 * Throws MisuseError ARGUMENT where a field does not fit or the correlation rule of the kind is broken.
 */
export function encodeEnvelope(envelope: BridgeEnvelope): Uint8Array {
  const { protocolId, kind, contentType, flags, correlationId } = envelope
  const method = utf8(envelope.method)
  if (correlationId.length > MAX_CORRELATION_OCTETS || method.length > MAX_METHOD_OCTETS)
    throw new MisuseError('ARGUMENT', 'correlation_id and method have at most 255 octets each')
  const fault = whyWrongCorrelation(kind, correlationId.length)
  if (fault !== undefined) throw new MisuseError('ARGUMENT', fault)
  const octets = new Uint8Array(6 + correlationId.length + method.length)
  octets[0] = protocolId
  octets[1] = kind
  octets[2] = contentType
  octets[3] = flags
  octets[4] = correlationId.length
  octets.set(correlationId, 5)
  octets[5 + correlationId.length] = method.length
  octets.set(method, 6 + correlationId.length)
  return octets
}

/**
 * The envelope of a frame of that type; any protocol_id and content_type, which the class layer judges. Throws
 * MalformedError ENVELOPE (BRG-008).
 */
export function decodeEnvelope(value: Uint8Array, frameType: number): BridgeEnvelope {
  const reader = new Reader(value, 'BridgeEnvelope', 'ENVELOPE')
  const envelope = {
    protocolId: reader.u8(),
    kind: reader.u8(),
    contentType: reader.u8(),
    flags: reader.u8(),
    correlationId: reader.take(reader.u8()),
    method: reader.text(reader.u8()),
  }
  reader.done()
  if (envelope.kind !== messageKindOf(frameType))
    throw new MalformedError('ENVELOPE', `message_kind ${envelope.kind} contradicts the frame type`)
  const fault = whyWrongCorrelation(envelope.kind, envelope.correlationId.length)
  if (fault !== undefined) throw new MalformedError('ENVELOPE', fault)
  return envelope
}

/** BRG-012, BRG-015 */
function whyWrongCorrelation(kind: number, octets: number): string | undefined {
  if (kind === MESSAGE_KIND.NOTIFY) return octets === 0 ? undefined : 'a notification has a correlation_id'
  return octets === 0 ? 'the correlation_id is empty' : undefined
}
