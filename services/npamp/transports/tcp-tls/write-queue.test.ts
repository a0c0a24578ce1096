import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatOctets } from '../../wire/octets.ts'
import { WriteQueue } from './write-queue.ts'

describe('WriteQueue', () => {
  it('gives all octets in order, in slices as long as asked for', () => {
    const anyPieces = fc.array(fc.uint8Array({ maxLength: 50 }))
    fc.assert(
      fc.property(fc.array(anyPieces), fc.integer({ min: 1, max: 60 }), (writes, sliceOctets) => {
        const queue = new WriteQueue()
        const slices: Uint8Array[] = []
        for (const pieces of writes) {
          queue.push(pieces)
          slices.push(queue.take(sliceOctets))
        }
        while (queue.length > 0) {
          const before = queue.length
          const slice = queue.take(sliceOctets)
          expect(slice.length).toBe(Math.min(sliceOctets, before))
          slices.push(slice)
        }
        expect(concatOctets(slices)).toEqual(concatOctets(writes.flat()))
        expect(queue.take(1).length).toBe(0)
      }),
    )
  })

  it('copies nothing of a large piece but its ends', () => {
    const large = new Uint8Array(1000)
    const queue = new WriteQueue()
    queue.push([new Uint8Array(36), large, new Uint8Array(16)])
    const slices = Array.from({ length: 5 }, () => queue.take(256))
    expect(slices.map((slice) => slice.length)).toEqual([256, 256, 256, 256, 28])
    expect(slices.map((slice) => slice.buffer === large.buffer)).toEqual([false, true, true, true, false])
  })

  it('gives back the memory of a large piece when all of it is written, and not before', () => {
    const large = new Uint8Array(100_000)
    const small = new Uint8Array(100)
    const queue = new WriteQueue()
    queue.push([large, small])
    const first = queue.take(65_536)
    queue.written()
    expect([first.length, large.length]).toEqual([65_536, 100_000])
    const last = queue.take(65_536)
    expect([last.length, large.length]).toEqual([34_564, 100_000])
    queue.written()
    expect([large.length, small.length]).toEqual([0, 100])
  })

  it('keeps nothing of what went through it, even when it is never empty', () => {
    const queue = new WriteQueue()
    queue.push([Uint8Array.of(1)])
    for (let n = 2; n < 1_000; n++) {
      queue.push([Uint8Array.of(n)])
      expect(queue.take(1)).toEqual(Uint8Array.of(n - 1))
    }
    expect(queue.length).toBe(1)
  })

  it('is empty when cleared', () => {
    const queue = new WriteQueue()
    queue.push([new Uint8Array(10)])
    queue.take(3)
    queue.clear()
    expect(queue.length).toBe(0)
    queue.push([Uint8Array.of(7)])
    expect(queue.take(9)).toEqual(Uint8Array.of(7))
  })
})
