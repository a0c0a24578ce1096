import { type MalformedCode, MalformedError } from '../errors.ts'
import { type CborLimits, decodeCbor } from './cbor-decode.ts'
import type { CborValue } from './cbor-value.ts'

/**
 * A map of a frame payload, read by its unsigned keys. Unknown non-negative keys are nobody's business; any negative key
 * is unknown and rejects the map, and so does any other kind of key (D11, HELLO-012, HELLO-013). Getters throw
 * MalformedError with the structure's code where a field is missing, of another type or out of bounds.
 */
export class PayloadMap {
  readonly #map: ReadonlyMap<CborValue, CborValue>
  readonly #what: string
  readonly #code: MalformedCode

  /** `what` names the structure in messages. */
  constructor(value: CborValue, what: string, code: MalformedCode) {
    this.#what = what
    this.#code = code
    if (!(value instanceof Map)) throw this.#fault('is not a map') // D2
    for (const key of value.keys())
      if (typeof key !== 'bigint' || key < 0n) throw this.#fault('has a key that is not an unsigned integer')
    this.#map = value
  }

  has(key: bigint): boolean {
    return this.#map.has(key)
  }

  /** The raw value; undefined when absent. */
  get(key: bigint): CborValue {
    return this.#map.get(key)
  }

  /** An unsigned integer of at most `most`, which is at most 2^53-1. */
  uint(key: bigint, name: string, most: number = Number.MAX_SAFE_INTEGER): number {
    const value = this.#map.get(key)
    if (typeof value !== 'bigint' || value < 0n) throw this.#fault(`needs ${name}, an unsigned integer, at key ${key}`)
    if (value > BigInt(most)) throw this.#fault(`has ${name} above ${most}`)
    return Number(value)
  }

  /** An octet string of `least` to `most` octets. */
  octets(key: bigint, name: string, least: number, most: number): Uint8Array {
    const value = this.#map.get(key)
    if (!(value instanceof Uint8Array)) throw this.#fault(`needs ${name}, an octet string, at key ${key}`)
    if (value.length < least || value.length > most)
      throw this.#fault(`has ${name} of ${value.length} octets, not ${least === most ? least : `${least} to ${most}`}`)
    return value
  }

  text(key: bigint, name: string): string {
    const value = this.#map.get(key)
    if (typeof value !== 'string') throw this.#fault(`needs ${name}, a text string, at key ${key}`)
    return value
  }

  /** An array of unsigned integers of any size. */
  uints(key: bigint, name: string): readonly bigint[] {
    const value = this.#map.get(key)
    if (!Array.isArray(value)) throw this.#fault(`needs ${name}, an array, at key ${key}`)
    for (const item of value)
      if (typeof item !== 'bigint' || item < 0n)
        throw this.#fault(`has ${name} with an entry that is not an unsigned integer`)
    return value
  }

  /** A map under the same rules. */
  map(key: bigint, name: string): PayloadMap {
    return new PayloadMap(this.#map.get(key), `${name} of ${this.#what}`, this.#code)
  }

  #fault(text: string): MalformedError {
    return new MalformedError(this.#code, `${this.#what} ${text}`)
  }
}

/** A payload that is one deterministic CBOR map with unsigned keys. Throws MalformedError CBOR or `code`; LimitError. */
export function decodePayloadMap(
  octets: Uint8Array,
  what: string,
  code: MalformedCode,
  limits?: Partial<CborLimits>,
): PayloadMap {
  return new PayloadMap(decodeCbor(octets, limits), what, code)
}
