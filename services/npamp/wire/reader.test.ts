import { describe, expect, it } from 'vitest'
import { MalformedError } from '../errors.ts'
import { fromHex, toHex } from './hex.test-support.ts'
import { Reader } from './reader.ts'

function codeOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof MalformedError) return error.code
    throw error
  }
  return 'accepted'
}

describe('Reader', () => {
  it('reads big-endian fields one after another', () => {
    const reader = new Reader(fromHex('01 0203 f4050607 f8090a0b0c0d0e0f 1011 68c3a9 12'), 'sample')
    expect([reader.u8(), reader.u16(), reader.u32()]).toEqual([1, 0x0203, 0xf4050607])
    expect(reader.u64()).toBe(0xf8090a0b0c0d0e0fn)
    expect(toHex(reader.take(2))).toBe('1011')
    expect(reader.text(3)).toBe('hé')
    expect(reader.remaining).toBe(1)
    expect(toHex(reader.rest())).toBe('12')
    expect(reader.rest().length).toBe(0)
    expect(codeOf(() => reader.done())).toBe('accepted')
  })

  it('never reads past the end, for any field at any length', () => {
    const fields: [number, (reader: Reader) => unknown][] = [
      [1, (reader) => reader.u8()],
      [2, (reader) => reader.u16()],
      [4, (reader) => reader.u32()],
      [8, (reader) => reader.u64()],
      [5, (reader) => reader.take(5)],
      [3, (reader) => reader.text(3)],
    ]
    for (const [width, read] of fields)
      for (let length = 0; length <= width; length++) {
        const expected = length < width ? 'TRUNCATED' : 'accepted'
        expect(codeOf(() => read(new Reader(new Uint8Array(length), 'sample')))).toBe(expected)
      }
  })

  it('rejects octets left over and invalid UTF-8', () => {
    expect(codeOf(() => new Reader(fromHex('00'), 'sample').done())).toBe('TRAILING_OCTETS')
    for (const bad of ['ff', 'c080', 'eda080', 'c3'])
      expect(codeOf(() => new Reader(fromHex(bad), 'sample').text(bad.length / 2))).toBe('TLV_VALUE')
    expect(new Reader(fromHex('efbbbf61'), 'sample').text(4)).toBe('\ufeffa')
  })

  it("uses the structure's own code where it has one", () => {
    const reader = new Reader(fromHex('00ff'), 'BridgeEnvelope', 'ENVELOPE')
    expect(codeOf(() => reader.u32())).toBe('ENVELOPE')
    expect(codeOf(() => reader.done())).toBe('ENVELOPE')
    expect(codeOf(() => reader.text(2))).toBe('ENVELOPE')
  })
})
