import { expect } from 'vitest'
import type { Ending } from './ending.ts'
import type { Stand } from './stand.ts'

/** What must hold of a call however it ended: it ran once at most, an answer says that it ran, `not_sent` that it did not. */
export function expectAtMostOnce({ ran }: Pick<Stand, 'ran'>, key: string, ending: Ending): void {
  const times = ran(key)
  expect(times, key).toBeLessThanOrEqual(1)
  if (ending.how === 'answer') expect(times, key).toBe(1)
  if (ending.how !== 'error') return
  expect(ending, key).toMatchObject({
    code: expect.toBeOneOf([-33110, -33113]),
    name: expect.toBeOneOf(['NotDelivered', 'SessionLost', 'QuotaExceeded']),
    delivery: expect.toBeOneOf(['not_sent', 'unknown']),
  })
  if (ending.delivery === 'not_sent') expect(times, key).toBe(0)
}
