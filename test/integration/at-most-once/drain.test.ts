import { requirement } from '@causeway/test/requirements'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RelayProcess } from '../../fixtures/mesh/relay-process.ts'
import { type Calls, Crowd } from './crowd.ts'
import { eventually, inTime } from './in-time.ts'
import { admin, numbersOf } from './metrics-of.ts'
import { type Stand, startStand } from './stand.ts'

const DRAIN_MS = 3_000
/** What a stop may take beyond its drain: CLOSE, sessions at the backend, the end of a process. */
const STOP_MS = DRAIN_MS + 5_000

let stand: Stand
let crowd: Crowd

beforeAll(async () => {
  stand = await startStand({ relaySpec: { limits: { drain: `${DRAIN_MS}ms` } } })
  crowd = await Crowd.at(stand)
})

afterAll(async () => {
  await crowd.close()
  await stand.stop()
})

const ANSWERED = { how: 'answer' }
const UNDELIVERED = { how: 'error', code: -33110, name: 'NotDelivered' }

/** Calls that have run and are not answered yet. */
async function callsInFlight(label: string): Promise<Calls> {
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

describe('SIGTERM of relay tools', () => {
  it('calls that end within the drain are answered; meanwhile nothing new is opened there; exit 0', async () => {
    const before = await callsInFlight('tools drains')
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
  })

  it(`${requirement('BRG-019')} calls that outlast it end with one error, delivery unknown; exit 0`, async () => {
    const calls = await callsInFlight('tools gives up')
    const { ended } = await beginStop(stand.mesh.tools)
    expect(await calls.endings).toMatchObject(crowd.everybody({ ...UNDELIVERED, delivery: 'unknown' }))
    expect(await ended).toBe(0)
    expect(crowd.timesRun(calls)).toEqual([1])
    await crowd.release(calls)
    await stand.mesh.restartTools()
    await crowd.reconnect()
    await stand.idle()
  })
})

describe('SIGTERM of relay edge', () => {
  it('calls that end within the drain are answered, new ones are refused; exit 0', async () => {
    const before = await callsInFlight('edge drains')
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
  })

  it(`${requirement('BRG-019')} calls that outlast it end with one error, delivery unknown; exit 0`, async () => {
    const calls = await callsInFlight('edge gives up')
    const { ended } = await beginStop(stand.mesh.edge)
    expect(await calls.endings).toMatchObject(crowd.everybody({ ...UNDELIVERED, delivery: 'unknown' }))
    expect(await ended).toBe(0)
    expect(crowd.timesRun(calls)).toEqual([1])
    await crowd.release(calls)
    await stand.mesh.restartEdge()
    await crowd.reconnect()
    await stand.idle()
  })
})
