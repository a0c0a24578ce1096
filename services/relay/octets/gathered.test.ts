import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Gathered } from './gathered.ts'

function gathered(pieces: Iterable<Uint8Array>): Gathered {
  const all = new Gathered()
  for (const piece of pieces) all.push(piece)
  return all
}

describe('gathered pieces', () => {
  it('join to what they were, whatever their sizes', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 8 }),
      fc.integer({ min: 0, max: 70_000 }).map((size) => new Uint8Array(size).fill(size)),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const all = gathered(pieces)
        const expected = Buffer.concat(pieces)
        expect(all.octets).toBe(expected.length)
        expect(Buffer.compare(all.join(), expected)).toBe(0)
      }),
    )
  })

  it('that are one are not copied', () => {
    const only = Buffer.from('a small one')
    expect(gathered([only]).join()).toBe(only)
    expect(gathered([new Uint8Array(0), only, new Uint8Array(0)]).join()).toBe(only)
    expect(gathered([]).join()).toHaveLength(0)
  })

  it('of one octet take about as much memory as they have octets', () => {
    const before = process.memoryUsage()
    const all = new Gathered()
    const piece = Buffer.from('x')
    for (let count = 0; count < 2_000_000; count++) all.push(piece.subarray(0, 1))
    globalThis.gc?.()
    const after = process.memoryUsage()
    const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
    expect(grown).toBeLessThan(64 * 1024 * 1024)
    expect(all.join()).toHaveLength(2_000_000)
  })
})
