import { expect, it } from 'vitest'
import { MisuseError } from '../../errors.ts'
import { SealedInput } from './sealed-input.ts'

const MIB = 1024 * 1024

function pieces(...lengths: readonly number[]): Uint8Array[] {
  return lengths.map((length, index) => new Uint8Array(length).fill(index + 1))
}

it('splits the tag off, wherever the pieces were cut', () => {
  const input = new SealedInput()
  expect(input.split(pieces(3, 16))).toEqual({ ciphertext: Uint8Array.of(1, 1, 1), tag: new Uint8Array(16).fill(2) })
  expect(input.split(pieces(0, 5, 15))).toEqual({
    ciphertext: Uint8Array.of(2, 2, 2, 2),
    tag: Uint8Array.of(2, ...new Uint8Array(15).fill(3)),
  })
  const { ciphertext, tag } = input.split(pieces(100_000, 17))
  expect([ciphertext.length, ciphertext[99_999], ciphertext[100_000], tag[0]]).toEqual([100_001, 1, 2, 2])
})

it('copies no ciphertext that came in one piece', () => {
  const [only = new Uint8Array(0)] = pieces(20)
  expect(new SealedInput().split([only]).ciphertext.buffer).toBe(only.buffer)
})

it('uses the same memory again, but keeps no more than 1 MiB of it', () => {
  const input = new SealedInput()
  const bufferOf = (...lengths: readonly number[]) => input.split(pieces(...lengths)).ciphertext.buffer
  const kept = bufferOf(40_000, 50)
  expect(bufferOf(50, 50)).toBe(kept)
  const whole = bufferOf(MIB - 1, 1)
  expect(whole.byteLength).toBe(MIB)
  const beyond = input.split(pieces(MIB, 16))
  expect([beyond.ciphertext.length, beyond.tag[0]]).toEqual([MIB, 2])
  expect(bufferOf(50, 50)).toBe(whole)
})

it('refuses what is shorter than a tag', () => {
  for (const short of [[], pieces(15), pieces(7, 8)]) {
    expect(() => new SealedInput().split(short)).toThrow(MisuseError)
  }
})
