import { requirement } from '@causeway/test/requirements'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, callersOf, type RunArguments } from './callers.ts'
import type { Ending } from './ending.ts'
import { eventually, inTime } from './in-time.ts'
import { numbersOf } from './metrics-of.ts'
import { type Stand, startStand } from './stand.ts'

/** Where a call is when somebody dies. */
interface Stage {
  readonly args: Partial<RunArguments>
  prepare?(): void
  /** Resolves when the calls with these keys are there. */
  reached(keys: readonly string[]): Promise<unknown>
}

const BALLAST_OCTETS = 4_000
const ANSWER_OCTETS = 200_000

let stand: Stand
let callers: Caller[]

beforeAll(async () => {
  stand = await startStand()
  callers = await callersOf(stand.url)
})

afterAll(async () => {
  for (const caller of callers) await caller.close()
  await stand.stop()
})

const atHold = (keys: readonly string[]) => Promise.all(keys.map((key) => stand.backend.command('reached', key)))

const STAGES = {
  'on its way to the far relay': {
    args: { ballast: 'b'.repeat(BALLAST_OCTETS) },
    prepare: () => stand.link.hold('toTools'),
    reached: (keys) => stand.link.held('toTools', keys.length * BALLAST_OCTETS),
  },
  'at the backend, before it runs': { args: { how: 'holdBeforeRun' }, reached: atHold },
  'at the backend, when it has run': { args: { how: 'holdAnswer' }, reached: atHold },
  'half answered by the backend': { args: { how: 'holdMidway', octets: ANSWER_OCTETS }, reached: atHold },
  'being answered over the link': {
    args: { octets: ANSWER_OCTETS },
    prepare: () => stand.link.hold('toEdge', ANSWER_OCTETS / 2),
    reached: (keys) => stand.link.held('toEdge', (keys.length - 1) * ANSWER_OCTETS),
  },
} as const satisfies Record<string, Stage>

type StageName = keyof typeof STAGES

interface Calls {
  readonly keys: readonly string[]
  /** By the names of the callers. */
  readonly endings: Promise<Record<string, Ending>>
}

/** One call by each caller. */
function callAll(label: string, args: Partial<RunArguments> = {}): Calls {
  const calls = callers.map((caller) => ({ caller, key: `${label}, ${caller.name}` }))
  const all = calls.map(async ({ caller, key }) => [caller.name, await caller.run({ ...args, key })] as const)
  const endings = inTime(Promise.all(all), label).then(Object.fromEntries)
  endings.catch(() => {}) // A test that failed before it asks has failed already.
  return { keys: calls.map(({ key }) => key), endings }
}

/** Brings one call of each caller to this stage, and lets somebody die there. */
async function dieAt(label: string, name: StageName, die: () => Promise<void>): Promise<Calls> {
  const stage: Stage = STAGES[name]
  stage.prepare?.()
  const calls = callAll(label, stage.args)
  await inTime(stage.reached(calls.keys), `${label}: reached`)
  await die()
  return calls
}

/** The same ending for every caller. */
const everybody = (ending: unknown) => Object.fromEntries(callers.map(({ name }) => [name, ending]))

const BROKEN = { how: 'broken' }
const ANSWERED = { how: 'answer' }
const UNDELIVERED = { how: 'error', code: -33110, name: 'NotDelivered' }
const SESSION_LOST = { how: 'error', code: -33110, name: 'SessionLost' }

const runs = ({ keys }: Calls) => keys.map((key) => stand.ran(key))

/** Everything works again: at once without a session, and with one after the `initialize` that the 404 asks for. */
async function expectRecovery(label: string): Promise<void> {
  const next = callAll(`${label}, next`)
  const endings = await next.endings
  for (const { name, era } of callers) expect(endings[name]).toMatchObject(era === 'modern' ? ANSWERED : SESSION_LOST)
  expect(runs(next)).toEqual(callers.map(({ era }) => (era === 'modern' ? 1 : 0)))
  await Promise.all(callers.map((caller) => caller.reconnect()))
  const later = callAll(`${label}, later`)
  expect(await later.endings).toMatchObject(everybody(ANSWERED))
  expect(runs(later)).toEqual(callers.map(() => 1))
  await stand.idle()
}

/** What stands at a hold at the backend goes on, though nobody waits for it any more. */
async function release({ keys }: Calls): Promise<void> {
  for (const key of keys) await stand.backend.command('release', key)
}

describe('kill -9 of relay edge', () => {
  for (const name of Object.keys(STAGES) as StageName[]) {
    it(`a call that is ${name}: no answer, ran once at most`, async () => {
      const label = `edge, ${name}`
      const calls = await dieAt(label, name, () => stand.mesh.edge.kill())
      expect(await calls.endings).toEqual(everybody(BROKEN))
      // What the dead relay had sent is lost with it.
      stand.link.heal()
      await release(calls)
      const times = name === 'on its way to the far relay' ? 0 : 1
      await eventually('the backend is done', () => runs(calls).every((count) => count === times))
      await stand.mesh.restartEdge()
      await expectRecovery(label)
      expect(runs(calls)).toEqual(callers.map(() => times))
    })
  }

  it('between calls: there is nobody to call until it is back', async () => {
    await stand.mesh.edge.kill()
    const calls = callAll('edge, between calls')
    expect(await calls.endings).toEqual(everybody(BROKEN))
    expect(runs(calls)).toEqual(callers.map(() => 0))
    await stand.mesh.restartEdge()
    await expectRecovery('edge, between calls')
  })
})

describe('kill -9 of relay tools', () => {
  for (const name of Object.keys(STAGES) as StageName[]) {
    it(`${requirement('BRG-019')} ${requirement('MCP-021')} a call that is ${name}: one error, delivery unknown, ran once at most`, async () => {
      const label = `tools, ${name}`
      const calls = await dieAt(label, name, () => stand.mesh.tools.kill())
      // What the dead relay had sent is lost with it.
      stand.link.heal()
      expect(await calls.endings).toMatchObject(everybody({ ...UNDELIVERED, delivery: 'unknown' }))
      await release(calls)
      const times = name === 'on its way to the far relay' ? 0 : 1
      await eventually('the backend is done', () => runs(calls).every((count) => count === times))
      await stand.mesh.restartTools()
      await expectRecovery(label)
      expect(runs(calls)).toEqual(callers.map(() => times))
    })
  }

  it(`${requirement('BRG-019')} ${requirement('RPC-017')} between calls: not sent, never run`, async () => {
    const label = 'tools, between calls'
    await stand.mesh.tools.kill()
    await eventually('edge knows', async () => {
      return (await numbersOf(stand.mesh.edge)).sum('causeway_associations_open') === 0
    })
    const calls = callAll(label)
    const endings = await calls.endings
    for (const { name, era } of callers) {
      expect(endings[name]).toMatchObject({ ...(era === 'modern' ? UNDELIVERED : SESSION_LOST), delivery: 'not_sent' })
    }
    await stand.mesh.restartTools()
    await expectRecovery(label)
    expect(runs(calls)).toEqual(callers.map(() => 0))
  })
})

describe('kill -9 of the backend', () => {
  it(`${requirement('BRG-018')} ${requirement('RPC-017')} a call that is on its way to the far relay: not sent, never run`, async () => {
    const label = 'backend, on its way'
    const calls = await dieAt(label, 'on its way to the far relay', () => stand.backend.kill())
    stand.link.release()
    expect(await calls.endings).toMatchObject(everybody({ ...UNDELIVERED, delivery: 'not_sent' }))
    await stand.restartBackend()
    await expectRecovery(label)
    expect(runs(calls)).toEqual(callers.map(() => 0))
  })

  for (const [name, times] of [
    ['at the backend, before it runs', 0],
    ['at the backend, when it has run', 1],
    ['half answered by the backend', 1],
  ] as const) {
    it(`${requirement('BRG-018')} ${requirement('BRG-019')} a call that is ${name}: one error, delivery unknown`, async () => {
      const label = `backend, ${name}`
      const calls = await dieAt(label, name, () => stand.backend.kill())
      expect(await calls.endings).toMatchObject(everybody({ ...UNDELIVERED, delivery: 'unknown' }))
      expect(runs(calls)).toEqual(callers.map(() => times))
      await stand.restartBackend()
      await expectRecovery(label)
      expect(runs(calls)).toEqual(callers.map(() => times))
    })
  }

  it('a call that is being answered over the link: answered', async () => {
    const label = 'backend, answering'
    const calls = await dieAt(label, 'being answered over the link', () => stand.backend.kill())
    stand.link.release()
    expect(await calls.endings).toMatchObject(everybody(ANSWERED))
    expect(runs(calls)).toEqual(callers.map(() => 1))
    await stand.restartBackend()
    await expectRecovery(label)
  })

  it(`${requirement('BRG-018')} ${requirement('RPC-017')} between calls: not sent, never run`, async () => {
    const label = 'backend, between calls'
    await stand.backend.kill()
    const calls = callAll(label)
    expect(await calls.endings).toMatchObject(everybody({ ...UNDELIVERED, delivery: 'not_sent' }))
    await stand.restartBackend()
    await expectRecovery(label)
    expect(runs(calls)).toEqual(callers.map(() => 0))
  })
})
