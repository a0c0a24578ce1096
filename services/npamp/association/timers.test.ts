import { describe, expect, it } from 'vitest'
import { TIMER, Timers } from './timers.ts'

describe('Timers', () => {
  it('gives out what is due, earliest deadline first, each once', () => {
    const timers = new Timers()
    timers.arm(TIMER.HELLO, 30)
    timers.arm(TIMER.CLOSING, 10)
    timers.arm(TIMER.STALL, 99)
    expect(timers.next()).toBe(10)
    expect(timers.takeDue(9)).toBeUndefined()
    expect(timers.takeDue(50)).toBe(TIMER.CLOSING)
    expect(timers.takeDue(50)).toBe(TIMER.HELLO)
    expect(timers.takeDue(50)).toBeUndefined()
    expect(timers.next()).toBe(99)
  })

  it('rearming moves a deadline, disarming removes it', () => {
    const timers = new Timers()
    timers.arm(TIMER.LIVENESS, 5)
    timers.arm(TIMER.LIVENESS, 8)
    expect(timers.takeDue(7)).toBeUndefined()
    timers.armNoLater(TIMER.LIVENESS, 9)
    expect(timers.next()).toBe(8)
    timers.armNoLater(TIMER.LIVENESS, 7)
    expect(timers.next()).toBe(7)
    timers.disarm(TIMER.LIVENESS)
    expect(timers.next()).toBeUndefined()
    timers.arm(TIMER.HANDSHAKE, 1)
    timers.arm(TIMER.KEY_PACE, 2)
    timers.disarmAll()
    expect(timers.next()).toBeUndefined()
  })
})
