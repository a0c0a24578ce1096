import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import type { RelayProcess } from '../../fixtures/mesh/relay-process.ts'
import type { Calls, Crowd } from './crowd.ts'
import { eventually, inTime } from './in-time.ts'
import { LANE_TIMEOUT, standLane } from './lane.ts'
import { admin, numbersOf, openExchanges } from './metrics-of.ts'
import { signal } from './signal.ts'

const DRAIN_MS = 4_000
/** What a stop may take beyond its drain: CLOSE, sessions at the backend, the end of a process. */
const STOP_MS = DRAIN_MS + 5_000

const OPTIONS = { relaySpec: { limits: { drain: `${DRAIN_MS}ms` } } }
const tools = standLane(OPTIONS)
const edge = standLane(OPTIONS)

const ANSWERED = { how: 'answer' }
const UNDELIVERED = { how: 'error', code: -33110, name: 'NotDelivered' }

/** Calls that have run and are not answered yet. */
async function callsInFlight(crowd: Crowd, label: string): Promise<Calls> {
  const calls = crowd.call(label, { how: 'holdAnswer' })
  await crowd.atHold(calls)
  return calls
}

/** SIGTERM; resolves when the relay says itself that it is not ready any more. */
async function beginStop(relay: RelayProcess): Promise<{ readonly ended: Promise<number | string> }> {
  const ended = relay.stop()
  await eventually('the relay drains', async () => (await admin(relay, '/readyz')).status === 503)
  return { ended: inTime(ended, 'the end of the relay', STOP_MS) }
}

describe.concurrent('SIGTERM', LANE_TIMEOUT, () => {
  it(
    'of relay tools: calls that end within the drain are answered; meanwhile nothing new is opened there; exit 0',
    tools.test(async ({ stand, crowd }) => {
      const before = await callsInFlight(crowd, 'tools drains')
      const { ended } = await beginStop(stand.mesh.tools)
      expect(JSON.parse((await admin(stand.mesh.tools, '/healthz')).body)).toEqual({ status: 'ok' })

      const during = crowd.call('while tools drains')
      const delivery = 'not_sent'
      expect(await during.endings).toMatchObject(
        crowd.byEra({ how: 'error', name: 'SessionLost' }, { ...UNDELIVERED, delivery }),
      )
      // Of all that, the association with what was open before knows nothing: it is still there, and only for that.
      const tools = await numbersOf(stand.mesh.tools)
      expect(tools.sum('causeway_associations_open')).toBe(1)
      expect(tools.by('causeway_exchanges_open', 'side')).toEqual({ mesh_in: 4, backend: 4 })

      await crowd.release(before)
      expect(await before.endings).toMatchObject(crowd.everybody(ANSWERED))
      expect(await ended).toBe(0)
      expect(crowd.timesRun(before)).toEqual([1])
      expect(crowd.timesRun(during)).toEqual([0])
      await stand.mesh.restartTools()
      await crowd.reconnect()
      expect(await crowd.call('tools is back').endings).toMatchObject(crowd.everybody(ANSWERED))
      await stand.idle()
    }),
  )

  it(
    `${requirement('BRG-019')} of relay tools: calls that outlast it end with one error, delivery unknown; exit 0`,
    tools.test(async ({ stand, crowd }) => {
      const calls = await callsInFlight(crowd, 'tools gives up')
      const { ended } = await beginStop(stand.mesh.tools)
      expect(await calls.endings).toMatchObject(crowd.everybody({ ...UNDELIVERED, delivery: 'unknown' }))
      expect(await ended).toBe(0)
      expect(crowd.timesRun(calls)).toEqual([1])
      await crowd.release(calls)
      await stand.mesh.restartTools()
      await crowd.reconnect()
      await stand.idle()
    }),
  )

  it(
    'of relay edge: calls that end within the drain are answered, new ones are refused; exit 0',
    edge.test(async ({ stand, crowd }) => {
      const before = await callsInFlight(crowd, 'edge drains')
      const { ended } = await beginStop(stand.mesh.edge)
      const during = crowd.call('while edge drains')
      expect(await during.endings).toEqual(crowd.everybody({ how: 'broken' }))
      await crowd.release(before)
      expect(await before.endings).toMatchObject(crowd.everybody(ANSWERED))
      expect(await ended).toBe(0)
      expect(crowd.timesRun(before)).toEqual([1])
      expect(crowd.timesRun(during)).toEqual([0])
      await stand.mesh.restartEdge()
      await crowd.reconnect()
      expect(await crowd.call('edge is back').endings).toMatchObject(crowd.everybody(ANSWERED))
      await stand.idle()
    }),
  )

  it(
    `${requirement('BRG-019')} of relay edge: calls that outlast it end with one error, delivery unknown; exit 0`,
    edge.test(async ({ stand, crowd }) => {
      const calls = await callsInFlight(crowd, 'edge gives up')
      const { ended } = await beginStop(stand.mesh.edge)
      expect(await calls.endings).toMatchObject(crowd.everybody({ ...UNDELIVERED, delivery: 'unknown' }))
      expect(await ended).toBe(0)
      expect(crowd.timesRun(calls)).toEqual([1])
      await crowd.release(calls)
      await stand.mesh.restartEdge()
      await crowd.reconnect()
      await stand.idle()
    }),
  )

  it(
    `${requirement('BRG-019')} of relay tools while the backend stands still: calls end as unknown; exit 0, in time`,
    tools.test(async ({ stand, crowd }) => {
      signal(stand.backend.pid, 'SIGSTOP')
      const calls = crowd.call('backend stands still')
      await eventually('the calls have come to the backend', async () => {
        return (await openExchanges(stand.mesh.tools)).backend === crowd.callers.length
      })
      const { ended } = await beginStop(stand.mesh.tools)
      expect(await calls.endings).toMatchObject(crowd.everybody({ ...UNDELIVERED, delivery: 'unknown' }))
      expect(await ended).toBe(0)
      signal(stand.backend.pid, 'SIGCONT')
      await stand.mesh.restartTools()
      await crowd.reconnect()
      await stand.idle()
      for (const key of calls.keys) expect(stand.ran(key), key).toBeLessThanOrEqual(1)
    }),
  )

  it(
    `${requirement('BRG-019')} of relay edge while relay tools stands still: calls end as unknown; exit 0, in time`,
    edge.test(async ({ stand, crowd }) => {
      const before = await callsInFlight(crowd, 'tools stands still')
      signal(stand.mesh.tools.pid, 'SIGSTOP')
      const { ended } = await beginStop(stand.mesh.edge)
      expect(await before.endings).toMatchObject(crowd.everybody({ ...UNDELIVERED, delivery: 'unknown' }))
      expect(await ended).toBe(0)
      expect(crowd.timesRun(before)).toEqual([1])
      signal(stand.mesh.tools.pid, 'SIGCONT')
      await crowd.release(before)
      await stand.mesh.restartEdge()
      await crowd.reconnect()
      await stand.idle()
    }),
  )
})
