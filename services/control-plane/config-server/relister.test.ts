import { describe, expect, it } from 'vitest'
import { KubeVirtualClock, settled } from '../../../test/fixtures/kube/virtual-clock.ts'
import { requirement } from '../../../test/requirements/requirement.ts'
import type { RelistOptions } from '../sources/source.ts'
import { Relister } from './relister.ts'

const [EDGE, FAR, THIRD] = ['default/edge', 'default/far', 'default/third']

/** A relister of a source whose lists take `tookMs`, and which asks for them have been answered. */
function relisting(tookMs = 0) {
  const clock = new KubeVirtualClock()
  const ended = new AbortController()
  /** When each list began. */
  const began: number[] = []
  const answered: string[] = []
  const source = {
    relist({ consistent, signal }: RelistOptions): Promise<void> {
      expect(consistent).toBe(true)
      began.push(clock.now() - startMs)
      if (signal.aborted) return Promise.reject(new Error('closed'))
      return tookMs === 0 ? Promise.resolve() : new Promise((resolve) => clock.setTimeout(resolve, tookMs))
    },
  }
  const startMs = clock.now()
  const relister = new Relister(source, clock, ended.signal)
  const ask = (relay: string): void => {
    const at = clock.now() - startMs
    relister.list(relay).then(
      () => answered.push(`${relay} ${at}->${clock.now() - startMs}`),
      () => answered.push(`${relay} rejected`),
    )
  }
  return { clock, ended, began, answered, ask, timers: () => clock.pending }
}

describe(`${requirement('CTL-007', 'CTL-015')} a relay that asks for a fresh list`, () => {
  it('has it at once', async () => {
    const { ask, began, answered } = relisting()
    ask(EDGE)
    await settled()
    expect([began, answered]).toEqual([[0], [`${EDGE} 0->0`]])
  })

  it('has one that begins after it asked, not the one that is running', async () => {
    const { ask, began, answered, clock } = relisting(200)
    ask(EDGE)
    await clock.pass(100, 10)
    ask(FAR)
    ask(THIRD)
    await clock.pass(400, 10)
    expect(began).toEqual([0, 200])
    expect(answered).toEqual([`${EDGE} 0->200`, `${FAR} 100->400`, `${THIRD} 100->400`])
  })

  it('again waits a second, and no other relay with it', async () => {
    const { ask, began, answered, clock } = relisting()
    ask(EDGE)
    await clock.pass(100, 10)
    ask(EDGE)
    await clock.pass(100, 10)
    expect(began).toEqual([0])
    ask(FAR)
    await settled()
    // A list is a list: who waits has it too.
    expect(began).toEqual([0, 200])
    expect(answered).toEqual([`${EDGE} 0->0`, `${EDGE} 100->200`, `${FAR} 200->200`])
    ask(EDGE)
    await clock.pass(2_000, 10)
    expect(began).toEqual([0, 200, 1_200])
  })

  it('again waits four times what the last one took, and at most ten seconds', async () => {
    for (const [tookMs, expected] of [
      [1_000, 5_000],
      [5_000, 15_000],
    ] as const) {
      const { ask, began, clock } = relisting(tookMs)
      ask(EDGE)
      await clock.pass(tookMs, 100)
      ask(EDGE)
      await clock.pass(30_000, 100)
      expect(began).toEqual([0, expected])
    }
  })

  it('without end has no more than one list for each pause', async () => {
    const { ask, began, clock } = relisting(100)
    for (let time = 0; time < 60_000; time += 50) {
      ask(EDGE)
      await clock.pass(50)
    }
    expect(began.length).toBeLessThanOrEqual(60)
    expect(began.length).toBeGreaterThanOrEqual(50)
  })

  it('hears of it when everything ends, also while it is made to wait', async () => {
    const { ask, answered, ended, clock, timers } = relisting()
    ask(EDGE)
    await settled()
    ask(EDGE)
    await clock.pass(100)
    ended.abort()
    await settled()
    expect(answered).toEqual([`${EDGE} 0->0`, `${EDGE} rejected`])
    expect(timers()).toBe(0)
  })
})
