import { LimitError, MalformedError } from '../errors.ts'
import { exactHalf, halfToNumber } from './cbor-half.ts'
import { CborFloat, type CborMap, CborSimple, CborTag, type CborValue, MAJOR } from './cbor-value.ts'
import { compareOctets } from './octets.ts'
import { strictUtf8 } from './utf8.ts'

/** Checked before anything is allocated for what they bound (digest 05 section 1, ours). */
export interface CborLimits {
  readonly maxOctets: number
  /** Containers and tags around a value; the outermost value has depth 1. */
  readonly maxDepth: number
  /** Data items in all, map keys included. */
  readonly maxItems: number
}

const DEFAULT_CBOR_LIMITS: CborLimits = { maxOctets: 1024 * 1024, maxDepth: 16, maxItems: 65_536 }

/**
 * Decodes exactly one data item in its deterministic encoding, so that `encodeCbor` of the result is `octets` again
 * (rules D1 and D3 to D10 of digest 05 section 1; D2 and D11 are the schema's). Octet strings are views of `octets`.
 * Throws MalformedError CBOR; LimitError LENGTH, DEPTH or ITEMS.
 */
export function decodeCbor(octets: Uint8Array, limits: Partial<CborLimits> = {}): CborValue {
  const bounds = { ...DEFAULT_CBOR_LIMITS, ...limits }
  if (octets.length > bounds.maxOctets) throw new LimitError('LENGTH', `CBOR of more than ${bounds.maxOctets} octets`)
  const decoder = new Decoder(octets, bounds)
  const value = decoder.value(1)
  decoder.done()
  return value
}

class Decoder {
  readonly #octets: Uint8Array
  readonly #view: DataView
  readonly #limits: CborLimits
  #at = 0
  #items = 0

  constructor(octets: Uint8Array, limits: CborLimits) {
    this.#octets = octets
    this.#view = new DataView(octets.buffer, octets.byteOffset, octets.length)
    this.#limits = limits
  }

  /** D1. */
  done(): void {
    if (this.#at !== this.#octets.length) throw malformed('octets follow the data item')
  }

  value(depth: number): CborValue {
    if (depth > this.#limits.maxDepth) throw new LimitError('DEPTH', `CBOR nested deeper than ${this.#limits.maxDepth}`)
    this.#items += 1
    if (this.#items > this.#limits.maxItems)
      throw new LimitError('ITEMS', `CBOR of more than ${this.#limits.maxItems} data items`)
    const initial = this.#octet()
    const major = initial >>> 5
    const info = initial & 0x1f
    if (info >= 28) throw malformed(info === 31 ? 'an indefinite length' : 'a reserved head') // D3, D4
    if (major === MAJOR.SIMPLE) return this.#simpleOrFloat(info)
    const argument = this.#argument(info)
    switch (major) {
      case MAJOR.UINT:
        return BigInt(argument)
      case MAJOR.NEGATIVE:
        return -1n - BigInt(argument)
      case MAJOR.OCTETS:
        return this.#take(argument)
      case MAJOR.TEXT:
        return this.#text(argument)
      case MAJOR.ARRAY:
        return this.#array(argument, depth)
      case MAJOR.MAP:
        return this.#map(argument, depth)
      default:
        return new CborTag(BigInt(argument), this.value(depth + 1))
    }
  }

  /** The head's argument, in its shortest form (D5). A bigint only above 2^32-1. */
  #argument(info: number): number | bigint {
    if (info < 24) return info
    const at = this.#advance(1 << (info - 24))
    switch (info) {
      case 24:
        return shortest(this.#view.getUint8(at), 24)
      case 25:
        return shortest(this.#view.getUint16(at), 0x100)
      case 26:
        return shortest(this.#view.getUint32(at), 0x1_0000)
      default: {
        const argument = this.#view.getBigUint64(at)
        if (argument <= 0xffff_ffffn) throw malformed('a head that is not the shortest')
        return argument
      }
    }
  }

  #simpleOrFloat(info: number): CborValue {
    switch (info) {
      case 20:
        return false
      case 21:
        return true
      case 22:
        return null
      case 23:
        return undefined
      case 24:
        return this.#simple(this.#octet())
      case 25:
        return this.#half()
      case 26:
        return this.#single()
      case 27:
        return this.#double()
      default:
        return new CborSimple(info)
    }
  }

  #simple(value: number): CborSimple {
    if (value < 32) throw malformed('a simple value that is not in its shortest form')
    return new CborSimple(value)
  }

  // D10: every float in the shortest form that is exact, NaN as F9 7E 00 only.
  #half(): CborFloat {
    const half = this.#view.getUint16(this.#advance(2))
    const value = halfToNumber(half)
    if (Number.isNaN(value) && half !== 0x7e00) throw malformed('a NaN other than f97e00')
    return new CborFloat(value)
  }

  #single(): CborFloat {
    const value = this.#view.getFloat32(this.#advance(4))
    if (Number.isNaN(value) || exactHalf(value) !== undefined) throw malformed('a float that is not the shortest')
    return new CborFloat(value)
  }

  #double(): CborFloat {
    const value = this.#view.getFloat64(this.#advance(8))
    if (Number.isNaN(value) || Math.fround(value) === value) throw malformed('a float that is not the shortest')
    return new CborFloat(value)
  }

  #text(length: number | bigint): string {
    const text = strictUtf8(this.#take(length))
    if (text === undefined) throw malformed('a text string that is not UTF-8') // D8
    return text
  }

  #array(count: number | bigint, depth: number): CborValue[] {
    this.#requireItems(count, 1)
    const items: CborValue[] = []
    for (let index = 0; index < count; index++) items.push(this.value(depth + 1))
    return items
  }

  #map(count: number | bigint, depth: number): CborMap {
    this.#requireItems(count, 2)
    const map = new Map<CborValue, CborValue>()
    let previous: Uint8Array | undefined
    for (let index = 0; index < count; index++) {
      const start = this.#at
      const key = this.value(depth + 1)
      const encoding = this.#octets.subarray(start, this.#at)
      if (previous !== undefined && compareOctets(previous, encoding) >= 0)
        throw malformed('map keys that do not ascend') // D6, D7
      previous = encoding
      map.set(key, this.value(depth + 1))
    }
    return map
  }

  /** A count is the peer's word: it must fit the octets and the item limit before anything is built for it. */
  #requireItems(count: number | bigint, perEntry: number): void {
    const items = Number(count) * perEntry
    if (items > this.#limits.maxItems - this.#items)
      throw new LimitError('ITEMS', `CBOR of more than ${this.#limits.maxItems} data items`)
    if (items > this.#octets.length - this.#at) throw malformed('more items announced than there are octets')
  }

  #take(length: number | bigint): Uint8Array {
    const count = Number(length)
    const at = this.#advance(count)
    return this.#octets.subarray(at, at + count)
  }

  #octet(): number {
    return this.#view.getUint8(this.#advance(1))
  }

  #advance(count: number): number {
    if (count > this.#octets.length - this.#at) throw malformed('the data item ends early')
    const at = this.#at
    this.#at += count
    return at
  }
}

function shortest(argument: number, least: number): number {
  if (argument < least) throw malformed('a head that is not the shortest')
  return argument
}

function malformed(what: string): MalformedError {
  return new MalformedError('CBOR', `not deterministic CBOR: ${what}`)
}
