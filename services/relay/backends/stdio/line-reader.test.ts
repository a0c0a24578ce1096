import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Line, LineReader } from './line-reader.ts'

const linesOf = (pieces: readonly Uint8Array[], maxOctets = 1_000): Line[] => {
  const reader = new LineReader(maxOctets)
  const lines: Line[] = []
  const take = () => {
    for (let line = reader.next(); line !== undefined; line = reader.next()) lines.push(line)
  }
  for (const piece of pieces) {
    reader.push(piece)
    take()
  }
  reader.end()
  take()
  return lines
}
const texts = (lines: readonly Line[]) =>
  lines.map((line) => (line.kind === 'line' ? Buffer.from(line.octets).toString() : `${line.length}`))

/** Cut at these places. */
function cut(octets: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [0, ...[...places].sort((a, b) => a - b), octets.length]
  return at.slice(1).map((end, n) => octets.subarray(at[n], end))
}

describe('lines', () => {
  const text = Buffer.from('{"a":"é€𝄞"}\r\n\n \t\r\n{"b":1}\n{"c":"\r"}\n{"d":2}')

  it('are the same wherever their pieces end, also in the middle of a character', () => {
    const whole = texts(linesOf([text]))
    expect(whole).toEqual(['{"a":"é€𝄞"}', '{"b":1}', '{"c":"\r"}', '{"d":2}'])
    for (let at = 0; at <= text.length; at++) expect(texts(linesOf(cut(text, [at])))).toEqual(whole)
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 20 }), (places) => {
        expect(texts(linesOf(cut(text, places)))).toEqual(whole)
      }),
    )
  })

  it('are pulled: the rest of what was pushed waits', () => {
    const reader = new LineReader(100)
    reader.push(Buffer.from('a\nb\nc'))
    expect(reader.next()).toMatchObject({ octets: Buffer.from('a') })
    reader.push(Buffer.from('d\n'))
    expect(reader.next()).toMatchObject({ octets: Buffer.from('b') })
    expect(reader.next()).toMatchObject({ octets: Buffer.from('cd') })
    expect(reader.next()).toBeUndefined()
    expect(reader.heldOctets).toBe(0)
  })

  it('of exactly the limit are kept; of more only both ends, and the next is read', () => {
    expect(texts(linesOf([Buffer.from(`${'x'.repeat(10)}\n${'y'.repeat(11)}\nz\n`)], 10))).toEqual([
      'xxxxxxxxxx',
      '11',
      'z',
    ])
    const long = Buffer.from(`head${'x'.repeat(5_000)}tail\nz`)
    fc.assert(
      fc.property(fc.array(fc.nat(long.length), { maxLength: 9 }), (places) => {
        const [first, second] = linesOf(cut(long, places), 600)
        if (first?.kind !== 'tooLong') throw new Error('it was kept')
        expect(first.length).toBe(5_008)
        expect(first.head).toEqual(long.subarray(0, 512))
        expect(first.tail).toEqual(long.subarray(5_008 - 512, 5_008))
        expect(second).toMatchObject({ kind: 'line', octets: Buffer.from('z') })
      }),
    )
  })

  it('never hold more than the limit', () => {
    const reader = new LineReader(1_000)
    for (let n = 0; n < 100; n++) {
      reader.push(Buffer.alloc(300, 'x'))
      expect(reader.next()).toBeUndefined()
      expect(reader.heldOctets).toBeLessThanOrEqual(1_000)
    }
  })
})
