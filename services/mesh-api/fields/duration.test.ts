import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { duration, durationMs, parseDuration } from './duration.ts'

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['1h30m', 5_400_000],
    ['0s', 0],
    ['99999h', 359_996_400_000],
    ['1m1m', 120_000],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
    expect(duration().safeParse(text).success).toBe(true)
  })

  it.each(['', '30', 's', '-1s', '1.5s', '1d', '1S', ' 1s', '1s ', '100000s', '1s1s1s1s1s', '\n1s', '1s\n'])(
    '%j is no duration',
    (text) => {
      expect(parseDuration(text)).toBeUndefined()
      expect(duration().safeParse(text).success).toBe(false)
    },
  )

  it('schema and parser agree on every text', () => {
    const pieces = fc.array(fc.oneof(fc.stringMatching(/^[0-9]{1,6}(h|m|s|ms)$/), fc.string({ maxLength: 3 })), {
      maxLength: 5,
    })
    fc.assert(
      fc.property(pieces, (texts) => {
        const text = texts.join('')
        expect(duration().safeParse(text).success).toBe(parseDuration(text) !== undefined)
      }),
    )
  })

  it('refuses to guess for a resource that nobody validated', () => {
    expect(() => durationMs('soon')).toThrow(TypeError)
  })
})
