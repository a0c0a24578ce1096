import { describe, expect, it } from 'vitest'
import { encodeHeaderValue, isHeaderValue } from './header-value.ts'

describe('encodeHeaderValue', () => {
  it.each(['echo', 'file:///a b.txt', 'a\tb', '=?base64?', '=?utf-8?q?x?='])('leaves %j as it is', (value) => {
    expect(encodeHeaderValue(value)).toBe(value)
  })

  it.each(['', ' a', 'a ', '\ta', 'é', '日本', 'a\nb', 'a\r\nx: y', 'a\0', '\x7f', '=?base64?ZQ==?=', '=?base64??='])(
    'wraps %j in the marker, so that it decodes to the same text',
    (value) => {
      const encoded = encodeHeaderValue(value)
      const inner = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(encoded)?.[1]
      expect(Buffer.from(inner ?? '', 'base64').toString()).toBe(value)
    },
  )
})

describe('isHeaderValue', () => {
  it('takes octets and blanks, and no control characters', () => {
    expect(['', 'a b', 'a\tb', '\xe9'].every(isHeaderValue)).toBe(true)
    expect(['a\nb', 'a\rb', '\0', '\x7f', '€'].some(isHeaderValue)).toBe(false)
  })
})
