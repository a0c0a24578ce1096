import { requirement } from '@causeway/test/requirements'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Ending } from './ending.ts'
import { eventually, inTime } from './in-time.ts'
import { expectAtMostOnce } from './judge.ts'
import type { Way } from './link.ts'
import { numbersOf } from './metrics-of.ts'
import { RawCaller } from './raw-caller.ts'
import { type Stand, startStand } from './stand.ts'

const ERAS = ['legacy', 'modern'] as const
type Era = (typeof ERAS)[number]

let stand: Stand
let callers: Readonly<Record<Era, RawCaller>>

beforeAll(async () => {
  stand = await startStand()
  const [legacy, modern] = await Promise.all(ERAS.map((era) => RawCaller.connect(era, stand.url)))
  callers = { legacy, modern } as typeof callers
})

afterAll(async () => {
  for (const caller of Object.values(callers)) await caller.close()
  await stand.stop()
})

const UNKNOWN = { how: 'error', status: 200, code: -33110, name: 'NotDelivered', delivery: 'unknown' }

let keys = 0

/** Of one length, so that calls have one size. */
const newKey = () => `key-${String(++keys).padStart(6, '0')}`

const run = (era: Era, key: string, args = {}) => inTime(callers[era].run({ ...args, key }), key)

/** An association is there, and all that a session needs has crossed. */
async function warmUp(era: Era): Promise<void> {
  await callers[era].reconnect()
  const key = newKey()
  expect(await run(era, key)).toEqual({ how: 'answer', text: `ran ${key}` })
}

async function associationLost(): Promise<void> {
  await eventually('edge knows', async () => {
    return (await numbersOf(stand.mesh.edge)).sum('causeway_associations_open') === 0
  })
}

/** How many octets something takes on the link. */
async function measured(act: () => Promise<unknown>): Promise<Record<Way, number>> {
  const before = { toTools: stand.link.passed('toTools'), toEdge: stand.link.passed('toEdge') }
  await act()
  return {
    toTools: stand.link.passed('toTools') - before.toTools,
    toEdge: stand.link.passed('toEdge') - before.toEdge,
  }
}

describe('a link that is cut', () => {
  beforeEach(() => stand.link.release())

  for (const era of ERAS) {
    it(`${requirement('BRG-019')} ${requirement('MCP-021')} inside a ${era} request: unknown, never run; after it: once at most`, async () => {
      await warmUp(era)
      const { toTools } = await measured(() => run(era, newKey()))
      for (const octets of [1, Math.floor(toTools / 2), toTools - 1, toTools]) {
        await warmUp(era)
        const cut = stand.link.cutAfter('toTools', octets)
        const key = newKey()
        const ending = await run(era, key)
        await inTime(cut, 'the cut')
        expect(ending).toMatchObject(UNKNOWN)
        if (octets < toTools) expect(stand.ran(key), `${octets} of ${toTools}`).toBe(0)
        await stand.idle()
        expectAtMostOnce(stand, key, ending)
        await associationLost()
        if (era === 'legacy') expect(await run(era, newKey())).toMatchObject({ status: 404, delivery: 'not_sent' })
      }
    })

    it(`${requirement('BRG-019')} inside a ${era} answer: unknown, ran once; after it: answered`, async () => {
      await warmUp(era)
      const { toEdge } = await measured(() => run(era, newKey()))
      for (const octets of [1, Math.floor(toEdge / 2), toEdge - 1, toEdge]) {
        await warmUp(era)
        const cut = stand.link.cutAfter('toEdge', octets)
        const key = newKey()
        const ending = await run(era, key)
        await inTime(cut, 'the cut')
        expect(ending).toMatchObject(octets < toEdge ? UNKNOWN : { how: 'answer', text: `ran ${key}` })
        expect(stand.ran(key)).toBe(1)
        await stand.idle()
      }
    })
  }

  it('while it is dialled: the call crosses on the next connection, once', async () => {
    await warmUp('modern')
    const call = await measured(() => run('modern', newKey()))
    stand.link.cut()
    await associationLost()
    const dialAndCall = await measured(() => run('modern', newKey()))
    for (const way of ['toTools', 'toEdge'] as const) {
      const dial = dialAndCall[way] - call[way]
      for (const part of [0, 0.3, 0.6, 0.95]) {
        stand.link.cut()
        await associationLost()
        const cut = stand.link.cutAfter(way, Math.floor(dial * part) + 1)
        const key = newKey()
        const ending = await run('modern', key)
        await inTime(cut, 'the cut')
        expect(ending, `${way}, ${part} of ${dial}`).toEqual({ how: 'answer', text: `ran ${key}` })
        expect(stand.ran(key)).toBe(1)
      }
    }
    await stand.idle()
  })

  it('again and again under many calls: each ends, none runs twice, none that was not sent runs', async () => {
    const random = randomFrom(2026)
    for (let round = 0; round < 5; round++) {
      await warmUp('modern')
      const way = random() < 0.5 ? 'toTools' : 'toEdge'
      const cut = stand.link.cutAfter(way, Math.floor(random() * 40_000))
      const calls = Array.from({ length: 40 }, async () => {
        const key = newKey()
        return { key, ending: await run('modern', key, { octets: 1_000, ballast: 'b'.repeat(1_000) }) }
      })
      const endings = await Promise.all(calls)
      await inTime(cut, 'the cut')
      await stand.idle()
      for (const { key, ending } of endings) expectAtMostOnce(stand, key, ending)
    }
  })

  it('under calls of which some had not left: those cross on the next connection, and none of the others does', async () => {
    await warmUp('modern')
    stand.link.stall('toTools')
    const calls = Array.from({ length: 24 }, async () => {
      const key = newKey()
      return { key, ending: await run('modern', key, { ballast: 'b'.repeat(1_000_000) }) }
    })
    // What the far relay cannot take fills buffers and queue until calls are refused.
    await eventually('calls are refused', async () => {
      return (
        (await numbersOf(stand.mesh.edge)).sum('causeway_exchanges_total', { side: 'edge', outcome: 'not_sent' }) > 0
      )
    })
    stand.link.cut()
    const endings = await Promise.all(calls)
    await stand.idle()
    for (const { key, ending } of endings) expectAtMostOnce(stand, key, ending)
    const count = (fits: (ending: Ending) => boolean) => endings.filter(({ ending }) => fits(ending)).length
    expect(count((ending) => ending.how === 'answer')).toBeGreaterThan(0)
    expect(count((ending) => ending.how === 'error' && ending.delivery === 'unknown')).toBeGreaterThan(0)
    expect(count((ending) => ending.how === 'error' && ending.name === 'QuotaExceeded')).toBeGreaterThan(0)
  })
})

describe('a link that ends one way', () => {
  for (const way of ['toTools', 'toEdge'] as const) {
    it(`${requirement('BRG-019')} ${way}: calls in flight end as unknown, the next ones cross`, async () => {
      for (const era of ERAS) await warmUp(era)
      const calls = await Promise.all(
        ERAS.map(async (era) => {
          const key = newKey()
          const ending = run(era, key, { how: 'holdAnswer' })
          await inTime(stand.backend.command('reached', key), key)
          return { era, key, ending }
        }),
      )
      stand.link.endWay(way)
      for (const { key, ending } of calls) {
        expect(await ending).toMatchObject(UNKNOWN)
        await stand.backend.command('release', key)
        expect(stand.ran(key)).toBe(1)
      }
      for (const era of ERAS) await warmUp(era)
      await stand.idle()
    })
  }
})

/** The same numbers every time, in [0, 1). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
