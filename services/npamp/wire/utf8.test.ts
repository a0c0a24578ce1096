import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { strictUtf8, utf8, utf8Prefix } from './utf8.ts'

/** Short and long, ASCII and not, with what an encoder must replace. */
const anyText = fc.oneof(
  fc.string({ maxLength: 100, unit: 'binary' }),
  fc.string({ maxLength: 100, unit: 'binary-ascii' }),
)

describe('UTF-8', () => {
  it('is written as the encoder of the language writes it', () => {
    fc.assert(fc.property(anyText, (text) => void expect(utf8(text)).toEqual(new TextEncoder().encode(text))))
    expect(utf8('\ud800')).toEqual(Uint8Array.of(0xef, 0xbf, 0xbd))
  })

  it('is read back, and nothing else is', () => {
    fc.assert(fc.property(anyText, (text) => void expect(strictUtf8(utf8(text))).toBe(text.toWellFormed())))
    const isUtf8 = (octets: Uint8Array) => strictUtf8(octets) !== undefined
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (octets) => {
        let expected = true
        try {
          new TextDecoder('utf-8', { fatal: true }).decode(octets)
        } catch {
          expected = false
        }
        expect(isUtf8(octets)).toBe(expected)
      }),
    )
  })

  it('keeps a BOM', () => {
    expect(strictUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa')
  })

  it('is cut between characters', () => {
    expect(utf8Prefix('aé', 2)).toEqual(Uint8Array.of(0x61))
  })
})
