import { describe, expect, test } from 'vitest'
import { LineSplitter } from './split-lines.ts'

function split(text: string, chunkOctets: number): string[] {
  const splitter = new LineSplitter(100, 'watch things')
  const octets = Buffer.from(text)
  const lines: string[] = []
  for (let at = 0; at < octets.length; at += chunkOctets) {
    for (const line of splitter.push(octets.subarray(at, at + chunkOctets))) lines.push(line.toString('utf8'))
  }
  return lines
}

describe('octets cut into lines', () => {
  test('at every length of the chunks', () => {
    const text = '{"a":"ä€"}\n\n{"b":2}\n{"c'
    for (let chunkOctets = 1; chunkOctets <= Buffer.byteLength(text); chunkOctets++) {
      expect(split(text, chunkOctets)).toEqual(['{"a":"ä€"}', '{"b":2}'])
    }
  })

  test('a line above the limit is refused, however many short ones came before', () => {
    const splitter = new LineSplitter(100, 'watch things')
    for (let line = 0; line < 50; line++) splitter.push(Buffer.from('short\n'))
    splitter.push(Buffer.alloc(100, 'x'))
    expect(() => splitter.push(Buffer.from('x'))).toThrow('watch things: an event has more than 100 octets')
  })
})
