import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatOctets } from '../../wire/octets.ts'
import { SealedInput } from './sealed-input.ts'

const MIB = 1024 * 1024

function pieces(...lengths: readonly number[]): Uint8Array[] {
  return lengths.map((length, index) => new Uint8Array(length).fill(index + 1))
}

/** Copies of the parts of all but the last 16 octets, and the memory each of them stood in. */
function partsOf(input: SealedInput, sealed: readonly Uint8Array[]) {
  const parts: Uint8Array[] = []
  const buffers: ArrayBufferLike[] = []
  input.eachPart(sealed, concatOctets(sealed).length - 16, (part) => {
    parts.push(part.slice())
    buffers.push(part.buffer)
  })
  return { parts, buffers }
}

describe('sealed input', () => {
  it('is parts of at most 1 MiB and a tag, wherever the pieces were cut', () => {
    const input = new SealedInput()
    const length = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 2 * MIB + 40 }))
    fc.assert(
      fc.property(fc.array(length, { maxLength: 5 }), (lengths) => {
        const sealed = pieces(...lengths, 7, 9)
        const whole = concatOctets(sealed)
        const { parts } = partsOf(input, sealed)
        for (const part of parts.slice(0, -1)) expect(part.length).toBe(MIB)
        expect(Buffer.compare(concatOctets(parts), whole.subarray(0, -16))).toBe(0)
        expect(input.tagOf(sealed)).toEqual(whole.subarray(-16))
      }),
      { numRuns: 40 },
    )
  })

  it('is not copied where a part lies in one piece', () => {
    const sealed = pieces(3 * MIB + 20)
    const { parts, buffers } = partsOf(new SealedInput(), sealed)
    expect(parts.map((part) => part.length)).toEqual([MIB, MIB, MIB, 4])
    expect(new Set(buffers)).toEqual(new Set([sealed[0]?.buffer]))
  })

  it('uses the same memory again, and never more than 1 MiB', () => {
    const input = new SealedInput()
    const bufferOf = (...lengths: readonly number[]) => partsOf(input, pieces(...lengths)).buffers[0]
    const kept = bufferOf(40_000, 50)
    expect(bufferOf(50, 50)).toBe(kept)
    const whole = bufferOf(MIB - 1, MIB, 17)
    expect(whole?.byteLength).toBe(MIB)
    expect(bufferOf(50, 50)).toBe(whole)
  })
})
