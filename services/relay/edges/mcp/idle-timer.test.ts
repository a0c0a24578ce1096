import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../test/fixtures/edge/virtual-clock.ts'
import { IdleTimer } from './idle-timer.ts'

function timer(idleMs: number) {
  const clock = new VirtualClock()
  const state = { idle: 0 }
  const timer = new IdleTimer(clock, idleMs, () => state.idle++)
  return { clock, state, timer }
}

describe('an idle timer', () => {
  it('calls back each time nothing was touched for the whole time', () => {
    const { clock, state, timer: one } = timer(100)
    clock.advance(99)
    one.touch()
    clock.advance(99)
    expect(state.idle).toBe(0)
    clock.advance(1)
    expect(state.idle).toBe(1)
    clock.advance(100)
    expect(state.idle).toBe(2)
  })

  it('leaves nothing behind when it is stopped, also from within its callback', () => {
    const { clock, timer: one } = timer(100)
    one.stop()
    one.stop()
    expect(clock.pending).toBe(0)
    const inside = new IdleTimer(clock, 100, () => inside.stop())
    clock.advance(1_000)
    expect(clock.pending).toBe(0)
  })

  it('waits longer than a timer of the system can', () => {
    const { clock, state } = timer(2 ** 32)
    clock.advance(2 ** 32 - 1)
    expect(state.idle).toBe(0)
    clock.advance(1)
    expect(state.idle).toBe(1)
  })
})
