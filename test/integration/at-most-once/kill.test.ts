import { requirement } from '@causeway/test/requirements'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { How } from '../../fixtures/servers/ledger.ts'
import type { RunArguments } from './callers.ts'
import { type Calls, Crowd } from './crowd.ts'
import type { Ending } from './ending.ts'
import { eventually, inTime } from './in-time.ts'
import { expectAtMostOnce } from './judge.ts'
import { numbersOf } from './metrics-of.ts'
import { RawCaller } from './raw-caller.ts'
import { type Stand, startStand } from './stand.ts'

/** Where calls are when somebody dies. */
interface Stage {
  readonly args: Partial<RunArguments>
  prepare?(): void
  reached(calls: Calls): Promise<unknown>
}

const BALLAST_OCTETS = 4_000
const ANSWER_OCTETS = 200_000

let stand: Stand
let crowd: Crowd

beforeAll(async () => {
  stand = await startStand()
  crowd = await Crowd.at(stand)
})

afterAll(async () => {
  await crowd.close()
  await stand.stop()
})

const atHold = (calls: Calls) => crowd.atHold(calls)

const STAGES = {
  'on its way to the far relay': {
    args: { ballast: 'b'.repeat(BALLAST_OCTETS) },
    prepare: () => stand.link.hold('toTools'),
    reached: ({ keys }) => stand.link.held('toTools', keys.length * BALLAST_OCTETS),
  },
  'at the backend, before it runs': { args: { how: 'holdBeforeRun' }, reached: atHold },
  'at the backend, when it has run': { args: { how: 'holdAnswer' }, reached: atHold },
  'half answered by the backend': { args: { how: 'holdMidway', octets: ANSWER_OCTETS }, reached: atHold },
  'being answered over the link': {
    args: { octets: ANSWER_OCTETS },
    prepare: () => stand.link.hold('toEdge', ANSWER_OCTETS / 2),
    reached: ({ keys }) => stand.link.held('toEdge', (keys.length - 1) * ANSWER_OCTETS),
  },
} as const satisfies Record<string, Stage>

type StageName = keyof typeof STAGES
const STAGE_NAMES = Object.keys(STAGES) as StageName[]

/** Brings one call of each caller to this stage, and lets somebody die there. */
async function dieAt(label: string, name: StageName, die: () => Promise<void>): Promise<Calls> {
  const stage: Stage = STAGES[name]
  stage.prepare?.()
  const calls = crowd.call(label, stage.args)
  await inTime(stage.reached(calls), `${label}: reached`)
  await die()
  return calls
}

const BROKEN = { how: 'broken' }
const ANSWERED = { how: 'answer' }
const UNDELIVERED = { how: 'error', code: -33110, name: 'NotDelivered' }
const SESSION_LOST = { how: 'error', code: -33110, name: 'SessionLost' }

/** Everything works again: at once without a session, and with one after the `initialize` that the 404 asks for. */
async function expectRecovery(label: string): Promise<void> {
  const next = crowd.call(`${label}, next`)
  expect(await next.endings).toMatchObject(crowd.byEra(SESSION_LOST, ANSWERED))
  await crowd.reconnect()
  const later = crowd.call(`${label}, later`)
  expect(await later.endings).toMatchObject(crowd.everybody(ANSWERED))
  expect(crowd.timesRun(later)).toEqual([1])
  await stand.idle()
}

/** What stands at the backend goes on there, though nobody waits for it any more. */
async function expectRunInTheEnd(calls: Calls, times: number): Promise<void> {
  await crowd.release(calls)
  await eventually('the backend is done', () => crowd.timesRun(calls).join() === String(times))
}

describe('kill -9 of relay edge', () => {
  for (const name of STAGE_NAMES) {
    const times = name === 'on its way to the far relay' ? 0 : 1
    it(`a call that is ${name}: no answer, ran ${times} times`, async () => {
      const label = `edge, ${name}`
      const calls = await dieAt(label, name, () => stand.mesh.edge.kill())
      expect(await calls.endings).toEqual(crowd.everybody(BROKEN))
      // What the dead relay had sent is lost with it.
      stand.link.heal()
      await expectRunInTheEnd(calls, times)
      await stand.mesh.restartEdge()
      await expectRecovery(label)
      expect(crowd.timesRun(calls)).toEqual([times])
    })
  }

  it('between calls: there is nobody to call until it is back', async () => {
    const label = 'edge, between calls'
    await stand.mesh.edge.kill()
    const calls = crowd.call(label)
    expect(await calls.endings).toEqual(crowd.everybody(BROKEN))
    await stand.mesh.restartEdge()
    await expectRecovery(label)
    expect(crowd.timesRun(calls)).toEqual([0])
  })
})

describe('kill -9 of relay tools', () => {
  for (const name of STAGE_NAMES) {
    const times = name === 'on its way to the far relay' ? 0 : 1
    it(`${requirement('BRG-019')} ${requirement('MCP-021')} a call that is ${name}: one error, delivery unknown, ran ${times} times`, async () => {
      const label = `tools, ${name}`
      const calls = await dieAt(label, name, () => stand.mesh.tools.kill())
      // What the dead relay had sent is lost with it.
      stand.link.heal()
      expect(await calls.endings).toMatchObject(crowd.everybody({ ...UNDELIVERED, delivery: 'unknown' }))
      await expectRunInTheEnd(calls, times)
      await stand.mesh.restartTools()
      await expectRecovery(label)
      expect(crowd.timesRun(calls)).toEqual([times])
    })
  }

  it(`${requirement('BRG-019')} ${requirement('RPC-017')} between calls: not sent, never run`, async () => {
    const label = 'tools, between calls'
    await stand.mesh.tools.kill()
    await eventually('edge knows', async () => {
      return (await numbersOf(stand.mesh.edge)).sum('causeway_associations_open') === 0
    })
    const calls = crowd.call(label)
    const delivery = 'not_sent'
    expect(await calls.endings).toMatchObject(crowd.byEra({ ...SESSION_LOST, delivery }, { ...UNDELIVERED, delivery }))
    await stand.mesh.restartTools()
    await expectRecovery(label)
    expect(crowd.timesRun(calls)).toEqual([0])
  })
})

describe('kill -9 of the backend', () => {
  it(`${requirement('BRG-018')} ${requirement('RPC-017')} a call that is on its way to the far relay: not sent, never run`, async () => {
    const label = 'backend, on its way'
    const calls = await dieAt(label, 'on its way to the far relay', () => stand.backend.kill())
    stand.link.release()
    expect(await calls.endings).toMatchObject(crowd.everybody({ ...UNDELIVERED, delivery: 'not_sent' }))
    await stand.restartBackend()
    await expectRecovery(label)
    expect(crowd.timesRun(calls)).toEqual([0])
  })

  for (const [name, times] of [
    ['at the backend, before it runs', 0],
    ['at the backend, when it has run', 1],
    ['half answered by the backend', 1],
  ] as const) {
    it(`${requirement('BRG-018')} ${requirement('BRG-019')} a call that is ${name}: one error, delivery unknown, ran ${times} times`, async () => {
      const label = `backend, ${name}`
      const calls = await dieAt(label, name, () => stand.backend.kill())
      expect(await calls.endings).toMatchObject(crowd.everybody({ ...UNDELIVERED, delivery: 'unknown' }))
      await stand.restartBackend()
      await expectRecovery(label)
      expect(crowd.timesRun(calls)).toEqual([times])
    })
  }

  it('a call that is being answered over the link: answered', async () => {
    const label = 'backend, answering'
    const calls = await dieAt(label, 'being answered over the link', () => stand.backend.kill())
    stand.link.release()
    expect(await calls.endings).toMatchObject(crowd.everybody(ANSWERED))
    await stand.restartBackend()
    await expectRecovery(label)
    expect(crowd.timesRun(calls)).toEqual([1])
  })

  it(`${requirement('BRG-018')} ${requirement('RPC-017')} between calls: not sent, never run`, async () => {
    const label = 'backend, between calls'
    await stand.backend.kill()
    const calls = crowd.call(label)
    expect(await calls.endings).toMatchObject(crowd.everybody({ ...UNDELIVERED, delivery: 'not_sent' }))
    await stand.restartBackend()
    await expectRecovery(label)
    expect(crowd.timesRun(calls)).toEqual([0])
  })
})

describe('kill -9 at any moment', () => {
  it(`${requirement('BRG-019')} of relay tools and of the backend, again and again under load: every call ends, and runs once at most`, async () => {
    const endings = new Map<string, Ending>()
    let calling = true
    const callAgain = async (name: number): Promise<void> => {
      const caller = await RawCaller.connect('modern', stand.url)
      for (let n = 0; calling; n++) {
        const key = `any moment, ${name}/${n}`
        endings.set(key, await inTime(caller.run({ key, how: HOWS[n % HOWS.length] ?? 'answer', ms: 5 }), key))
      }
      await caller.close()
    }
    const all = Promise.all(Array.from({ length: 8 }, (_, name) => callAgain(name)))
    for (const victim of ['tools', 'backend', 'tools', 'backend'] as const) {
      const before = endings.size
      await eventually('calls go on', () => endings.size >= before + 50)
      if (victim === 'tools') {
        await stand.mesh.tools.kill()
        await stand.mesh.restartTools()
      } else {
        await stand.backend.kill()
        await stand.restartBackend()
      }
    }
    await eventually('they are answered again', async () => {
      return [...endings.values()].slice(-20).every(({ how }) => how === 'answer')
    })
    calling = false
    await all
    await stand.idle()
    for (const [key, ending] of endings) expectAtMostOnce(stand, key, ending)
    expect([...endings.values()]).not.toContainEqual(BROKEN)
  })
})

const HOWS: readonly How[] = ['answer', 'late', 'stream', 'lateRun']
