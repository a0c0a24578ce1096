import { MisuseError } from '../errors.ts'
import { exactHalf } from './cbor-half.ts'
import { CborFloat, type CborMap, CborSimple, CborTag, type CborValue, MAJOR } from './cbor-value.ts'
import { compareOctets, concatOctets } from './octets.ts'
import { utf8 } from './utf8.ts'

const MAX_UINT64 = 0xffff_ffff_ffff_ffffn

/**
 * The one deterministic encoding of `value` (RFC 8949 section 4.2.1, WIRE-043): shortest heads, definite lengths, map
 * keys ascending by their encodings, floats in their shortest exact form. Throws MisuseError ARGUMENT for what has no
 * encoding: integers beyond 64 bits, lone surrogates, equal map keys.
 */
export function encodeCbor(value: CborValue): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = []
  encode(value, pieces)
  return concatOctets(pieces)
}

function encode(value: CborValue, pieces: Uint8Array[]): void {
  if (typeof value === 'bigint') pieces.push(value >= 0n ? head(MAJOR.UINT, value) : head(MAJOR.NEGATIVE, -1n - value))
  else if (typeof value === 'string') encodeText(value, pieces)
  else if (value === false || value === true) pieces.push(Uint8Array.of(value ? 0xf5 : 0xf4))
  else if (value === null || value === undefined) pieces.push(Uint8Array.of(value === null ? 0xf6 : 0xf7))
  else if (value instanceof Uint8Array) pieces.push(head(MAJOR.OCTETS, value.length), value)
  else if (value instanceof CborFloat) pieces.push(encodeFloat(value.value))
  else if (value instanceof CborSimple) pieces.push(encodeSimple(value.value))
  else if (value instanceof CborTag) {
    pieces.push(head(MAJOR.TAG, value.tag))
    encode(value.value, pieces)
  } else if (value instanceof Map) encodeMap(value, pieces)
  else if (Array.isArray(value)) {
    pieces.push(head(MAJOR.ARRAY, value.length))
    for (const item of value) encode(item, pieces)
  } else throw new MisuseError('ARGUMENT', `a ${typeof value} has no encoding: integers are bigint, maps are Map`)
}

function encodeText(text: string, pieces: Uint8Array[]): void {
  if (!text.isWellFormed()) throw new MisuseError('ARGUMENT', 'a text string with a lone surrogate is not UTF-8')
  const octets = utf8(text)
  pieces.push(head(MAJOR.TEXT, octets.length), octets)
}

function encodeMap(map: CborMap, pieces: Uint8Array[]): void {
  const entries: { key: Uint8Array; value: CborValue }[] = []
  for (const [key, value] of map) entries.push({ key: encodeCbor(key), value })
  entries.sort((a, b) => compareOctets(a.key, b.key))
  pieces.push(head(MAJOR.MAP, entries.length))
  let previous: Uint8Array | undefined
  for (const { key, value } of entries) {
    if (previous !== undefined && compareOctets(previous, key) === 0)
      throw new MisuseError('ARGUMENT', 'two keys of a map have the same encoding')
    pieces.push(key)
    encode(value, pieces)
    previous = key
  }
}

function encodeSimple(value: number): Uint8Array {
  if (Number.isInteger(value) && value >= 0 && value < 20) return Uint8Array.of(0xe0 | value)
  if (Number.isInteger(value) && value >= 32 && value <= 255) return Uint8Array.of(0xf8, value)
  throw new MisuseError('ARGUMENT', 'a simple value is 0 to 19 or 32 to 255')
}

function encodeFloat(value: number): Uint8Array {
  if (Number.isNaN(value)) return Uint8Array.of(0xf9, 0x7e, 0x00)
  const half = exactHalf(value)
  if (half !== undefined) return Uint8Array.of(0xf9, half >>> 8, half)
  const single = Math.fround(value) === value
  const octets = new Uint8Array(single ? 5 : 9)
  const view = new DataView(octets.buffer)
  octets[0] = single ? 0xfa : 0xfb
  if (single) view.setFloat32(1, value)
  else view.setFloat64(1, value)
  return octets
}

/** The shortest head for `argument` (D5). */
function head(major: number, argument: number | bigint): Uint8Array {
  if (argument > MAX_UINT64 || argument < 0) throw new MisuseError('ARGUMENT', 'a CBOR integer has at most 64 bits')
  const first = major << 5
  if (argument < 24) return SHORT_HEADS[first | Number(argument)] as Uint8Array
  if (argument <= 0xff) return Uint8Array.of(first | 24, Number(argument))
  const octets = new Uint8Array(argument <= 0xffff ? 3 : argument <= 0xffff_ffff ? 5 : 9)
  const view = new DataView(octets.buffer)
  if (octets.length === 3) view.setUint16(1, Number(argument))
  else if (octets.length === 5) view.setUint32(1, Number(argument))
  else view.setBigUint64(1, BigInt(argument))
  octets[0] = first | (octets.length === 3 ? 25 : octets.length === 5 ? 26 : 27)
  return octets
}

/** By their only octet. Most heads are one of these, and what is encoded is a copy. */
const SHORT_HEADS: readonly Uint8Array[] = Array.from({ length: 256 }, (_, octet) => Uint8Array.of(octet))
