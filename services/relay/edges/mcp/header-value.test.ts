import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHeaderValue } from './header-value.ts'

const marked = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`

describe('a header value', () => {
  it.each(['', 'echo', 'a b', '=?base64?', '?=', '=?base64', 'x=?base64?YQ==?='])('%j stands for itself', (value) => {
    expect(decodeHeaderValue(value)).toBe(value)
  })

  it('stands for what its base64 decodes to', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(decodeHeaderValue(marked(text))).toBe(text)
      }),
    )
  })

  it.each([
    ['octets above ASCII', 'Ã©'],
    ['a control character', 'a\u0001'],
    ['base64 with something else in it', '=?base64?YQ=!=?='],
    ['base64 without padding', '=?base64?YQ?='],
    ['base64 with stray bits', '=?base64?YR==?='],
    ['base64url', '=?base64?_w==?='],
    ['no UTF-8', `=?base64?${Buffer.from([0xff]).toString('base64')}?=`],
  ])('stands for nothing: %s', (_, value) => {
    expect(decodeHeaderValue(value)).toBeUndefined()
  })
})
