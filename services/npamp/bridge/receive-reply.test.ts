import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import type { SentFrame } from '../../../test/fixtures/npamp/association-double.ts'
import { answer, BridgeEnd, call, only, text, utf8 } from '../../../test/fixtures/npamp/bridge-ends.ts'
import { octets } from '../../../test/fixtures/npamp/hex.ts'
import { concatOctets } from '../wire/octets.ts'
import { MESSAGE_KIND } from './contract.ts'
import { FRAME_TYPE_OF } from './envelope.ts'
import { encodePayload } from './payload.ts'

interface Wire {
  readonly protocolId?: number
  readonly contentType?: number
  readonly id?: string
  readonly method?: string
  readonly extensions?: ReadonlyMap<number, Uint8Array>
  readonly foreign?: string | Uint8Array
}

function wire(kind: 1 | 2 | 4, fields: Wire): SentFrame {
  const envelope = {
    protocolId: fields.protocolId ?? 1,
    kind,
    contentType: fields.contentType ?? 1,
    flags: 0,
    correlationId: utf8(fields.id ?? '1'),
    method: fields.method ?? '',
  }
  const foreign = typeof fields.foreign === 'string' ? utf8(fields.foreign) : (fields.foreign ?? utf8(answer('1')))
  const parts = { envelope, label: undefined, extensions: fields.extensions ?? new Map(), foreign }
  return { type: FRAME_TYPE_OF[kind], payload: concatOctets(encodePayload(parts)), sequence: 0n, ordinal: 0 }
}

const request = () => wire(MESSAGE_KIND.REQUEST, { method: 'tools/call', foreign: call('1') })
const response = (fields: Wire = {}) => wire(MESSAGE_KIND.RESPONSE, fields)
const error = (fields: Wire = {}) => wire(MESSAGE_KIND.ERROR, fields)

/** An end with the request `1` on its way. */
function waiting(id = '1'): BridgeEnd {
  const end = new BridgeEnd()
  end.request(call(id))
  end.association.takeAll()
  return end
}

describe('a large reply', () => {
  it('lies in the memory of its frame, which can be given back', () => {
    const foreign = answer('1', JSON.stringify('x'.repeat(100_000)))
    const event = only(waiting().receive(response({ foreign })), 'reply')
    expect(text(event.octets)).toBe(foreign)
    event.release?.()
    expect([event.octets.length, event.message.text.length]).toEqual([0, 0])
  })

  it('is told when it was sealed, so that its memory can be given back', () => {
    const end = new BridgeEnd()
    const { exchange } = only(end.receive(request()), 'request')
    let sealed = 0
    const onTaken = () => {
      sealed += 1
    }
    end.bridge.respond(exchange, { kind: 'result', octets: utf8(answer('1')), onTaken }, end.now)
    expect(sealed).toBe(0)
    end.association.takeAll()
    expect(sealed).toBe(1)
  })
})

describe('a malformed reply fails its exchange here and sends nothing', () => {
  const foreignError = '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}'
  const rows: [string, SentFrame][] = [
    [`${requirement('RPC-012')} with the id of another request`, response({ foreign: answer('2') })],
    [`${requirement('RPC-012')} with the id in another JSON type`, response({ foreign: answer('"1"') })],
    ['with a result of id null', response({ foreign: answer('null') })],
    ['with an error of another id', error({ foreign: '{"jsonrpc":"2.0","id":2,"error":{}}' })],
    [`${requirement('RPC-004')} without jsonrpc`, response({ foreign: '{"id":1,"result":1}' })],
    ['that is no JSON', response({ foreign: 'x' })],
    ['with an error in a RESPONSE', response({ foreign: foreignError })],
    ['with a result in an ERROR', error({ foreign: answer('1') })],
    ['that is a request', response({ foreign: call('1') })],
    ['that is a batch', response({ foreign: `[${answer('1')}]` })],
    [`${requirement('MCP-010')} that names a method`, response({ method: 'tools/call' })],
    [
      `${requirement('MCP-010')} that names a method, with an error`,
      error({ method: 'tools/call', foreign: foreignError }),
    ],
    ['of another protocol', response({ protocolId: 2 })],
    ['of the null protocol', response({ protocolId: 0 })],
    ['of another content type', response({ contentType: 2 })],
    ['with a transport error of another content type', error({ contentType: 2, foreign: octets('0400') })],
    ['with a malformed extension', response({ extensions: new Map([[0x4352, octets('80')]]) })],
    ['whose kind contradicts its type', { ...response(), type: 0x0102 }],
  ]
  it.each(rows)('%s', (_, frame) => {
    const end = waiting()
    const failed = only(end.receive(frame), 'failed')
    expect(failed).toMatchObject({ by: 'local', failure: { code: 1, outcome: 1 }, exchange: { state: 'over' } })
    expect([end.association.waiting, end.association.errors.length]).toEqual([0, 0])
    expect([end.dropped('malformed_reply'), end.bridge.openExchanges]).toEqual([1, 0])
  })

  it('or is dropped where it names no exchange', () => {
    const end = waiting()
    for (const payload of ['', '00100006010201000000', '0010000401020100'])
      expect(end.receive({ ...response(), payload: octets(payload) })).toEqual([])
    expect([end.dropped('malformed_reply'), end.bridge.openExchanges]).toEqual([3, 1])
    expect([end.association.waiting, end.association.errors.length]).toEqual([0, 0])
  })
})

describe('a reply that nobody waits for is dropped and counted', () => {
  it('with an unknown correlation id', () => {
    const end = waiting()
    expect(end.receive(response({ id: '2' }), error({ id: '1 ' }))).toEqual([])
    expect([end.dropped('unknown_correlation'), end.bridge.openExchanges]).toEqual([2, 1])
  })

  it(`${requirement('RPC-009')} after the first one`, () => {
    const end = waiting()
    expect(end.receive(response(), response(), error({ foreign: octets('0400') }))).toHaveLength(1)
    expect(end.dropped('unknown_correlation')).toBe(2)
  })

  it('before the request has left: that request can still be called not sent', () => {
    const end = new BridgeEnd()
    const mine = end.request(call('1'))
    expect(end.receive(response())).toEqual([])
    expect([end.dropped('early_reply'), mine.state]).toEqual([1, 'queued'])
  })

  it('where the peer itself opened the exchange of that id', () => {
    const end = new BridgeEnd()
    const frame = { ...response({ foreign: call('1'), method: 'tools/call' }), type: 0x0100 }
    frame.payload[5] = 1
    expect(end.receive(frame)).toHaveLength(1)
    expect(end.receive(response())).toEqual([])
    expect(end.bridge.openExchanges).toBe(1)
  })
})

describe('a reply that fits', () => {
  it.each([
    ['1', '1.0'],
    ['1e2', '100'],
    ['"a"', '"\\u0061"'],
    ['9007199254740993', '9007199254740993'],
    ['null', 'null'],
  ])(`${requirement('RPC-011')} may spell the id %s as %s`, (id, spelled) => {
    const end = waiting(id)
    expect(text(only(end.receive(response({ id, foreign: answer(spelled) })), 'reply').octets)).toBe(answer(spelled))
  })

  it('may name a method and carry extensions of other frames, which mean nothing', () => {
    const end = waiting()
    const extensions = new Map([[0x4356, octets('0100')]])
    expect(end.receive(response({ method: 'tools/call', extensions }))).toHaveLength(1)
    expect(end.dropped('misplaced_extension')).toBe(1)
    const other = waiting()
    const foreign = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}'
    expect(only(other.receive(error({ foreign, extensions })), 'reply').kind).toBe('error')
    expect(other.dropped('misplaced_extension')).toBe(1)
  })

  it(`${requirement('RPC-015')} with a foreign error is never a transport failure, whatever its code`, () => {
    for (const code of [1, 2, 3, 4, 5, -32700, -32601, -33110]) {
      const foreign = `{"jsonrpc":"2.0","id":1,"error":{"code":${code},"message":""}}`
      expect(only(waiting().receive(error({ foreign })), 'reply').kind).toBe('error')
    }
  })

  it('with a DeliveryOutcome of another length or value counts as without one', () => {
    for (const value of ['01', '010000', '0900', '0009']) {
      const extensions = new Map([[0x4356, octets(value)]])
      const failed = only(waiting().receive(error({ foreign: octets('0300'), extensions })), 'failed')
      expect(failed.failure).toMatchObject({ code: 3, outcome: 0, reason: 0 })
    }
  })
})
