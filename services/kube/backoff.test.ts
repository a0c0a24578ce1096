import { describe, expect, test } from 'vitest'
import { Backoff } from './backoff.ts'

describe('waits after failures', () => {
  test('they double up to the longest one', () => {
    const backoff = new Backoff({ initialMs: 100, maxMs: 1_000, random: () => 0 })
    expect([1, 2, 3, 4, 5, 6].map(() => backoff.next())).toEqual([50, 100, 200, 400, 500, 500])
  })

  test('half of each is drawn', () => {
    const backoff = new Backoff({ initialMs: 100, maxMs: 1_000, random: () => 0.5 })
    expect([backoff.next(), backoff.next()]).toEqual([75, 150])
  })

  test('they are never shorter than the server asks for', () => {
    const backoff = new Backoff({ initialMs: 100, maxMs: 1_000, random: () => 0 })
    expect(backoff.next(5_000)).toBe(5_000)
  })

  test('they begin anew after a success', () => {
    const backoff = new Backoff({ initialMs: 100, maxMs: 1_000, random: () => 0 })
    backoff.next()
    backoff.next()
    expect(backoff.failures).toBe(2)
    backoff.reset()
    expect(backoff.next()).toBe(50)
  })

  test('a thousand failures are no overflow', () => {
    const backoff = new Backoff({ initialMs: 100, maxMs: 1_000, random: () => 0 })
    for (let failures = 0; failures < 1_000; failures++) backoff.next()
    expect(backoff.next()).toBe(500)
  })
})
