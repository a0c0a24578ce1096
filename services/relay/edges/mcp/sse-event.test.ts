import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventTexts } from '../../../../test/fixtures/edge/http-client.ts'
import { sseEvent } from './sse-event.ts'

function encoded(text: string): string {
  return Buffer.concat([...sseEvent(Buffer.from(text)).pieces]).toString()
}

describe('an event', () => {
  it('holds one line of data where the text is one line', () => {
    expect(encoded('{"a":1}')).toBe('event: message\ndata: {"a":1}\n\n')
  })

  it('sends a large text from where it is', () => {
    const text = Buffer.from(`"${'x'.repeat(100_000)}"`)
    const pieces = [...sseEvent(text).pieces]
    expect(pieces[1]).toBe(text)
    expect(Buffer.concat(pieces).toString()).toBe(`event: message\ndata: ${text}\n\n`)
  })

  it.each([
    ['{\n "a":1\n}', 'event: message\ndata: {\ndata:  "a":1\ndata: }\n\n', 0],
    ['{\r\n"a":1}', 'event: message\ndata: {\ndata: "a":1}\n\n', 1],
    ['{\r"a":1}', 'event: message\ndata: {\ndata: "a":1}\n\n', 1],
    ['{\r\r\n\n"a":1}', 'event: message\ndata: {\ndata: \ndata: \ndata: "a":1}\n\n', 2],
    ['[\n]', 'event: message\ndata: [\ndata: ]\n\n', 0],
  ])('of %j has one line of data for each of its lines', (text, event, changes) => {
    expect(encoded(text)).toBe(event)
    expect(sseEvent(Buffer.from(text)).changes).toBe(changes)
  })

  it('gives a reader the text back, every line end as LF', () => {
    const unit = fc.constantFrom('\r', '\n', '\r\n', ' ', '{', '"é"', '1')
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1 }), (units) => {
        const text = units.join('')
        expect(eventTexts(encoded(text))).toEqual([text.replace(/\r\n?/g, '\n')])
      }),
    )
  })

  it('of nothing but line ends is made in small pieces', () => {
    const text = Buffer.alloc(300_000, '\n')
    let octets = 0
    for (const piece of sseEvent(text).pieces) {
      expect(piece.length).toBeLessThanOrEqual(64 * 1024)
      octets += piece.length
    }
    expect(octets).toBe('event: message\ndata: '.length + 300_000 * '\ndata: '.length + 2)
  })

  it('keeps a line end that stands at the border of two pieces', () => {
    for (let before = 65_470; before < 65_540; before++) {
      const text = `${' '.repeat(before)}\r\n1`
      expect(eventTexts(encoded(text))).toEqual([`${' '.repeat(before)}\n1`])
    }
  })
})
