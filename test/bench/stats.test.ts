import { expect, it } from 'vitest'
import { median, medianInterval, quantile } from './stats.ts'

it('quantiles interpolate between sorted samples', () => {
  expect(quantile([4, 1, 3, 2], 0)).toBe(1)
  expect(quantile([4, 1, 3, 2], 1)).toBe(4)
  expect(median([4, 1, 3, 2])).toBe(2.5)
})

it('the interval holds the median, shrinks to a point for equal rounds and is repeatable', () => {
  const rounds = [1.1, 0.9, 1.4, 1.0, 1.05, 0.95, 1.2]
  const interval = medianInterval(rounds)
  expect(interval.low).toBeLessThanOrEqual(interval.value)
  expect(interval.high).toBeGreaterThanOrEqual(interval.value)
  expect(medianInterval(rounds)).toEqual(interval)
  expect(medianInterval([2, 2, 2])).toEqual({ value: 2, low: 2, high: 2 })
})
