import { MalformedError } from '../errors.ts'

/** Offers are code after code without a count; selections are one code (HS-007, HS-008). */

export function encodeU8List(codes: readonly number[]): Uint8Array {
  return Uint8Array.from(codes)
}

export function encodeU16List(codes: readonly number[]): Uint8Array {
  const octets = new Uint8Array(2 * codes.length)
  for (const [index, code] of codes.entries()) {
    octets[2 * index] = code >>> 8
    octets[2 * index + 1] = code & 0xff
  }
  return octets
}

/** Throws MalformedError TLV_VALUE when empty (HS-009). */
export function decodeU8List(octets: Uint8Array, what: string): number[] {
  refuseEmpty(octets, what)
  return Array.from(octets)
}

/** Throws MalformedError TLV_VALUE when empty or of odd length (HS-009). */
export function decodeU16List(octets: Uint8Array, what: string): number[] {
  refuseEmpty(octets, what)
  if (octets.length % 2 !== 0) throw new MalformedError('TLV_VALUE', `${what} has an odd number of octets`)
  const codes: number[] = []
  for (let at = 0; at < octets.length; at += 2) codes.push(u16(octets, at))
  return codes
}

export function decodeU8(octets: Uint8Array, what: string): number {
  requireLength(octets, 1, what)
  return octets[0] as number
}

export function decodeU16(octets: Uint8Array, what: string): number {
  requireLength(octets, 2, what)
  return u16(octets, 0)
}

function u16(octets: Uint8Array, at: number): number {
  return ((octets[at] as number) << 8) | (octets[at + 1] as number)
}

function refuseEmpty(octets: Uint8Array, what: string): void {
  if (octets.length === 0) throw new MalformedError('TLV_VALUE', `${what} is empty`)
}

function requireLength(octets: Uint8Array, length: number, what: string): void {
  if (octets.length !== length) {
    throw new MalformedError('TLV_VALUE', `${what} has ${octets.length} octets, not ${length}`)
  }
}
