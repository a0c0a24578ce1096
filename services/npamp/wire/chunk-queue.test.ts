import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ChunkQueue } from './chunk-queue.ts'
import { concatOctets } from './octets.ts'

const chunk = (length: number, first = 0): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (first + index) % 251)

function gathered(queue: ChunkQueue, count: number): Uint8Array {
  queue.gather(count)
  const octets = queue.first.slice(queue.offset, queue.offset + count)
  queue.skip(count)
  return octets
}

it('gives the octets back in order, however they came and are taken', () => {
  const lengths = fc.array(fc.oneof(fc.nat(40), fc.constantFrom(4095, 4096, 4097)), { maxLength: 40 })
  const counts = fc.array(fc.oneof(fc.nat(60), fc.nat(9000)), { maxLength: 40 })
  fc.assert(
    fc.property(lengths, counts, fc.array(fc.boolean()), (pushed, wanted, turns) => {
      const queue = new ChunkQueue()
      const taken: Uint8Array[] = []
      const all = pushed.map((length, index) => chunk(length, index))
      const waiting = [...all]
      const takeSome = () => {
        const count = Math.min(wanted.shift() ?? 0, queue.length)
        if (count % 3 === 0) taken.push(gathered(queue, count))
        else taken.push(...queue.take(count))
      }
      for (const pushNext of turns) {
        const next = pushNext ? waiting.shift() : undefined
        if (next === undefined) takeSome()
        else queue.push(next)
      }
      for (const next of waiting) queue.push(next)
      taken.push(...queue.take(queue.length))
      expect(queue.length).toBe(0)
      expect(concatOctets(taken)).toEqual(concatOctets(all))
    }),
  )
})

it('copies no octets of chunks that hold what is taken, nor of a small one behind a large one', () => {
  const queue = new ChunkQueue()
  const [large, small] = [chunk(16_384), chunk(52)]
  queue.push(large)
  queue.push(small)
  queue.gather(36)
  expect(queue.first).toBe(large)
  queue.skip(36)
  const pieces = queue.take(16_384)
  expect(pieces.map((piece) => piece.length)).toEqual([16_348, 36])
  expect(pieces.map((piece) => piece.buffer)).toEqual([large.buffer, small.buffer])
  expect(queue.length).toBe(16)
})

it('copies small chunks together once they follow each other', () => {
  const queue = new ChunkQueue()
  for (let count = 0; count < 10_000; count++) queue.push(Uint8Array.of(count % 251))
  const pieces = queue.take(10_000)
  expect(pieces.length).toBeLessThan(5)
  expect(concatOctets(pieces)).toEqual(chunk(10_000))
})
