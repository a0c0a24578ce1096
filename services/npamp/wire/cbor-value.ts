/**
 * What the codec decodes to and encodes from. Integers are always bigint: they go up to 2^64-1 and a plain number would
 * not say whether it means an integer or a float.
 */
export type CborValue =
  | bigint
  | Uint8Array
  | string
  | boolean
  | null
  | undefined
  | CborFloat
  | CborSimple
  | CborTag
  | readonly CborValue[]
  | CborMap

export type CborMap = ReadonlyMap<CborValue, CborValue>

/** No field of ours is a float; ignored fields may hold one. */
export class CborFloat {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

/** An unassigned simple value: 0 to 19 or 32 to 255. */
export class CborSimple {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

export class CborTag {
  readonly tag: bigint
  readonly value: CborValue
  constructor(tag: bigint, value: CborValue) {
    this.tag = tag
    this.value = value
  }
}

export const MAJOR = { UINT: 0, NEGATIVE: 1, OCTETS: 2, TEXT: 3, ARRAY: 4, MAP: 5, TAG: 6, SIMPLE: 7 } as const
