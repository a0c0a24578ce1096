import { TLV } from '../codepoints/tlv-types.ts'
import { MalformedError, MisuseError } from '../errors.ts'
import { encodeTlvs, TLV_HEADER_OCTETS, type Tlv, tlvAt } from '../wire/tlv.ts'
import type { BridgeEnvelope, BridgePayload, SafetyLabel } from './contract.ts'
import { decodeEnvelope, encodeEnvelope, messageKindOf } from './envelope.ts'
import { decodeSafetyLabel, encodeSafetyLabel } from './safety-label.ts'

/** Extension TLV types in force for one direction: key 2 of the receiver's HELLO. SafetyLabel is always known. */
export type KnownTlvs = ReadonlySet<number>

export const NO_EXTENSIONS: KnownTlvs = new Set()

export interface PayloadParts {
  readonly envelope: BridgeEnvelope
  readonly label: SafetyLabel | undefined
  /** By type; those that the receiver does not know are the caller's to leave out. */
  readonly extensions: ReadonlyMap<number, Uint8Array>
  readonly foreign: Uint8Array
}

/**
 * A Bridge payload in two pieces, the TLVs and the foreign octets themselves, not copied (BRG-001). `known`: what the
 * receiver takes for a TLV. Throws MisuseError ARGUMENT, also where the receiver would take the beginning of the foreign
 * octets for a TLV and only the caller can prevent it (digest 04 section 3, rule 5).
 */
export function encodePayload(
  parts: PayloadParts,
  known: KnownTlvs = NO_EXTENSIONS,
): readonly [Uint8Array, Uint8Array] {
  const tlvs: Tlv[] = [{ type: TLV.BRIDGE_ENVELOPE, value: encodeEnvelope(parts.envelope) }]
  if (parts.label !== undefined) tlvs.push({ type: TLV.SAFETY_LABEL, value: encodeSafetyLabel(parts.label) })
  for (const [type, value] of parts.extensions) tlvs.push({ type, value })
  const marker = disambiguation(parts, known)
  if (marker !== undefined) tlvs.push(marker)
  return [encodeTlvs(inOrder(tlvs)), parts.foreign]
}

/** Callers give extensions in the order of their types, so there is hardly ever anything to sort. */
function inOrder(tlvs: Tlv[]): readonly Tlv[] {
  let previous = 0
  for (const { type } of tlvs) {
    if (type < previous) return tlvs.sort((a, b) => a.type - b.type)
    previous = type
  }
  return tlvs
}

const EMPTY = new Uint8Array(0)

/** An empty TLV of the very type that the foreign octets begin with: a type that was seen already begins foreign octets. */
function disambiguation({ label, extensions, foreign }: PayloadParts, known: KnownTlvs): Tlv | undefined {
  if (foreign.length < TLV_HEADER_OCTETS) return undefined
  const type = typeAt(foreign, 0)
  if (type === TLV.SAFETY_LABEL && label === undefined)
    throw new MisuseError('ARGUMENT', 'the message would be read as a SafetyLabel: send one')
  if (!known.has(type) || extensions.has(type)) return undefined
  if (!isExtension(type)) throw new MisuseError('ARGUMENT', `the message would be read as TLV 0x${type.toString(16)}`)
  return { type, value: EMPTY }
}

/**
 * Takes a payload apart: the envelope first, then each known TLV once, in any order; everything from there on is foreign
 * (digest 04 section 3). An extension TLV of length 0 is absent. `known`: what our own HELLO listed, from when it was sent.
 * Throws MalformedError ENVELOPE or SAFETY_LABEL. Everything handed out are views of `octets`.
 */
export function decodePayload(octets: Uint8Array, frameType: number, known: KnownTlvs = NO_EXTENSIONS): BridgePayload {
  if (messageKindOf(frameType) === undefined)
    throw new MalformedError('ENVELOPE', `frame type 0x${frameType.toString(16)} carries no Bridge message`)
  const first = envelopeTlv(octets)
  const envelope = decodeEnvelope(first, frameType)
  let at = TLV_HEADER_OCTETS + first.length
  let label: SafetyLabel | undefined
  let extensions: Map<number, Uint8Array> | undefined
  const seen = new Set<number>()
  while (octets.length - at >= TLV_HEADER_OCTETS) {
    const type = typeAt(octets, at)
    if ((type !== TLV.SAFETY_LABEL && !known.has(type)) || seen.has(type)) break
    seen.add(type)
    const value = wholeValue(octets, at)
    if (type === TLV.SAFETY_LABEL) label = decodeSafetyLabel(value)
    else if (value.length > 0) {
      extensions ??= new Map()
      extensions.set(type, value)
    }
    at += TLV_HEADER_OCTETS + value.length
  }
  return { envelope, label, extensions: extensions ?? NONE, foreign: octets.subarray(at) }
}

const NONE: ReadonlyMap<number, Uint8Array> = new Map()

/**
 * As much of an envelope as an answer to a malformed request needs; undefined where its correlation_id cannot be read or
 * is empty (digest 04 section 6).
 */
export function readableEnvelope(
  octets: Uint8Array,
): Pick<BridgeEnvelope, 'protocolId' | 'contentType' | 'correlationId'> | undefined {
  if (octets.length < TLV_HEADER_OCTETS + 5 || typeAt(octets, 0) !== TLV.BRIDGE_ENVELOPE) return undefined
  const value = octets.subarray(TLV_HEADER_OCTETS, TLV_HEADER_OCTETS + typeAt(octets, 2))
  const [protocolId, , contentType, , length] = value
  if (protocolId === undefined || contentType === undefined || length === undefined || length === 0) return undefined
  const correlationId = value.subarray(5, 5 + length)
  return correlationId.length === length ? { protocolId, contentType, correlationId } : undefined
}

/** BRG-005 */
function envelopeTlv(octets: Uint8Array): Uint8Array {
  if (octets.length < TLV_HEADER_OCTETS || typeAt(octets, 0) !== TLV.BRIDGE_ENVELOPE)
    throw new MalformedError('ENVELOPE', 'the payload does not begin with a BridgeEnvelope')
  return wholeValue(octets, 0)
}

/** `tlvAt` with the one error that a Bridge payload has for it. */
function wholeValue(octets: Uint8Array, at: number): Uint8Array {
  if (TLV_HEADER_OCTETS + typeAt(octets, at + 2) > octets.length - at)
    throw new MalformedError('ENVELOPE', 'a TLV runs past the payload')
  return tlvAt(octets, at).value
}

function isExtension(type: number): boolean {
  return type >= TLV.TRACE_CONTEXT && type <= TLV.APPROVAL
}

function typeAt(octets: Uint8Array, at: number): number {
  return ((octets[at] as number) << 8) | (octets[at + 1] as number)
}
