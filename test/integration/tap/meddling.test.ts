import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { eventually } from '../at-most-once/in-time.ts'
import { LANE_TIMEOUT } from '../at-most-once/lane.ts'
import { FATAL, forgedClose, IGNORED, LENGTH_AT } from './changes.ts'
import { BRIDGE, CONTROL, HEADER_OCTETS } from './frames.ts'
import { Meddler } from './meddler.ts'

const LANES = [
  ['toTools', Meddler.lane('toTools')],
  ['toEdge', Meddler.lane('toEdge')],
] as const

describe.concurrent('a frame that was changed on the way', LANE_TIMEOUT, () => {
  for (const [way, lane] of LANES) {
    it(
      `${requirement('WIRE-004')} ${requirement('WIRE-005')} ${requirement('WIRE-008')} ${requirement('WIRE-009')} ${requirement('WIRE-012')} ${requirement('REC-006')} ${requirement('OWN-004')} ${way}, in any of its fields: ends the association with its cause, and the call as unknown`,
      lane.test(async (meddler) => {
        for (const [what, reason, change] of FATAL) {
          await meddler.expectAnswered()
          const before = await meddler.closed(reason)
          meddler.onNext((octets) => [change(octets)])
          const key = meddler.newKey()
          meddler.expectNoAnswer(key, await meddler.run(key))
          await eventually(`${what}: ${reason}`, async () => (await meddler.closed(reason)) === before + 1)
        }
        await meddler.expectAnswered()
      }),
    )

    it(
      `${requirement('REC-009')} ${requirement('WIRE-024')} ${requirement('WIRE-032')} ${requirement('WIRE-038')} ${requirement('OWN-005')} ${way}, so that it is ignored: the gap ends the association, and both calls as unknown`,
      lane.test(async (meddler) => {
        for (const [what, reason, change] of IGNORED) {
          await meddler.expectAnswered()
          const before = { dropped: await meddler.dropped(reason), gaps: await meddler.closed('sequence_gap') }
          meddler.onNext((octets) => {
            const changed = change(octets)
            return [changed.subarray(0, HEADER_OCTETS + changed.readUInt32BE(LENGTH_AT))]
          })
          const [first, second] = [meddler.newKey(), meddler.newKey()]
          const missing = meddler.run(first)
          await eventually(`${what}: ${reason}`, async () => (await meddler.dropped(reason)) === before.dropped + 1)
          const next = meddler.run(second)
          meddler.expectNoAnswer(first, await missing)
          meddler.expectNoAnswer(second, await next)
          await eventually('the gap', async () => (await meddler.closed('sequence_gap')) === before.gaps + 1)
        }
        await meddler.expectAnswered()
      }),
    )
  }
})

describe.concurrent('a frame that comes again', LANE_TIMEOUT, () => {
  for (const [way, lane] of LANES) {
    it(
      `${requirement('REC-009')} ${way}: is dropped and counted, the call ran once and has its answer`,
      lane.test(async (meddler) => {
        await meddler.expectAnswered()
        const before = await meddler.dropped('replay')
        meddler.onNext((octets) => [octets, octets, octets])
        await meddler.expectAnswered()
        await eventually('both are dropped', async () => (await meddler.dropped('replay')) === before + 2)
        await meddler.expectAnswered()
      }),
    )

    it(
      `${requirement('REC-006')} ${way}, on another association: ends that one, and its call as unknown`,
      lane.test(async (meddler) => {
        await meddler.expectAnswered()
        const old = meddler.lastOn(BRIDGE)
        meddler.onNext(() => [Buffer.alloc(HEADER_OCTETS)])
        await meddler.run(meddler.newKey())
        // The next one, up to the same sequence number.
        for (let call = 0n; call < old.sequence; call++) await meddler.expectAnswered()
        const before = await meddler.closed('tag')
        meddler.onNext((_octets, { sequence }) => {
          expect(sequence).toBe(old.sequence)
          return [old.octets]
        })
        const key = meddler.newKey()
        meddler.expectNoAnswer(key, await meddler.run(key))
        await eventually('the tag', async () => (await meddler.closed('tag')) === before + 1)
        await meddler.expectAnswered()
      }),
    )

    it(
      `${way}, after the one behind it: ends the association, and both calls as unknown`,
      lane.test(async (meddler) => {
        await meddler.expectAnswered()
        const before = await meddler.closed('sequence_gap')
        let kept: Buffer | undefined
        meddler.onNext((octets) => {
          kept = octets
          return []
        })
        const [first, second] = [meddler.newKey(), meddler.newKey()]
        const one = meddler.run(first)
        await eventually('the first frame is kept', () => kept !== undefined)
        meddler.onNext((octets) => [octets, kept ?? octets])
        const other = meddler.run(second)
        meddler.expectNoAnswer(first, await one)
        meddler.expectNoAnswer(second, await other)
        await eventually('the gap', async () => (await meddler.closed('sequence_gap')) === before + 1)
        await meddler.expectAnswered()
      }),
    )
  }
})

describe.concurrent('a frame that nobody sent', LANE_TIMEOUT, () => {
  for (const [way, lane] of LANES) {
    it(
      `${requirement('WIRE-023')} ${requirement('WIRE-024')} ${requirement('WIRE-025')} ${way}, a CLOSE: is dropped and counted, and the association goes on`,
      lane.test(async (meddler) => {
        await meddler.expectAnswered()
        const before = { dropped: await meddler.dropped('forged_close'), closed: await meddler.closed() }
        const { sequence } = meddler.lastOn(CONTROL)
        meddler.onNext((octets) => [forgedClose(sequence + 1n), octets])
        await meddler.expectAnswered()
        expect(await meddler.dropped('forged_close')).toBe(before.dropped + 1)
        expect(await meddler.closed()).toBe(before.closed)
      }),
    )
  }
})
