import { ILLEGAL_CHANNEL } from '../codepoints/channels.ts'
import { MalformedError, MisuseError } from '../errors.ts'
import { crc32c } from './crc32c.ts'

export const HEADER_OCTETS = 36
/** Octets 0-20 of a header: input of its CRC32C and, byte for byte, the AEAD's associated data (WIRE-012). */
export const AAD_OCTETS = 21
export const TAG_OCTETS = 16
const WIRE_VERSION = 2

/** Low nibble of octet 4 (WIRE-011). COMP and FRAG are never sent: the specification leaves them undefined. */
export const FLAG = { URG: 0x01, ENC: 0x02, COMP: 0x04, FRAG: 0x08 } as const

export interface FrameHeader {
  /** 0-15, bits of FLAG. */
  readonly flags: number
  readonly type: number
  readonly channel: number
  readonly sequence: bigint
  /** All octets behind the header, the 16-octet tag of a sealed frame included (WIRE-010). */
  readonly payloadOctets: number
}

/** A new array of 36 octets, CRC filled in. Throws MisuseError ARGUMENT for a field out of range or never legal. */
export function encodeHeader(header: FrameHeader): Uint8Array<ArrayBuffer> {
  refuseUnsendable(header)
  const octets = new Uint8Array(HEADER_OCTETS)
  putU32(octets, 0, MAGIC)
  octets[4] = (WIRE_VERSION << 4) | header.flags
  putU16(octets, 5, header.type)
  putU16(octets, 7, header.channel)
  putU64(octets, 9, header.sequence)
  putU32(octets, 17, header.payloadOctets)
  putU32(octets, 21, crc32c(octets, 0, AAD_OCTETS))
  return octets
}

/** The header at `offset`. Throws MalformedError in the order of digest 01 section 5. */
export function decodeHeader(octets: Uint8Array, offset = 0): FrameHeader {
  const header = decodeHeaderFields(octets, offset)
  refuseIllegal(header)
  return header
}

/** Steps 1 to 5 of digest 01 section 5; `refuseIllegal` is step 8, which comes after the payload was read. */
export function decodeHeaderFields(octets: Uint8Array, offset: number): FrameHeader {
  if (octets.length - offset < HEADER_OCTETS) throw new MalformedError('TRUNCATED', 'a frame header has 36 octets')
  // WIRE-008: nothing in the header means anything before its CRC holds.
  if (crc32c(octets, offset, offset + AAD_OCTETS) !== u32(octets, offset + 21))
    throw new MalformedError('BAD_CRC', 'the CRC32C of the frame header does not match')
  if (u32(octets, offset) !== MAGIC) throw new MalformedError('BAD_MAGIC', 'the frame does not begin with NPAM')
  const versionAndFlags = u8(octets, offset + 4)
  if (versionAndFlags >>> 4 !== WIRE_VERSION)
    throw new MalformedError('BAD_VERSION', `wire version ${versionAndFlags >>> 4} is not 2`)
  for (let at = offset + 25; at < offset + HEADER_OCTETS; at++)
    if (octets[at] !== 0) throw new MalformedError('RESERVED_NOT_ZERO', 'a reserved octet of the header is not zero')
  return {
    flags: versionAndFlags & 0x0f,
    type: u16(octets, offset + 5),
    channel: u16(octets, offset + 7),
    sequence: u64(octets, offset + 9),
    payloadOctets: u32(octets, offset + 17),
  }
}

/** Step 8: type 0x0000 (WIRE-017) and channel 0xFFFF (WIRE-039). */
export function refuseIllegal(header: FrameHeader): void {
  if (header.type === 0x0000) throw new MalformedError('ILLEGAL_FRAME_TYPE', 'frame type 0x0000 is never legal')
  if (header.channel === ILLEGAL_CHANNEL)
    throw new MalformedError('ILLEGAL_CHANNEL', 'channel 0xffff is never legal on the wire')
}

const MAGIC = 0x4e50414d
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER)
const MAX_SEQUENCE = 0xffff_ffff_ffff_ffffn

function refuseUnsendable(header: FrameHeader): void {
  requireRange('flags', header.flags, 0, 0x0f)
  requireRange('type', header.type, 0x0001, 0xffff)
  requireRange('channel', header.channel, 0x0000, ILLEGAL_CHANNEL - 1)
  requireRange('payloadOctets', header.payloadOctets, 0, 0xffff_ffff)
  if (header.sequence < 0n || header.sequence > MAX_SEQUENCE)
    throw new MisuseError('ARGUMENT', 'sequence is not an unsigned 64-bit integer')
}

function requireRange(field: string, value: number, least: number, most: number): void {
  if (!(Number.isInteger(value) && value >= least && value <= most))
    throw new MisuseError('ARGUMENT', `${field} must be ${least} to ${most}`)
}

// Plain arithmetic instead of a DataView per frame, which costs more than all of this together.
function u8(octets: Uint8Array, at: number): number {
  return octets[at] as number
}

function u16(octets: Uint8Array, at: number): number {
  return (u8(octets, at) << 8) | u8(octets, at + 1)
}

function u32(octets: Uint8Array, at: number): number {
  return ((u16(octets, at) << 16) | u16(octets, at + 2)) >>> 0
}

function u64(octets: Uint8Array, at: number): bigint {
  const high = u32(octets, at)
  const low = u32(octets, at + 4)
  // Exact as a number up to 2^53, which no live sequence exceeds; one bigint instead of three then.
  return high < 0x20_0000 ? BigInt(high * 0x1_0000_0000 + low) : (BigInt(high) << 32n) | BigInt(low)
}

function putU16(octets: Uint8Array, at: number, value: number): void {
  octets[at] = value >>> 8
  octets[at + 1] = value
}

function putU32(octets: Uint8Array, at: number, value: number): void {
  putU16(octets, at, value >>> 16)
  putU16(octets, at + 2, value & 0xffff)
}

function putU64(octets: Uint8Array, at: number, value: bigint): void {
  if (value <= MAX_EXACT) {
    const exact = Number(value)
    putU32(octets, at, Math.floor(exact / 0x1_0000_0000))
    putU32(octets, at + 4, exact >>> 0)
  } else {
    putU32(octets, at, Number(value >> 32n))
    putU32(octets, at + 4, Number(value & 0xffff_ffffn))
  }
}
