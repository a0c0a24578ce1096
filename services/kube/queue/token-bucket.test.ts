import { expect, test } from 'vitest'
import { KubeVirtualClock } from '../../../test/fixtures/kube/virtual-clock.ts'
import { TokenBucket } from './token-bucket.ts'

test('a burst goes at once, the rest one after the other', async () => {
  const clock = new KubeVirtualClock()
  const bucket = new TokenBucket({ clock, perSecond: 10, burst: 3 })
  const { signal } = new AbortController()
  const beganAtMs = clock.now()
  const times: number[] = []
  for (let index = 0; index < 6; index++) void bucket.take(signal).then(() => times.push(clock.now() - beganAtMs))
  await clock.pass(1_000, 10)
  expect(times).toEqual([0, 0, 0, 100, 200, 300])
})

test('a pause fills the bucket up to the burst and no further', async () => {
  const clock = new KubeVirtualClock()
  const bucket = new TokenBucket({ clock, perSecond: 10, burst: 2 })
  const { signal } = new AbortController()
  for (let index = 0; index < 2; index++) await bucket.take(signal)
  await clock.pass(60_000, 1_000)
  const beganAtMs = clock.now()
  const times: number[] = []
  for (let index = 0; index < 4; index++) void bucket.take(signal).then(() => times.push(clock.now() - beganAtMs))
  await clock.pass(1_000, 10)
  expect(times).toEqual([0, 0, 100, 200])
})

test('whoever is not wanted any more does not wait', async () => {
  const clock = new KubeVirtualClock()
  const bucket = new TokenBucket({ clock, perSecond: 1, burst: 1 })
  const abort = new AbortController()
  await bucket.take(abort.signal)
  const waiting = bucket.take(abort.signal)
  abort.abort()
  await waiting
  expect(clock.pending).toBe(0)
})
