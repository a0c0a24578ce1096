import { requirement } from '@causeway/test/requirements'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Ending } from '../at-most-once/ending.ts'
import { eventually, inTime } from '../at-most-once/in-time.ts'
import { numbersOf } from '../at-most-once/metrics-of.ts'
import { RawCaller } from '../at-most-once/raw-caller.ts'
import { FATAL, forgedClose, IGNORED, LENGTH_AT } from './changes.ts'
import { BRIDGE, CONTROL, HEADER_OCTETS, type WireFrame } from './frames.ts'
import { type MeshWithTap, startMeshWithTap } from './mesh-with-tap.ts'
import type { Way } from './tap.ts'

const WAYS = ['toTools', 'toEdge'] as const

let tapped: MeshWithTap
let caller: RawCaller

beforeAll(async () => {
  tapped = await startMeshWithTap('pinned')
  caller = await RawCaller.connect('modern', tapped.url)
})

afterAll(async () => {
  await caller.close()
  await tapped.stop()
})

beforeEach(() => {
  tapped.tap.meddle = () => undefined
})

const UNKNOWN = { how: 'error', code: -33110, name: 'NotDelivered', delivery: 'unknown' }

let keys = 0
const newKey = () => `key ${++keys}`
const run = (key: string) => inTime(caller.run({ key }), key)

async function expectAnswered(): Promise<void> {
  const key = newKey()
  expect(await run(key)).toEqual({ how: 'answer', text: `ran ${key}` })
  expect(tapped.ran(key)).toBe(1)
}

/** Who gets the frames that go this way. */
const receiver = (way: Way) => (way === 'toTools' ? tapped.mesh.tools : tapped.mesh.edge)

async function closedFor(way: Way, reason: string): Promise<number> {
  return (await numbersOf(receiver(way))).sum('causeway_associations_closed_total', { reason })
}

async function dropped(way: Way, reason: string): Promise<number> {
  return (await numbersOf(receiver(way))).sum('causeway_frames_dropped_total', { reason })
}

/** Does this to the next Bridge frame that goes this way, and to no other. */
function onNext(way: Way, meddle: (octets: Buffer, frame: WireFrame) => readonly Buffer[]): void {
  let done = false
  tapped.tap.meddle = (frame, its) => {
    if (done || its !== way || frame.channel !== BRIDGE) return undefined
    done = true
    return meddle(Buffer.from(frame.octets), frame)
  }
}

/** Nothing but an error that leaves it open, and once at most. */
function expectNoAnswer(key: string, ending: Ending, way: Way): void {
  expect(ending).toMatchObject(UNKNOWN)
  expect(tapped.ran(key)).toBe(way === 'toTools' ? 0 : 1)
}

describe('a frame that was changed on the way', { timeout: 60_000 }, () => {
  for (const way of WAYS) {
    it(`${requirement('WIRE-004')} ${requirement('WIRE-005')} ${requirement('WIRE-008')} ${requirement('WIRE-009')} ${requirement('WIRE-012')} ${requirement('REC-006')} ${requirement('OWN-004')} ${way}, in any of its fields: ends the association with its cause, and the call as unknown`, async () => {
      for (const [what, reason, change] of FATAL) {
        await expectAnswered()
        const before = await closedFor(way, reason)
        onNext(way, (octets) => [change(octets)])
        const key = newKey()
        const ending = await run(key)
        expectNoAnswer(key, ending, way)
        await eventually(`${what}: ${reason}`, async () => (await closedFor(way, reason)) === before + 1)
      }
      await expectAnswered()
    })

    it(`${requirement('REC-009')} ${requirement('WIRE-024')} ${requirement('WIRE-032')} ${requirement('WIRE-038')} ${requirement('OWN-005')} ${way}, so that it is ignored: the gap ends the association, and both calls as unknown`, async () => {
      for (const [what, reason, change] of IGNORED) {
        await expectAnswered()
        const before = { dropped: await dropped(way, reason), gaps: await closedFor(way, 'sequence_gap') }
        onNext(way, (octets) => {
          const changed = change(octets)
          return [changed.subarray(0, HEADER_OCTETS + changed.readUInt32BE(LENGTH_AT))]
        })
        const [first, second] = [newKey(), newKey()]
        const missing = run(first)
        await eventually(`${what}: ${reason}`, async () => (await dropped(way, reason)) === before.dropped + 1)
        const next = run(second)
        expectNoAnswer(first, await missing, way)
        expectNoAnswer(second, await next, way)
        await eventually('the gap', async () => (await closedFor(way, 'sequence_gap')) === before.gaps + 1)
      }
      await expectAnswered()
    })
  }
})

describe('a frame that comes again', () => {
  for (const way of WAYS) {
    it(`${requirement('REC-009')} ${way}: is dropped and counted, the call ran once and has its answer`, async () => {
      await expectAnswered()
      const before = await dropped(way, 'replay')
      onNext(way, (octets) => [octets, octets, octets])
      await expectAnswered()
      expect(await dropped(way, 'replay')).toBe(before + 2)
      await expectAnswered()
    })

    it(`${requirement('REC-006')} ${way}, on another association: ends that one, and its call as unknown`, async () => {
      await expectAnswered()
      const old = tapped.tap.frames[way].findLast(({ channel }) => channel === BRIDGE)
      // The next association, which is at the same sequence number one call later than this one was.
      onNext(way, () => [Buffer.alloc(HEADER_OCTETS)])
      await run(newKey())
      const before = await closedFor(way, 'tag')
      for (let call = 0n; call < (old?.sequence ?? 0n); call++) await expectAnswered()
      onNext(way, (_octets, frame) => {
        expect(frame.sequence).toBe(old?.sequence)
        return old === undefined ? [] : [old.octets]
      })
      const key = newKey()
      expectNoAnswer(key, await run(key), way)
      await eventually('the tag', async () => (await closedFor(way, 'tag')) === before + 1)
      await expectAnswered()
    })

    it(`${way}, after the one behind it: ends the association, and both calls as unknown`, async () => {
      await expectAnswered()
      const before = await closedFor(way, 'sequence_gap')
      let kept: Buffer | undefined
      onNext(way, (octets) => {
        kept = octets
        return []
      })
      const [first, second] = [newKey(), newKey()]
      const calls = [run(first)]
      await eventually('the first frame is kept', () => kept !== undefined)
      onNext(way, (octets) => [octets, kept ?? octets])
      calls.push(run(second))
      const [one, other] = await Promise.all(calls)
      expectNoAnswer(first, one as Ending, way)
      expectNoAnswer(second, other as Ending, way)
      await eventually('the gap', async () => (await closedFor(way, 'sequence_gap')) === before + 1)
      await expectAnswered()
    })
  }
})

describe('a frame that nobody sent', () => {
  for (const way of WAYS) {
    it(`${requirement('WIRE-023')} ${requirement('WIRE-024')} ${requirement('WIRE-025')} ${way}, a CLOSE: is dropped and counted, and the association goes on`, async () => {
      await expectAnswered()
      const before = { dropped: await dropped(way, 'forged_close'), closed: await allClosed(way) }
      const last = tapped.tap.frames[way].findLast(({ channel }) => channel === CONTROL)
      onNext(way, (octets) => [forgedClose((last?.sequence ?? 0n) + 1n), octets])
      await expectAnswered()
      expect(await dropped(way, 'forged_close')).toBe(before.dropped + 1)
      expect(await allClosed(way)).toBe(before.closed)
    })
  }
})

async function allClosed(way: Way): Promise<number> {
  return (await numbersOf(receiver(way))).sum('causeway_associations_closed_total')
}
