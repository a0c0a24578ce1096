import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import type { How } from '../../fixtures/servers/ledger.ts'
import type { RunArguments } from './caller.ts'
import type { Calls, Crowd } from './crowd.ts'
import type { Ending } from './ending.ts'
import { eventually, inTime } from './in-time.ts'
import { expectAtMostOnce } from './judge.ts'
import { type CrowdedStand, LANE_TIMEOUT, standLane } from './lane.ts'
import { numbersOf } from './metrics-of.ts'
import { RawCaller } from './raw-caller.ts'
import type { Stand } from './stand.ts'

/** Where calls are when somebody dies. */
interface Stage {
  readonly args: Partial<RunArguments>
  prepare?(stand: Stand): void
  reached(calls: Calls, at: CrowdedStand): Promise<unknown>
}

const BALLAST_OCTETS = 4_000
const ANSWER_OCTETS = 200_000

const atHold: Stage['reached'] = (calls, { crowd }) => crowd.atHold(calls)

const STAGES = {
  'on its way to the far relay': {
    args: { ballast: 'b'.repeat(BALLAST_OCTETS) },
    prepare: ({ link }) => link.hold('toTools'),
    reached: ({ keys }, { stand }) => stand.link.held('toTools', keys.length * BALLAST_OCTETS),
  },
  'at the backend, before it runs': { args: { how: 'holdBeforeRun' }, reached: atHold },
  'at the backend, when it has run': { args: { how: 'holdAnswer' }, reached: atHold },
  'half answered by the backend': { args: { how: 'holdMidway', octets: ANSWER_OCTETS }, reached: atHold },
  'answered over the link': {
    args: { octets: ANSWER_OCTETS },
    prepare: ({ link }) => link.hold('toEdge', ANSWER_OCTETS / 2),
    reached: ({ keys }, { stand }) => stand.link.held('toEdge', (keys.length - 1) * ANSWER_OCTETS),
  },
} as const satisfies Record<string, Stage>

type StageName = keyof typeof STAGES

/** What a relay can be in the middle of, and how often a call has run in the end that lost its relay there. */
const STAGES_OF_RELAYS = [
  ['on its way to the far relay', 0],
  ['at the backend, before it runs', 1],
  ['at the backend, when it has run', 1],
  ['answered over the link', 1],
] as const satisfies [StageName, number][]

/** Brings one call of each caller to this stage, and lets somebody die there. */
async function dieAt(at: CrowdedStand, name: StageName, die: () => Promise<void>): Promise<Calls> {
  const stage: Stage = STAGES[name]
  stage.prepare?.(at.stand)
  const calls = at.crowd.call(name, stage.args)
  await inTime(stage.reached(calls, at), `${name}: reached`)
  await die()
  return calls
}

const BROKEN = { how: 'broken' }
const ANSWERED = { how: 'answer' }
const UNDELIVERED = { how: 'error', code: -33110, name: 'NotDelivered' }
const SESSION_LOST = { how: 'error', code: -33110, name: 'SessionLost' }

/** One error of the edge's own, for everybody (CARRIAGE section 8). */
async function expectUndelivered(crowd: Crowd, { endings }: Calls, delivery: 'not_sent' | 'unknown'): Promise<void> {
  expect(await endings).toMatchObject(crowd.everybody({ ...UNDELIVERED, delivery }))
  expect(crowd.statuses(await endings)).toEqual({ legacy: 200, modern: 200 })
}

let recoveries = 0

/** Everything works again: at once without a session, and with one after the `initialize` that the 404 asks for. */
async function expectRecovery({ stand, crowd }: CrowdedStand): Promise<void> {
  const next = crowd.call(`next ${++recoveries}`)
  expect(await next.endings).toMatchObject(crowd.byEra(SESSION_LOST, ANSWERED))
  expect(crowd.statuses(await next.endings)).toEqual({ legacy: 404, modern: undefined })
  await crowd.reconnect()
  const later = crowd.call(`later ${recoveries}`)
  expect(await later.endings).toMatchObject(crowd.everybody(ANSWERED))
  expect(crowd.timesRun(later)).toEqual([1])
  await stand.idle()
  // Of all the sessions that came before nothing is left on any side.
  const sessions = crowd.callers.filter(({ era }) => era === 'legacy').length
  expect(await stand.sessions()).toEqual({ edge: sessions, mesh_out: sessions, mesh_in: sessions, backend: sessions })
}

/** What stands at the backend goes on there, though nobody waits for it any more. */
async function expectRunInTheEnd(crowd: Crowd, calls: Calls, times: number): Promise<void> {
  await crowd.release(calls)
  await eventually('the backend is done', () => crowd.timesRun(calls).join() === String(times))
}

const edge = standLane()
const tools = standLane()
const backend = standLane()

describe.concurrent('kill -9', LANE_TIMEOUT, () => {
  // In turns, so that the three lanes begin together.
  for (const [name, times] of STAGES_OF_RELAYS) {
    it(
      `of relay edge, a call being ${name}: no answer, runs: ${times}`,
      edge.test(async (at) => {
        const { stand, crowd } = at
        const calls = await dieAt(at, name, () => stand.mesh.edge.kill())
        expect(await calls.endings).toEqual(crowd.everybody(BROKEN))
        // What the dead relay had sent is lost with it.
        stand.link.heal()
        await expectRunInTheEnd(crowd, calls, times)
        await stand.mesh.restartEdge()
        await expectRecovery(at)
        expect(crowd.timesRun(calls)).toEqual([times])
      }),
    )

    it(
      `${requirement('BRG-019')} ${requirement('MCP-021')} of relay tools, a call being ${name}: one error, delivery unknown, runs: ${times}`,
      tools.test(async (at) => {
        const { stand, crowd } = at
        const calls = await dieAt(at, name, () => stand.mesh.tools.kill())
        // What the dead relay had sent is lost with it.
        stand.link.heal()
        await expectUndelivered(crowd, calls, 'unknown')
        await expectRunInTheEnd(crowd, calls, times)
        await stand.mesh.restartTools()
        await expectRecovery(at)
        expect(crowd.timesRun(calls)).toEqual([times])
      }),
    )
  }

  it(
    'of relay edge, between calls: there is nobody to call until it is back',
    edge.test(async (at) => {
      const { stand, crowd } = at
      await stand.mesh.edge.kill()
      const calls = crowd.call('between')
      expect(await calls.endings).toEqual(crowd.everybody(BROKEN))
      await stand.mesh.restartEdge()
      await expectRecovery(at)
      expect(crowd.timesRun(calls)).toEqual([0])
    }),
  )

  it(
    `${requirement('BRG-019')} ${requirement('RPC-017')} of relay tools, between calls: not sent, never run`,
    tools.test(async (at) => {
      const { stand, crowd } = at
      await stand.mesh.tools.kill()
      await eventually('edge knows', async () => {
        return (await numbersOf(stand.mesh.edge)).sum('causeway_associations_open') === 0
      })
      const calls = crowd.call('between')
      const delivery = 'not_sent'
      expect(await calls.endings).toMatchObject(
        crowd.byEra({ ...SESSION_LOST, delivery }, { ...UNDELIVERED, delivery }),
      )
      expect(crowd.statuses(await calls.endings)).toEqual({ legacy: 404, modern: 200 })
      await stand.mesh.restartTools()
      await expectRecovery(at)
      expect(crowd.timesRun(calls)).toEqual([0])
    }),
  )

  it(
    `${requirement('BRG-018')} ${requirement('RPC-017')} of the backend, a call being on its way to the far relay: not sent, never run`,
    backend.test(async (at) => {
      const { stand, crowd } = at
      const calls = await dieAt(at, 'on its way to the far relay', () => stand.backend.kill())
      stand.link.release()
      await expectUndelivered(crowd, calls, 'not_sent')
      await stand.restartBackend()
      await expectRecovery(at)
      expect(crowd.timesRun(calls)).toEqual([0])
    }),
  )

  for (const [name, times] of [
    ['at the backend, before it runs', 0],
    ['at the backend, when it has run', 1],
    ['half answered by the backend', 1],
  ] as const) {
    it(
      `${requirement('BRG-018')} ${requirement('BRG-019')} of the backend, a call being ${name}: one error, delivery unknown, runs: ${times}`,
      backend.test(async (at) => {
        const { stand, crowd } = at
        const calls = await dieAt(at, name, () => stand.backend.kill())
        await expectUndelivered(crowd, calls, 'unknown')
        await stand.restartBackend()
        await expectRecovery(at)
        expect(crowd.timesRun(calls)).toEqual([times])
      }),
    )
  }

  it(
    'of the backend, a call being answered over the link: answered',
    backend.test(async (at) => {
      const { stand, crowd } = at
      const calls = await dieAt(at, 'answered over the link', () => stand.backend.kill())
      stand.link.release()
      expect(await calls.endings).toMatchObject(crowd.everybody(ANSWERED))
      await stand.restartBackend()
      await expectRecovery(at)
      expect(crowd.timesRun(calls)).toEqual([1])
    }),
  )

  it(
    `${requirement('BRG-018')} ${requirement('RPC-017')} of the backend, between calls: not sent, never run`,
    backend.test(async (at) => {
      const { stand, crowd } = at
      await stand.backend.kill()
      const calls = crowd.call('between')
      await expectUndelivered(crowd, calls, 'not_sent')
      await stand.restartBackend()
      await expectRecovery(at)
      expect(crowd.timesRun(calls)).toEqual([0])
    }),
  )

  it(
    `${requirement('BRG-019')} of relay tools and of the backend at any moment, again and again under load: every call ends, and runs once at most`,
    backend.test(async ({ stand }) => {
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
    }),
  )
})

const HOWS: readonly How[] = ['answer', 'late', 'stream', 'lateRun']
