import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { Crossing, ERAS } from './crossing.ts'
import type { Ending } from './ending.ts'
import { eventually, inTime } from './in-time.ts'
import { expectAtMostOnce } from './judge.ts'
import { LANE_TIMEOUT } from './lane.ts'
import { numbersOf } from './metrics-of.ts'

const UNKNOWN = { how: 'error', status: 200, code: -33110, name: 'NotDelivered', delivery: 'unknown' }

const calls = Crossing.lane()
const dials = Crossing.lane()

describe.concurrent('a link that is cut', LANE_TIMEOUT, () => {
  it(
    'while it is dialled: the call crosses on the next connection, once',
    dials.test(async (crossing) => {
      const { stand } = crossing
      const call = () => crossing.run('modern', crossing.newKey())
      await crossing.warmUp('modern')
      const callOnly = await crossing.measured(call)
      stand.link.cut()
      await crossing.associationLost()
      const dialAndCall = await crossing.measured(call)
      for (const way of ['toTools', 'toEdge'] as const) {
        const dial = dialAndCall[way] - callOnly[way]
        for (const part of [0, 0.3, 0.6, 0.95]) {
          stand.link.cut()
          await crossing.associationLost()
          const cut = stand.link.cutAfter(way, Math.floor(dial * part) + 1)
          const key = crossing.newKey()
          const ending = await crossing.run('modern', key)
          await inTime(cut, 'the cut')
          expect(ending, `${way}, ${part} of ${dial}`).toEqual({ how: 'answer', text: `ran ${key}` })
          expect(stand.ran(key)).toBe(1)
        }
      }
      await stand.idle()
    }),
  )

  for (const era of ERAS) {
    it(
      `${requirement('BRG-019')} ${requirement('MCP-021')} inside a ${era} request: unknown, never run; after it: once at most`,
      calls.test(async (crossing) => {
        const { stand } = crossing
        await crossing.warmUp(era)
        const { toTools } = await crossing.measured(() => crossing.run(era, crossing.newKey()))
        for (const octets of [1, Math.floor(toTools / 2), toTools - 1, toTools]) {
          await crossing.warmUp(era)
          const cut = stand.link.cutAfter('toTools', octets)
          const key = crossing.newKey()
          const ending = await crossing.run(era, key)
          await inTime(cut, 'the cut')
          expect(ending).toMatchObject(UNKNOWN)
          if (octets < toTools) expect(stand.ran(key), `${octets} of ${toTools}`).toBe(0)
          await stand.idle()
          expectAtMostOnce(stand, key, ending)
          await crossing.associationLost()
          const next = await crossing.run(era, crossing.newKey())
          expect(next).toMatchObject(era === 'legacy' ? { status: 404, delivery: 'not_sent' } : { how: 'answer' })
        }
      }),
    )

    it(
      `${requirement('BRG-019')} inside a ${era} answer: unknown, ran once; after it: answered`,
      calls.test(async (crossing) => {
        const { stand } = crossing
        await crossing.warmUp(era)
        const { toEdge } = await crossing.measured(() => crossing.run(era, crossing.newKey()))
        for (const octets of [1, Math.floor(toEdge / 2), toEdge - 1, toEdge]) {
          await crossing.warmUp(era)
          const cut = stand.link.cutAfter('toEdge', octets)
          const key = crossing.newKey()
          const ending = await crossing.run(era, key)
          await inTime(cut, 'the cut')
          expect(ending).toMatchObject(octets < toEdge ? UNKNOWN : { how: 'answer', text: `ran ${key}` })
          expect(stand.ran(key)).toBe(1)
          await stand.idle()
        }
      }),
    )
  }

  it(
    'again and again under many calls: each ends, none runs twice, none that was not sent runs',
    dials.test(async (crossing) => {
      const { stand } = crossing
      const random = randomFrom(2026)
      for (let round = 0; round < 5; round++) {
        await crossing.warmUp('modern')
        const way = random() < 0.5 ? 'toTools' : 'toEdge'
        const cut = stand.link.cutAfter(way, Math.floor(random() * 40_000))
        const args = { octets: 1_000, ballast: 'b'.repeat(1_000) }
        const many = Array.from({ length: 40 }, async () => {
          const key = crossing.newKey()
          return { key, ending: await crossing.run('modern', key, args) }
        })
        const endings = await Promise.all(many)
        await inTime(cut, 'the cut')
        await stand.idle()
        for (const { key, ending } of endings) expectAtMostOnce(stand, key, ending)
      }
    }),
  )

  it(
    'under calls of which some had not left: those cross on the next connection, and none of the others does',
    dials.test(async (crossing) => {
      const { stand } = crossing
      await crossing.warmUp('modern')
      stand.link.stall('toTools')
      const large = Array.from({ length: 24 }, async () => {
        const key = crossing.newKey()
        return { key, ending: await crossing.run('modern', key, { ballast: 'b'.repeat(1_000_000) }) }
      })
      // What the far relay cannot take fills buffers and queue until calls are refused.
      await eventually('calls are refused', async () => {
        const edge = await numbersOf(stand.mesh.edge)
        return edge.sum('causeway_exchanges_total', { side: 'edge', outcome: 'not_sent' }) > 0
      })
      stand.link.cut()
      const endings = await Promise.all(large)
      await stand.idle()
      for (const { key, ending } of endings) expectAtMostOnce(stand, key, ending)
      const count = (fits: (ending: Ending) => boolean) => endings.filter(({ ending }) => fits(ending)).length
      expect(count((ending) => ending.how === 'answer')).toBeGreaterThan(0)
      expect(count((ending) => ending.how === 'error' && ending.delivery === 'unknown')).toBeGreaterThan(0)
      expect(count((ending) => ending.how === 'error' && ending.name === 'QuotaExceeded')).toBeGreaterThan(0)
    }),
  )
})

describe.concurrent('a link that ends one way', LANE_TIMEOUT, () => {
  for (const way of ['toTools', 'toEdge'] as const) {
    it(
      `${requirement('BRG-019')} ${way}: calls in flight end as unknown, the next ones cross`,
      calls.test(async (crossing) => {
        const { stand } = crossing
        for (const era of ERAS) await crossing.warmUp(era)
        const inFlight = []
        for (const era of ERAS) {
          const key = crossing.newKey()
          const ending = crossing.run(era, key, { how: 'holdAnswer' })
          await inTime(stand.backend.command('reached', key), key)
          inFlight.push({ key, ending })
        }
        stand.link.endWay(way)
        for (const { key, ending } of inFlight) {
          expect(await ending).toMatchObject(UNKNOWN)
          await stand.backend.command('release', key)
          expect(stand.ran(key)).toBe(1)
        }
        for (const era of ERAS) await crossing.warmUp(era)
        await stand.idle()
      }),
    )
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
