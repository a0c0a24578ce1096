import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MessageBody } from './message-body.ts'

/** Reads a body in pieces, with room for one message at a time where `slow`. */
function read(kind: 'json' | 'sse', octets: Uint8Array, cuts: readonly number[], slow: boolean): string[] {
  const log: string[] = []
  const body = new MessageBody(
    { kind, maxOctets: 1_000, maxBatchMessages: 10 },
    {
      message: ({ kind: what, octets: text }) => {
        log.push(`${what} ${Buffer.from(text).toString('hex')}`)
        return slow ? 'wait' : 'ok'
      },
      dropped: (reason) => log.push(reason),
      otherEvent: ({ type }) => log.push(`event ${type}`),
      tooLarge: () => log.push('too large'),
      finished: () => log.push('finished'),
    },
  )
  const bounds = [0, ...cuts.map((cut) => Math.min(cut, octets.length)).sort((a, b) => a - b), octets.length]
  for (const [n, bound] of bounds.slice(1).entries()) body.push(octets.subarray(bounds[n], bound))
  body.end(true)
  while (slow && !['finished', 'too large'].includes(log.at(-1) ?? '')) body.resume()
  return log
}

const piece = fc.constantFrom(
  'data: ',
  '\n',
  '\n\n',
  '\r\r',
  'event: x\n',
  'id: 1\n',
  '[',
  ']',
  ',',
  '{"jsonrpc":"2.0","method":"m"}',
  '{"jsonrpc":"2.0","id":1,"method":"m"}',
  '{"jsonrpc":"2.0","id":1.0,"result":"é"}',
  '{"jsonrpc":"2.0","id":null,"error":{}}',
  '{"jsonrpc":"2.0"',
  '\ufeff',
  '\ud800',
  'x'.repeat(600),
)
const octets = fc.oneof(
  fc.array(piece, { maxLength: 20 }).map((pieces) => Uint8Array.from(Buffer.from(pieces.join('')))),
  fc.uint8Array({ maxLength: 200 }),
)
const cuts = fc.array(fc.nat(400), { maxLength: 8 })

describe.each(['json', 'sse'] as const)('a body of %s', (kind) => {
  it('has one end and never throws, whatever stands in it', () => {
    fc.assert(
      fc.property(octets, cuts, (whole, at) => {
        const ends = read(kind, whole, at, false).filter((line) => line === 'finished' || line === 'too large')
        expect(ends).toHaveLength(1)
      }),
    )
  })

  it('says the same however it is split, and however slowly it is taken', () => {
    fc.assert(
      fc.property(octets, cuts, (whole, at) => {
        const told = read(kind, whole, [], false)
        expect(read(kind, whole, at, false)).toEqual(told)
        expect(read(kind, whole, at, true)).toEqual(told)
      }),
    )
  })
})
