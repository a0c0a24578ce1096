import { describe, expect, it } from 'vitest'
import { Rate } from './rate.ts'
import { Rates } from './rates.ts'

describe('rates', () => {
  it('allow so many in a window that begins with the first', () => {
    const rate = new Rate(2, 1_000)
    expect([0, 10, 20].map((now) => rate.allow(now))).toEqual([true, true, false])
    expect(rate.readyAt(500)).toBe(1_000)
    expect(rate.allow(1_000)).toBe(true)
    expect(rate.readyAt(1_001)).toBe(1_001)
  })

  it('are counted apart', () => {
    const rates = new Rates()
    expect(rates.allow('rekem', 0)).toBe(true)
    expect(rates.allow('rekem', 9_999)).toBe(false)
    expect(rates.allow('ping', 9_999)).toBe(true)
    expect(rates.allow('rekem', 10_000)).toBe(true)
  })
})
