import { expect, it } from 'vitest'
import { VirtualClock } from '../../../test/fixtures/edge/virtual-clock.ts'
import { LineLimit } from './line-limit.ts'

it('a LineLimit admits ten lines a second, and says at its end how many more there were', () => {
  const clock = new VirtualClock()
  const leftOut: number[] = []
  const limit = new LineLimit(clock, (count) => leftOut.push(count))
  const admitted = (lines: number) => Array.from({ length: lines }, () => limit.admit()).filter(Boolean).length
  expect(admitted(10)).toBe(10)
  expect(clock.pending).toBe(0)
  clock.advance(400)
  expect(admitted(25)).toBe(0)
  clock.advance(599)
  expect(leftOut).toEqual([])
  clock.advance(1)
  expect(leftOut).toEqual([25])
  expect([admitted(12), leftOut]).toEqual([10, [25]])
  clock.advance(1_000)
  expect(leftOut).toEqual([25, 2])
  expect([admitted(1), clock.pending]).toEqual([1, 0])
})
