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
