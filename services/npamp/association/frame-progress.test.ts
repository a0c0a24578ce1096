import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { FrameProgress } from './frame-progress.ts'

/** 64 KiB (CARRIAGE section 7). */
const PROGRESS_OCTETS = 65_536
const NEVER = Number.POSITIVE_INFINITY

describe('progress of an unfinished frame', () => {
  it('is not watched while there is none', () => {
    const frame = new FrameProgress()
    frame.observe(0, false, 0)
    expect(frame.deadline()).toBe(NEVER)
    expect(frame.check(0, 99_999)).toBe(true)
  })

  it(`${requirement('OWN-021')} must be 64 KiB in each 10 s`, () => {
    const frame = new FrameProgress()
    frame.observe(100, false, 0)
    expect(frame.deadline()).toBe(10_000)
    frame.observe(100 + PROGRESS_OCTETS, false, 9_000)
    expect(frame.check(100 + PROGRESS_OCTETS, 10_000)).toBe(true)
    expect(frame.deadline()).toBe(20_000)
    frame.observe(100 + 2 * PROGRESS_OCTETS - 1, false, 15_000)
    expect(frame.check(100 + 2 * PROGRESS_OCTETS - 1, 20_000)).toBe(false)
  })

  it('a finished frame ends the watch, and the next one begins anew', () => {
    const frame = new FrameProgress()
    frame.observe(100, false, 0)
    frame.observe(50, true, 9_000)
    expect(frame.deadline()).toBe(19_000)
    frame.observe(0, true, 9_500)
    expect(frame.deadline()).toBe(NEVER)
  })

  it(`${requirement('OWN-021')} a pause of ours restarts the window`, () => {
    const frame = new FrameProgress()
    frame.observe(100, false, 0)
    frame.restart(100, 9_000)
    expect(frame.deadline()).toBe(19_000)
    expect(frame.check(100, 12_000)).toBe(true)
  })
})
