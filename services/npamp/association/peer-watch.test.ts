import { requirement } from '@causeway/test/requirements'
import { expect, it } from 'vitest'
import { PeerWatch } from './peer-watch.ts'
import { TIMER, Timers } from './timers.ts'

const MIB = 1024 * 1024

it(`${requirement('OWN-020')} a dead peer is told once: no deadline stays due`, () => {
  const timers = new Timers()
  const watch = new PeerWatch(timers, 0)
  timers.takeDue(30_000)
  expect(watch.checkLiveness(30_000)).toBe('ping')
  expect(timers.takeDue(40_000)).toBe(TIMER.LIVENESS)
  expect(watch.checkLiveness(40_000)).toBe('dead')
  expect(timers.takeDue(Number.MAX_VALUE)).toBeUndefined()
})

it(`${requirement('OWN-021')} a frame that stalled is told once`, () => {
  const timers = new Timers()
  const watch = new PeerWatch(timers, 0)
  timers.disarm(TIMER.LIVENESS)
  watch.inputConsumed(MIB, false, 0)
  expect(timers.takeDue(10_000)).toBe(TIMER.STALL)
  expect(watch.checkProgress(MIB, 10_000)).toBe(false)
  expect(timers.takeDue(Number.MAX_VALUE)).toBeUndefined()
})
