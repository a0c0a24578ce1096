import { expect, it } from 'vitest'
import { idKey } from './id-key.mjs'

it.each([
  ['1', '1.0'],
  ['1', '10e-1'],
  ['1200', '1.2E+3'],
  ['0', '-0.0e5'],
  ['"a"', '"\\u0061"'],
  ['9007199254740993', '9007199254740993.0'],
])('%s and %s are one id', (a, b) => expect(idKey(a)).toBe(idKey(b)))

it.each([
  ['1', '"1"'],
  ['9007199254740992', '9007199254740993'],
  ['1e400', '1e401'],
  ['1e99999999999999999999', '2e99999999999999999999'],
  ['-1', '1'],
  ['null', '"null"'],
])('%s and %s are two', (a, b) => expect(idKey(a)).not.toBe(idKey(b)))

it('reads an id of many digits at once', () => {
  const digits = '0'.repeat(1_000_000)
  expect(idKey(`1${digits}`)).toBe('n1e1000000')
})
