import { requirement } from '@causeway/test/requirements'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { How } from '../../fixtures/servers/ledger.ts'
import { Crowd } from './crowd.ts'
import { type Stand, startStand } from './stand.ts'

let stand: Stand
let crowd: Crowd

beforeAll(async () => {
  stand = await startStand()
  crowd = await Crowd.at(stand)
})

afterAll(async () => {
  await crowd?.close()
  await stand?.stop()
})

const ANSWERED = { how: 'answer' }
const UNKNOWN = { how: 'error', code: -33110, name: 'NotDelivered', delivery: 'unknown' }

describe('a backend that breaks a call off', () => {
  for (const [how, times] of [
    ['closeBeforeRun', 0],
    ['close', 1],
    ['reset', 1],
    ['closeMidway', 1],
    ['closeMidStream', 1],
    ['rubbish', 1],
    ['rubbishStream', 1],
    ['status500', 1],
  ] as const satisfies readonly [How, number][]) {
    it(`${requirement('BRG-018')} ${requirement('BRG-019')} ${how}: one error, delivery unknown, ran ${times} times; the next call crosses`, async () => {
      const calls = crowd.call(how, { how })
      expect(await calls.endings).toMatchObject(crowd.everybody(UNKNOWN))
      // CARRIAGE section 8: the status of a backend's HTTP error is replayed.
      const status = how === 'status500' ? 500 : 200
      expect(crowd.statuses(await calls.endings)).toEqual({ legacy: status, modern: status })
      const next = crowd.call(`after ${how}`)
      expect(await next.endings).toMatchObject(crowd.everybody(ANSWERED))
      expect(crowd.timesRun(calls)).toEqual([times])
      expect(crowd.timesRun(next)).toEqual([1])
      await stand.idle()
    })
  }

  it('resets connections that nobody uses: the next calls cross, once', async () => {
    for (let round = 0; round < 5; round++) {
      expect(await crowd.call(`before reset ${round}`).endings).toMatchObject(crowd.everybody(ANSWERED))
      expect(await stand.backend.command('resetIdle')).toBeGreaterThan(0)
      const calls = crowd.call(`after reset ${round}`)
      expect(await calls.endings).toMatchObject(crowd.everybody(ANSWERED))
      expect(crowd.timesRun(calls)).toEqual([1])
    }
  })

  it('forgets its sessions: their calls end with the 404 that asks for a new one, and never run', async () => {
    await stand.backend.command('forgetSessions')
    const calls = crowd.call('forgotten')
    const lost = { how: 'error', code: -33110, name: 'SessionLost' }
    expect(await calls.endings).toMatchObject(crowd.byEra(lost, ANSWERED))
    expect(crowd.statuses(await calls.endings)).toEqual({ legacy: 404, modern: undefined })
    for (const { name, era } of crowd.callers) expect(stand.ran(`forgotten, ${name}`)).toBe(era === 'legacy' ? 0 : 1)
    await crowd.reconnect()
    expect(await crowd.call('remembered').endings).toMatchObject(crowd.everybody(ANSWERED))
    await stand.idle()
  })
})
