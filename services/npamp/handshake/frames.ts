import { CHANNEL } from '../codepoints/channels.ts'
import { frameTypeName } from '../codepoints/frame-types.ts'
import { AuthenticationError, MisbehavedError } from '../errors.ts'
import type { TrafficKeys } from '../keys/traffic.ts'
import type { RawFrame } from '../wire/deframer.ts'
import { AAD_OCTETS, encodeHeader, FLAG, type FrameHeader, TAG_OCTETS } from '../wire/header.ts'
import { concatOctets } from '../wire/octets.ts'

/** Every one of the four frames: Control channel, sequence 0 (HS-001); HELLOs clear, AUTHs sealed (HS-002). */
const SEQUENCE = 0n

/** A whole HELLO frame. */
export function clearFrame(type: number, payload: Uint8Array): Uint8Array {
  return concatOctets([encodeHeader(header(type, 0, payload.length)), payload])
}

/** A whole AUTH frame; its associated data counts the tag in the length field (HS-049). */
export function sealedFrame(type: number, keys: TrafficKeys, plaintext: Uint8Array): Uint8Array {
  const headerOctets = encodeHeader(header(type, FLAG.ENC, plaintext.length + TAG_OCTETS))
  const sealed = keys.seal(SEQUENCE, headerOctets.subarray(0, AAD_OCTETS), [plaintext])
  return concatOctets([headerOctets, ...sealed])
}

/** The payload of the HELLO that must come now. Throws MisbehavedError UNEXPECTED_FRAME. */
export function expectClearFrame(frame: RawFrame, type: number): Uint8Array {
  expect(frame.header, type, 0)
  return frame.payload
}

/**
 * The plaintext of the AUTH frame that must come now. Throws MisbehavedError UNEXPECTED_FRAME; AuthenticationError TAG,
 * also for a payload too short to hold a tag.
 */
export function expectSealedFrame(frame: RawFrame, type: number, keys: TrafficKeys): Uint8Array {
  expect(frame.header, type, FLAG.ENC)
  const plaintext = frame.header.payloadOctets < TAG_OCTETS ? undefined : keys.open(SEQUENCE, frame.aad, frame.pieces)
  if (plaintext === undefined) throw new AuthenticationError('TAG', `${nameOf(type)} does not open`)
  return plaintext
}

function header(type: number, flags: number, payloadOctets: number): FrameHeader {
  return { flags, type, channel: CHANNEL.CONTROL, sequence: SEQUENCE, payloadOctets }
}

function expect(received: FrameHeader, type: number, flags: number): void {
  if (
    received.type !== type ||
    received.channel !== CHANNEL.CONTROL ||
    received.sequence !== SEQUENCE ||
    received.flags !== flags
  ) {
    throw new MisbehavedError('UNEXPECTED_FRAME', `another frame came where ${nameOf(type)} belongs`)
  }
}

function nameOf(type: number): string {
  return frameTypeName(CHANNEL.CONTROL, type) ?? 'a handshake frame'
}
