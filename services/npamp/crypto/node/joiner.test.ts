import { expect, it } from 'vitest'
import { Joiner } from './joiner.ts'

const MIB = 1024 * 1024

function pieces(...lengths: readonly number[]): Uint8Array[] {
  return lengths.map((length, index) => new Uint8Array(length).fill(index + 1))
}

it('joins pieces in order, whatever came before', () => {
  const joiner = new Joiner()
  expect(joiner.join(pieces(3, 2))).toEqual(Uint8Array.of(1, 1, 1, 2, 2))
  expect(joiner.join(pieces(1, 0, 1))).toEqual(Uint8Array.of(1, 3))
  expect(joiner.join([])).toEqual(new Uint8Array(0))
  const long = joiner.join(pieces(100_000, 1))
  expect([long.length, long[99_999], long[100_000]]).toEqual([100_001, 1, 2])
})

it('copies nothing when there is one piece only', () => {
  const [only] = pieces(10)
  expect(new Joiner().join([only ?? new Uint8Array(0)])).toBe(only)
})

it('uses the same memory again, but keeps no more than 1 MiB of it', () => {
  const joiner = new Joiner()
  const kept = joiner.join(pieces(40_000, 5)).buffer
  expect(joiner.join(pieces(5, 5)).buffer).toBe(kept)
  const whole = joiner.join(pieces(MIB - 1, 1)).buffer
  expect(whole.byteLength).toBe(MIB)
  const beyond = joiner.join(pieces(MIB, 1))
  expect([beyond.length, beyond[MIB]]).toEqual([MIB + 1, 2])
  expect(joiner.join(pieces(5, 5)).buffer).toBe(whole)
})
