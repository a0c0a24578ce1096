import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffMs, DIAL_BACKOFF } from './backoff.ts'

describe('backoffMs', () => {
  it('does not wait before the first attempt', () => {
    expect(backoffMs(0, 0.5)).toBe(0)
  })

  it('doubles with each failure', () => {
    expect([1, 2, 3, 4].map((failures) => backoffMs(failures, 0))).toEqual([100, 200, 400, 800])
  })

  it('stays between half of the delay and the delay, and never beyond the limit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (failures, random) => {
          const delay = backoffMs(failures, random)
          expect(delay).toBeGreaterThanOrEqual(DIAL_BACKOFF.firstMs / 2)
          expect(delay).toBeLessThanOrEqual(DIAL_BACKOFF.maxMs)
        },
      ),
    )
  })
})
