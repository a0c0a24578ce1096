import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../test/fixtures/edge/virtual-clock.ts'
import { atMost } from './at-most.ts'

describe('at most', () => {
  it('ends with the work, and leaves no timer', async () => {
    const clock = new VirtualClock()
    await atMost(clock, Promise.resolve(), 1_000)
    expect(clock.pending).toBe(0)
  })

  it('ends with the time where the work does not', async () => {
    const clock = new VirtualClock()
    const waiting = atMost(clock, new Promise(() => {}), 1_000)
    clock.advance(1_000)
    await waiting
    expect(clock.pending).toBe(0)
  })
})
