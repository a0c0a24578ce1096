import { describe, expect, it } from 'vitest'
import { slopeOf, studentT } from './slope.ts'

describe('slope', () => {
  it('of a straight line is that line, without doubt', () => {
    const samples = [0, 1, 2, 3, 4].map((seconds) => ({ seconds, value: 100 + 7 * seconds }))
    const { perSecond, low, high, start } = slopeOf(samples)
    expect(perSecond).toBeCloseTo(7)
    expect(low).toBeCloseTo(7)
    expect(high).toBeCloseTo(7)
    expect(start).toBeCloseTo(100)
  })

  it('has an interval as the textbook computes it', () => {
    const values = [1.2, 1.9, 3.2, 3.8, 5.1, 6.3, 6.8]
    const { perSecond, low, high } = slopeOf(values.map((value, seconds) => ({ seconds, value })))
    // Slope 0.9821, standard error 0.0421, t of 5 degrees 2.5706.
    expect(perSecond).toBeCloseTo(0.9821, 3)
    expect(low).toBeCloseTo(0.874, 2)
    expect(high).toBeCloseTo(1.09, 2)
  })

  it("knows Student's t", () => {
    expect(studentT(5)).toBeCloseTo(2.571, 1)
    expect(studentT(10)).toBeCloseTo(2.228, 2)
    expect(studentT(60)).toBeCloseTo(2.0, 2)
  })
})
