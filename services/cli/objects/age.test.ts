import { expect, it } from 'vitest'
import { ageOf } from './age.ts'

const NOW = Date.parse('2026-01-10T00:00:00Z')

it.each([
  ['2026-01-10T00:00:00Z', '0 s'],
  ['2026-01-09T23:58:01Z', '119 s'],
  ['2026-01-09T23:58:00Z', '2 min'],
  ['2026-01-09T22:00:00Z', '2 h'],
  ['2026-01-08T00:00:01Z', '47 h'],
  ['2026-01-01T00:00:00Z', '9 d'],
  // A clock that is ahead of ours.
  ['2026-01-10T00:00:05Z', '0 s'],
  ['nonsense', ''],
  [undefined, ''],
])('%s is %s ago', (time, age) => {
  expect(ageOf(time, NOW)).toBe(age)
})
