import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { PROFILE } from '../codepoints/profiles.ts'
import { MisuseError } from '../errors.ts'
import { KEY_LIMITS, keyLimits } from './key-limits.ts'

const STANDARD = KEY_LIMITS[PROFILE.STANDARD]

describe('key limits', () => {
  it(`${requirement('REC-011', 'REC-012')} bounds frames, octets and age, tighter from Standard to Sovereign`, () => {
    const [standard, high, sovereign] = [PROFILE.STANDARD, PROFILE.HIGH, PROFILE.SOVEREIGN].map((p) => KEY_LIMITS[p])
    for (const stage of ['start', 'hard'] as const) {
      for (const bound of ['frames', 'octets', 'ageMs'] as const) {
        expect(high?.[stage][bound]).toBeLessThan(standard?.[stage][bound] ?? 0)
        expect(sovereign?.[stage][bound]).toBeLessThan(high?.[stage][bound] ?? 0)
      }
    }
    expect(STANDARD.start).toEqual({ frames: 4_194_304, octets: 34_359_738_368, ageMs: 3_600_000 })
    expect(STANDARD.hard).toEqual({ frames: 8_388_608, octets: 68_719_476_736, ageMs: 7_200_000 })
  })

  it('stays far below what AES-256-GCM bears: 2^35 blocks at the Standard hard stop', () => {
    const blocks = STANDARD.hard.octets / 16 + STANDARD.hard.frames * 4
    expect(blocks).toBeLessThan(2 ** 35)
  })

  it(`${requirement('REC-011')} configuration only tightens`, () => {
    const loose = { frames: 2 ** 40, octets: 2 ** 50, ageMs: 2 ** 40 }
    expect(keyLimits(PROFILE.STANDARD, { start: loose, hard: loose })).toEqual(STANDARD)
    const tight = { frames: 3, octets: 100, ageMs: 5 }
    expect(keyLimits(PROFILE.STANDARD, { start: tight, hard: loose }).start).toEqual(tight)
    expect(keyLimits(PROFILE.STANDARD)).toBe(STANDARD)
  })

  it.each([0, -1, 1.5, Number.NaN, 2 ** 60])('refuses a bound of %s', (frames) => {
    const bounds = { ...STANDARD.start, frames }
    expect(() => keyLimits(PROFILE.STANDARD, { start: bounds, hard: STANDARD.hard })).toThrow(MisuseError)
  })

  it('refuses a start beyond the hard stop', () => {
    const hard = { ...STANDARD.hard, octets: 10 }
    expect(() => keyLimits(PROFILE.STANDARD, { start: STANDARD.start, hard })).toThrow(/octets/)
  })
})
