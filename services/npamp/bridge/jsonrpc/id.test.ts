import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spelledNumber, spelledString } from '../../../../test/fixtures/npamp/json-spelling.ts'
import { idKey, isNullId, sameId } from './id.ts'

const token = (text: string) => new TextEncoder().encode(text)
const same = (a: string, b: string) => sameId(token(a), token(b))

describe('ids of JSON-RPC', () => {
  it.each([
    ['1', '1.0'],
    ['1', '10e-1'],
    ['100', '1E2'],
    ['0', '-0.0e7'],
    ['-1.50', '-15e-1'],
    ['9007199254740993', '9007199254740993.0'],
    ['1e400', '10e399'],
    ['12e00003', '12000'],
    ['"a"', '"\\u0061"'],
    ['"/"', '"\\/"'],
    ['null', 'null'],
  ])(`${requirement('RPC-011')} %s and %s are one id`, (a, b) => {
    expect(same(a, b)).toBe(true)
    expect(idKey(token(a))).toBe(idKey(token(b)))
  })

  it.each([
    ['1', '"1"'],
    ['1', '-1'],
    ['9007199254740992', '9007199254740993'],
    ['0.1', '0.10000000000000001'],
    ['1e400', '1e401'],
    ['"null"', 'null'],
    ['"a"', '"A"'],
    ['"é"', '"e\u0301"'],
    ['"n1e0"', '1'],
    ['"\\ud800"', '"\\ud801"'],
  ])(`${requirement('RPC-012')} %s and %s are two ids`, (a, b) => {
    expect(same(a, b)).toBe(false)
  })

  it('compares numbers as exact decimals, whatever their spelling', () => {
    fc.assert(
      fc.property(spelledNumber(), spelledNumber(), (a, b) => {
        expect(same(a, b)).toBe(exact(a) === exact(b))
        expect(same(a, respelled(a))).toBe(true)
      }),
    )
  })

  it('compares strings after their escapes', () => {
    fc.assert(
      fc.property(spelledString(4), spelledString(4), (a, b) => {
        expect(same(a, b)).toBe(JSON.parse(a) === JSON.parse(b))
        expect(same(a, JSON.stringify(JSON.parse(a)))).toBe(true)
      }),
    )
  })

  it('reads a token of megabytes in a moment', () => {
    const long = '9'.repeat(2_000_000)
    const startedAt = performance.now()
    expect(same(`${long}.${'0'.repeat(1_000_000)}`, long)).toBe(true)
    expect(same(`1e${long}`, `1.0e${long}`)).toBe(true)
    expect(same(`1e${long}`, `1e1${long}`)).toBe(false)
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })

  it(`${requirement('RPC-026')} knows null as an id`, () => {
    expect(isNullId(token('null'))).toBe(true)
    expect(isNullId(token('"null"'))).toBe(false)
  })
})

/** The value as integer and power of ten, made another way than the product does. */
function exact(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  let digits = BigInt(whole + fraction)
  let exponent = Number(power) - fraction.length
  if (digits === 0n) return '0'
  while (digits % 10n === 0n) {
    digits /= 10n
    exponent++
  }
  return `${sign}${digits}e${exponent}`
}

function respelled(text: string): string {
  const [digits = '', power = '0'] = text.split(/[eE]/)
  const zero = digits.includes('.') ? `${digits}0` : `${digits}.0`
  return `${zero}E${power}`
}
