import { readFileSync } from 'node:fs'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { Crowd } from './crowd.ts'
import { eventually } from './in-time.ts'
import type { Way } from './link.ts'
import { numbersOf, openExchanges } from './metrics-of.ts'
import { orStop } from './or-stop.ts'
import { signal } from './signal.ts'
import { type Stand, type StandOptions, startStand } from './stand.ts'

/** CARRIAGE section 7: PING after 5 s of silence, dead 10 s later. A frame has to move within 10 s. */
const DEAD_MS = 15_000
/** What a busy machine may take on top. */
const SLACK_MS = 8_000

const ANSWERED = { how: 'answer' }
const UNDELIVERED = { how: 'error', code: -33110, name: 'NotDelivered' }
const UNKNOWN = { ...UNDELIVERED, delivery: 'unknown' }

/** These tests wait for deadlines, so they wait together, each at a stand of its own. */
async function atStand(use: (stand: Stand, crowd: Crowd) => Promise<void>, options: StandOptions = {}): Promise<void> {
  const stand = await startStand(options)
  const crowd = await orStop(stand, Crowd.at)
  try {
    await use(stand, crowd)
  } finally {
    for (const { pid } of [stand.mesh.edge, stand.mesh.tools, stand.backend]) signal(pid, 'SIGCONT')
    await crowd.close()
    await stand.stop()
  }
}

async function expectNextAnswered(crowd: Crowd, label: string): Promise<void> {
  await crowd.reconnect()
  const next = crowd.call(label)
  expect(await next.endings).toMatchObject(crowd.everybody(ANSWERED))
  expect(crowd.timesRun(next)).toEqual([1])
}

describe.concurrent('what stands still and does not end', { timeout: 60_000 }, () => {
  it('each of the three for a moment: the calls are answered, and ran once', () =>
    atStand(async (stand, crowd) => {
      const arrived = {
        edge: () => true,
        tools: () => stand.link.passed('toTools') > passed,
        backend: async () => (await openExchanges(stand.mesh.tools)).backend === crowd.callers.length,
      }
      let passed = 0
      for (const name of ['edge', 'tools', 'backend'] as const) {
        const { pid } = name === 'backend' ? stand.backend : stand.mesh[name]
        signal(pid, 'SIGSTOP')
        await eventually('it stands still', () => isStopped(pid))
        passed = stand.link.passed('toTools')
        const calls = crowd.call(`${name} stands still`)
        await eventually('calls have come to it', arrived[name])
        signal(pid, 'SIGCONT')
        expect(await calls.endings).toMatchObject(crowd.everybody(ANSWERED))
        expect(crowd.timesRun(calls)).toEqual([1])
      }
      await stand.idle()
    }))

  it(`${requirement('OWN-020')} ${requirement('BRG-019')} relay tools: calls in flight, and those that were sent into it, end as unknown`, () =>
    atStand(async (stand, crowd) => {
      const waitMs = DEAD_MS + SLACK_MS
      const before = crowd.call('before', { how: 'holdAnswer' }, waitMs)
      await crowd.atHold(before)
      signal(stand.mesh.tools.pid, 'SIGSTOP')
      const into = crowd.call('into', {}, waitMs)
      expect(await before.endings).toMatchObject(crowd.everybody(UNKNOWN))
      expect(await into.endings).toMatchObject(crowd.everybody(UNKNOWN))
      expect(crowd.timesRun(before)).toEqual([1])
      expect(crowd.timesRun(into)).toEqual([0])
      signal(stand.mesh.tools.pid, 'SIGCONT')
      await expectNextAnswered(crowd, 'next')
      await crowd.release(before)
      await stand.idle()
      for (const key of into.keys) expect(stand.ran(key), key).toBeLessThanOrEqual(1)
    }))

  it(`${requirement('RPC-017')} relay tools, whose system still takes connections: calls are not sent, and never run when it goes on`, () =>
    atStand(async (stand, crowd) => {
      signal(stand.mesh.tools.pid, 'SIGSTOP')
      stand.link.cut()
      await eventually('edge knows', async () => {
        return (await numbersOf(stand.mesh.edge)).sum('causeway_associations_open') === 0
      })
      const calls = crowd.call('not sent')
      const delivery = 'not_sent'
      expect(await calls.endings).toMatchObject(
        crowd.byEra({ how: 'error', name: 'SessionLost', delivery }, { ...UNDELIVERED, delivery }),
      )
      signal(stand.mesh.tools.pid, 'SIGCONT')
      await expectNextAnswered(crowd, 'next')
      await stand.idle()
      expect(crowd.timesRun(calls)).toEqual([0])
    }))

  for (const [way, octets, times] of [
    ['toTools', { ballast: 'b'.repeat(100_000) }, 0],
    ['toEdge', { octets: 100_000 }, 1],
  ] as const satisfies readonly [Way, object, number][]) {
    it(`${requirement('OWN-021')} ${requirement('BRG-019')} the link inside a frame ${way}: the calls end as unknown and ran ${times} times`, () =>
      atStand(async (stand, crowd) => {
        stand.link.hold(way, 50_000)
        const calls = crowd.call('stalled', octets, DEAD_MS + SLACK_MS)
        expect(await calls.endings).toMatchObject(crowd.everybody(UNKNOWN))
        stand.link.heal()
        await expectNextAnswered(crowd, 'next')
        expect(crowd.timesRun(calls)).toEqual([times])
        await stand.idle()
      }))
  }

  it(`${requirement('BRG-019')} the backend: calls end at the deadline of their route as unknown and run once at most`, () =>
    atStand(
      async (stand, crowd) => {
        for (const [how, times] of [
          ['hangBeforeRun', 0],
          ['hang', 1],
        ] as const) {
          const hanging = crowd.call(how, { how })
          expect(await hanging.endings).toMatchObject(crowd.everybody(UNKNOWN))
          expect(crowd.timesRun(hanging)).toEqual([times])
        }
        await stand.idle()

        signal(stand.backend.pid, 'SIGSTOP')
        const frozen = crowd.call('frozen')
        expect(await frozen.endings).toMatchObject(crowd.everybody(UNKNOWN))
        expect(crowd.timesRun(frozen)).toEqual([0])
        signal(stand.backend.pid, 'SIGCONT')
        await expectNextAnswered(crowd, 'next')
        await stand.idle()
        for (const key of frozen.keys) expect(stand.ran(key), key).toBeLessThanOrEqual(1)
        // A deadline is an ending of its own, whatever the far relay says later.
        const outcomes = (await numbersOf(stand.mesh.edge)).by('causeway_exchanges_total', 'outcome', { side: 'edge' })
        expect(outcomes.deadline).toBe(3 * crowd.callers.length)
      },
      { routeSpec: { limits: { requestTimeout: '3s' } } },
    ))
})

/** State T of proc(5). */
function isStopped(pid: number): boolean {
  return / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/, ''))
}
