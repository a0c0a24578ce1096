import { LimitError } from '@causeway/npamp'
import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SseEvent, SseParser } from './sse.ts'

const octets = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (value: Uint8Array): string => new TextDecoder().decode(value)

function parse(pieces: readonly Uint8Array[], maxEventOctets = 1_000): SseEvent[] {
  const parser = new SseParser({ maxEventOctets })
  const events: SseEvent[] = []
  for (const piece of pieces) {
    parser.push(piece)
    for (let event = parser.next(); event !== undefined; event = parser.next()) events.push(event)
  }
  return events
}

const data = (stream: string): string[] => parse([octets(stream)]).map((event) => text(event.data))

describe('SseParser', () => {
  it('tells one event for each blank line, and none for what the end of the stream cuts', () => {
    expect(data('data: a\n\ndata: b\n\ndata: c')).toEqual(['a', 'b'])
    expect(data('data: a\n\ndata: b\n')).toEqual(['a'])
  })

  it('takes LF, CR and CRLF as line ends', () => {
    expect(data('data: a\r\n\r\ndata: b\r\rdata: c\n\n')).toEqual(['a', 'b', 'c'])
  })

  it('joins several data lines with LF', () => {
    expect(data('data: {\ndata:  "a": 1\r\ndata\ndata:}\n\n')).toEqual(['{\n "a": 1\n\n}'])
  })

  it('keeps empty data lines at both ends', () => {
    expect(data('data\ndata:\ndata: a\ndata:\n\n')).toEqual(['\n\na\n'])
  })

  it('strips one blank after the colon and no more', () => {
    expect(data('data:x\n\ndata:  x \n\n')).toEqual(['x', ' x '])
  })

  it('skips a byte order mark at the beginning and nowhere else', () => {
    expect(data('\ufeffdata: a\n\n\ufeffdata: b\n\ndata: c\n\n')).toEqual(['a', 'c'])
  })

  it('ignores comments and unknown fields', () => {
    expect(data(': keep alive\n\ndatum: x\ndataset: y\nDATA: z\ndata: a\n\n')).toEqual(['a'])
  })

  it('reads type, id and retry, and forgets them after the event', () => {
    const events = parse([octets('event: message\nid: 7\nretry: 250\ndata: a\n\ndata: b\n\n')])
    expect(events.map(({ type, id, retryMs }) => ({ type, id, retryMs }))).toEqual([
      { type: 'message', id: '7', retryMs: 250 },
      { type: '', id: undefined, retryMs: undefined },
    ])
  })

  it('tells an event without data only for its id or its retry', () => {
    expect(parse([octets('id: 1\ndata:\n\nevent: x\n\nretry: 5\n\n')])).toMatchObject([
      { id: '1', data: new Uint8Array(0) },
      { retryMs: 5 },
    ])
  })

  it('ignores an id with NUL and a retry that is no number', () => {
    expect(parse([octets('id: a\0b\nretry: 1s\ndata: x\n\n')])).toMatchObject([{ id: undefined, retryMs: undefined }])
  })

  it(`${requirement('MCP-002')} leaves the octets of data alone, whatever they are`, () => {
    const value = Uint8Array.of(0xff, 0xfe, 0x00, 0xc3, 0x28, 0x20)
    const stream = Uint8Array.from([...octets('data: '), ...value, ...octets('\n\n')])
    expect(parse([stream])[0]?.data).toEqual(value)
  })

  it('gives a line inside one chunk without a copy', () => {
    const stream = octets('data: abc\n\n')
    expect(parse([stream])[0]?.data.buffer).toBe(stream.buffer)
  })

  it('reads the same events however the stream is split', () => {
    const line = fc.constantFrom('data: a', 'data:', 'data', ': c', 'id: 1', 'event: message', 'data: \ufeffé€', '', '')
    const end = fc.constantFrom('\n', '\r', '\r\n')
    const stream = fc
      .array(fc.tuple(line, end), { maxLength: 20 })
      .map((lines) => octets(lines.map(([content, terminator]) => content + terminator).join('')))
    fc.assert(
      fc.property(stream, fc.array(fc.nat(200), { maxLength: 8 }), (whole, cuts) => {
        const bounds = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length]
        const pieces = bounds.slice(1).map((bound, i) => whole.subarray(bounds[i], bound))
        const told = (events: SseEvent[]) => events.map((event) => ({ ...event, data: text(event.data) }))
        expect(told(parse(pieces))).toEqual(told(parse([whole])))
      }),
    )
  })

  it('stops between events, so that a reader can pause', () => {
    const parser = new SseParser({ maxEventOctets: 100 })
    parser.push(octets('data: a\n\ndata: b\n\n'))
    expect(text(parser.next()?.data ?? new Uint8Array())).toBe('a')
    parser.push(octets('data: c\n\n'))
    expect(text(parser.next()?.data ?? new Uint8Array())).toBe('b')
    expect(text(parser.next()?.data ?? new Uint8Array())).toBe('c')
    expect(parser.next()).toBeUndefined()
  })

  it('takes an event of the largest size and refuses one octet more, before the line has ended', () => {
    expect(parse([octets(`data: ${'x'.repeat(50)}\n\n`)], 50)).toHaveLength(1)
    expect(() => parse([octets(`data: ${'x'.repeat(51)}`)], 50)).toThrow(LimitError)
    expect(() => parse([octets(`data: ${'x'.repeat(30)}\ndata: ${'x'.repeat(20)}\n\n`)], 50)).toThrow(LimitError)
    expect(() => parse([octets(`: ${'x'.repeat(60)}`)], 50)).toThrow(LimitError)
    expect(() => parse([octets(`${'data\n'.repeat(60)}`)], 50)).toThrow(LimitError)
  })
})
