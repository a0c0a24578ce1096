import { requirement } from '@causeway/test/requirements'
import * as cborg from 'cborg'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LimitError, MisuseError, NpampError } from '../errors.ts'
import { CborFloat, CborSimple, CborTag, type CborValue, decodeCbor, encodeCbor } from './cbor.ts'
import { fromHex, toHex } from './hex.test-support.ts'

function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof NpampError) return error.code
    throw error
  }
  return 'accepted'
}

const rejected = (hex: string) => codeOf(() => decodeCbor(fromHex(hex)))

/** Values with map keys of the kinds our formats use; `deep` ones also with everything else CBOR has. */
function anyValue(deep: boolean): fc.Arbitrary<CborValue> {
  const text = fc.string({ unit: 'binary', maxLength: 12 }).filter((one) => one.isWellFormed())
  const integer = fc.bigInt({ min: -(1n << 64n), max: (1n << 64n) - 1n })
  const plain: fc.Arbitrary<CborValue>[] = [integer, text, fc.uint8Array({ maxLength: 12 }), fc.boolean()]
  const simple = fc.oneof(fc.nat(19), fc.integer({ min: 32, max: 255 }))
  const odd: fc.Arbitrary<CborValue>[] = [
    fc.constant(null),
    fc.constant(undefined),
    fc.double().map((value) => new CborFloat(value)),
    fc.float().map((value) => new CborFloat(value)),
    simple.map((value) => new CborSimple(value)),
  ]
  const { value } = fc.letrec<{ value: CborValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      ...plain,
      ...(deep ? odd : []),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(fc.oneof(integer, text), tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
      ...(deep
        ? [fc.tuple(fc.bigInt({ min: 0n, max: 99n }), tie('value')).map(([tag, inner]) => new CborTag(tag, inner))]
        : []),
    ),
  }))
  return value
}

describe('encodeCbor', () => {
  it('gives the examples of RFC 8949 appendix A that are deterministic', () => {
    const examples: [CborValue, string][] = [
      [0n, '00'],
      [23n, '17'],
      [24n, '1818'],
      [255n, '18ff'],
      [256n, '190100'],
      [65_535n, '19ffff'],
      [65_536n, '1a00010000'],
      [4_294_967_295n, '1affffffff'],
      [4_294_967_296n, '1b0000000100000000'],
      [18_446_744_073_709_551_615n, '1bffffffffffffffff'],
      [-1n, '20'],
      [-18_446_744_073_709_551_616n, '3bffffffffffffffff'],
      [new CborFloat(0), 'f90000'],
      [new CborFloat(-0), 'f98000'],
      [new CborFloat(1.1), 'fb3ff199999999999a'],
      [new CborFloat(1.5), 'f93e00'],
      [new CborFloat(65_504), 'f97bff'],
      [new CborFloat(65_505), 'fa477fe100'],
      [new CborFloat(100_000), 'fa47c35000'],
      [new CborFloat(3.4028234663852886e38), 'fa7f7fffff'],
      [new CborFloat(2 ** -24), 'f90001'],
      [new CborFloat(0.00006103515625), 'f90400'],
      [new CborFloat(Number.POSITIVE_INFINITY), 'f97c00'],
      [new CborFloat(Number.NEGATIVE_INFINITY), 'f9fc00'],
      [new CborFloat(Number.NaN), 'f97e00'],
      [false, 'f4'],
      [true, 'f5'],
      [null, 'f6'],
      [undefined, 'f7'],
      [new CborSimple(16), 'f0'],
      [new CborSimple(255), 'f8ff'],
      [new CborTag(1n, 1_363_896_240n), 'c11a514b67b0'],
      [fromHex('01020304'), '4401020304'],
      ['\u6c34', '63e6b0b4'],
      [[1n, [2n, 3n]], '8201820203'],
      [
        new Map<CborValue, CborValue>([
          ['b', [2n]],
          ['a', 1n],
        ]),
        'a261610161628102',
      ],
    ]
    for (const [value, hex] of examples) {
      expect(toHex(encodeCbor(value))).toBe(hex)
      expect(decodeCbor(fromHex(hex))).toEqual(value)
    }
  })

  it('sorts map keys by their encodings', () => {
    const keys = [-1n, 'b', 'aa', 100n, 24n, 23n, 0n, 256n, fromHex('00'), false]
    const map = decodeCbor(encodeCbor(new Map(keys.map((key) => [key, 0n]))))
    expect(map instanceof Map ? [...map.keys()] : []).toEqual([
      0n,
      23n,
      24n,
      100n,
      256n,
      -1n,
      fromHex('00'),
      'b',
      'aa',
      false,
    ])
  })

  it(`${requirement('WIRE-043')} gives the same octets however a map was filled`, () => {
    const entries = fc.uniqueArray(fc.tuple(fc.bigInt({ min: 0n, max: 999n }), fc.nat(9)), { selector: ([key]) => key })
    fc.assert(
      fc.property(entries, (pairs) => {
        const one = new Map(pairs.map(([key, value]) => [key, BigInt(value)]))
        expect(encodeCbor(new Map([...one].reverse()))).toEqual(encodeCbor(one))
      }),
    )
  })

  it('refuses what has no encoding', () => {
    const bad: unknown[] = [
      1,
      1n << 64n,
      -(1n << 64n) - 1n,
      '\ud800',
      {},
      Symbol('x'),
      new CborSimple(24),
      new CborTag(-1n, 0n),
    ]
    for (const value of bad) expect(() => encodeCbor(value as CborValue)).toThrow(MisuseError)
    expect(() =>
      encodeCbor(
        new Map([
          [fromHex('01'), 1n],
          [fromHex('01'), 2n],
        ]),
      ),
    ).toThrow(MisuseError)
  })

  it('agrees with cborg', () => {
    fc.assert(
      fc.property(anyValue(false), (value) => {
        expect(toHex(encodeCbor(value))).toBe(toHex(cborgEncode(value)))
      }),
    )
  })
})

describe('decodeCbor', () => {
  it.each([
    ['D1 two items', 'a000'],
    ['D1 nothing', ''],
    ['D3 indefinite map', 'bf0001ff'],
    ['D3 indefinite octets', '5f4100ff'],
    ['D3 indefinite text', '7f6161ff'],
    ['D3 indefinite array', '9f00ff'],
    ['D3 a lone break', 'ff'],
    ['D4 reserved head 28', '1c'],
    ['D4 reserved head 29', '5d'],
    ['D4 reserved head 30', 'fe'],
    ['D5 5 in two octets', '1805'],
    ['D5 255 in three octets', '1900ff'],
    ['D5 65535 in five octets', '1a0000ffff'],
    ['D5 2^32-1 in nine octets', '1b00000000ffffffff'],
    ['D5 negative in two octets', '3817'],
    ['D5 string length', '5803010203'],
    ['D5 text length', '780161'],
    ['D5 array count', '980100'],
    ['D5 map count', 'b8010000'],
    ['D5 tag', 'd80100'],
    ['D6 keys descending', 'a201000000'],
    ['D6 long key before short', 'a2181800 0000'],
    ['D6 negative before unsigned', 'a220000000'],
    ['D7 equal keys', 'a200010002'],
    ['D7 equal text keys', 'a261610061 6101'],
    ['D8 not UTF-8', '61ff'],
    ['D8 overlong', '62c080'],
    ['D8 surrogate', '63eda080'],
    ['D9 simple value in two octets', 'f814'],
    ['D10 double that fits a half', 'fb3ff0000000000000'],
    ['D10 double that fits a single', 'fb40f86a0000000000'],
    ['D10 single that fits a half', 'fa3f800000'],
    ['D10 NaN as single', 'fa7fc00000'],
    ['D10 NaN as double', 'fb7ff8000000000000'],
    ['D10 another NaN', 'f97e01'],
    ['D10 signalling NaN', 'f97c01'],
    ['more array items than octets', '8500'],
    ['more map entries than octets', 'a30000'],
    ['2^64-1 octets', '5bffffffffffffffff'],
    ['a count of 2^31 items', '9a80000000'],
  ])(`${requirement('OWN-003')} rejects %s`, (_, hex) => {
    expect(['CBOR', 'ITEMS']).toContain(rejected(hex))
  })

  it(`${requirement('WIRE-043', 'OWN-003')} accepts only what encodes to the same octets again`, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 24 }), (octets) => {
        let value: CborValue
        try {
          value = decodeCbor(octets)
        } catch (error) {
          expect(error).toBeInstanceOf(NpampError)
          return
        }
        expect(encodeCbor(value)).toEqual(octets)
      }),
      { numRuns: 3000 },
    )
  })

  it(`${requirement('OWN-003')} gives back what was encoded, and nothing for any cut or continued form of it`, () => {
    fc.assert(
      fc.property(anyValue(true), (value) => {
        const octets = encodeCbor(value)
        expect(encodeCbor(decodeCbor(octets))).toEqual(octets)
        for (let length = 0; length < octets.length; length++)
          expect(codeOf(() => decodeCbor(octets.subarray(0, length)))).not.toBe('accepted')
        const continued = new Uint8Array(octets.length + 1)
        continued.set(octets)
        expect(codeOf(() => decodeCbor(continued))).toBe('CBOR')
      }),
    )
  })

  it('decodes to an equal value where map keys are integers and text', () => {
    fc.assert(
      fc.property(anyValue(false), (value) => {
        expect(decodeCbor(encodeCbor(value))).toEqual(value)
      }),
    )
  })

  it('takes only octets that cborg decodes and encodes to the same, for mutations of valid ones', () => {
    fc.assert(
      fc.property(anyValue(false), fc.nat(), fc.nat(255), (value, place, octet) => {
        const octets = encodeCbor(value)
        octets[place % octets.length] = octet
        if (codeOf(() => decodeCbor(octets)) !== 'accepted') return
        const mine = decodeCbor(octets)
        if (!usesOnlyPlainValues(mine)) return
        const theirs = cborg.decode(octets, { useMaps: true, strict: true, allowBigInt: true })
        expect(toHex(cborgEncode(theirs))).toBe(toHex(octets))
      }),
      { numRuns: 1000 },
    )
  })

  it(`${requirement('OWN-003')} keeps text as it came, a byte order mark included`, () => {
    expect(decodeCbor(fromHex('64efbbbf61'))).toBe('\ufeffa')
  })

  it('keeps 64-bit integers exact', () => {
    expect(decodeCbor(fromHex('1b0020000000000001'))).toBe(9_007_199_254_740_993n)
  })

  it('keeps the two zeroes apart as map keys', () => {
    const octets = fromHex('a2f9000001f9800002')
    expect(encodeCbor(decodeCbor(octets))).toEqual(octets)
  })
})

describe('the limits of decodeCbor', () => {
  const nested = (depth: number) => fromHex(`${'81'.repeat(depth - 1)}00`)

  it(`${requirement('OWN-003')} bound nesting`, () => {
    expect(codeOf(() => decodeCbor(nested(16)))).toBe('accepted')
    expect(codeOf(() => decodeCbor(nested(17)))).toBe('DEPTH')
    expect(codeOf(() => decodeCbor(fromHex(`${'c1'.repeat(100_000)}00`)))).toBe('DEPTH')
    expect(codeOf(() => decodeCbor(fromHex('a1a1a1000000 00'), { maxDepth: 2 }))).toBe('DEPTH')
  })

  it(`${requirement('OWN-003')} bound data items before anything is built for an announced count`, () => {
    expect(codeOf(() => decodeCbor(fromHex('9affffffff')))).toBe('ITEMS')
    expect(codeOf(() => decodeCbor(fromHex('bbffffffffffffffff')))).toBe('ITEMS')
    const items = (count: number) => encodeCbor(Array.from({ length: count }, () => 0n))
    expect(codeOf(() => decodeCbor(items(65_535)))).toBe('accepted')
    expect(codeOf(() => decodeCbor(items(65_536)))).toBe('ITEMS')
    expect(codeOf(() => decodeCbor(fromHex('8281008100'), { maxItems: 4 }))).toBe('ITEMS')
  })

  it(`${requirement('OWN-003')} bound octets`, () => {
    expect(() => decodeCbor(encodeCbor(new Uint8Array(100)), { maxOctets: 99 })).toThrow(LimitError)
  })
})

function cborgEncode(value: unknown): Uint8Array {
  // RFC 8949 order, not the length-first order of RFC 7049 that cborg has by default.
  return cborg.encode(value, cborg.rfc8949EncodeOptions)
}

function usesOnlyPlainValues(value: CborValue): boolean {
  if (Array.isArray(value)) return value.every(usesOnlyPlainValues)
  if (value instanceof Map)
    return [...value].every(
      ([key, entry]) => typeof key !== 'object' && usesOnlyPlainValues(key) && usesOnlyPlainValues(entry),
    )
  return !(value instanceof CborFloat || value instanceof CborSimple || value instanceof CborTag || value === undefined)
}
