import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SentFrame } from '../../../test/fixtures/npamp/association-double.ts'
import {
  answer,
  BridgeEnd,
  call,
  FOREIGN_PEER,
  only,
  RELAY_PEER,
  text,
  utf8,
} from '../../../test/fixtures/npamp/bridge-ends.ts'
import { hex, octets } from '../../../test/fixtures/npamp/hex.ts'
import { PROTOCOL } from '../codepoints/protocols.ts'
import { concatOctets } from '../wire/octets.ts'
import { MESSAGE_KIND } from './contract.ts'
import { FRAME_TYPE_OF, type MessageKind } from './envelope.ts'
import { decodePayload, encodePayload } from './payload.ts'
import { decodeTransportError } from './transport-error.ts'

interface Wire {
  readonly protocolId?: number
  readonly contentType?: number
  readonly id?: string
  readonly method?: string
  readonly flags?: number
  readonly extensions?: ReadonlyMap<number, Uint8Array>
  readonly foreign?: string
}

let sequence = 0n

function wire(kind: MessageKind, fields: Wire = {}): SentFrame {
  const envelope = {
    protocolId: fields.protocolId ?? 1,
    kind,
    contentType: fields.contentType ?? 1,
    flags: fields.flags ?? 0,
    correlationId: utf8(kind === MESSAGE_KIND.NOTIFY ? '' : (fields.id ?? '7')),
    method: fields.method ?? 'tools/call',
  }
  const foreign = utf8(fields.foreign ?? call('7'))
  const parts = { envelope, label: undefined, extensions: fields.extensions ?? new Map(), foreign }
  return raw(FRAME_TYPE_OF[kind], concatOctets(encodePayload(parts)))
}

function raw(type: number, payload: Uint8Array): SentFrame {
  sequence += 1n
  return { type, payload, sequence, ordinal: 1 }
}

const request = (fields?: Wire) => wire(MESSAGE_KIND.REQUEST, fields)
const notification = (fields?: Wire) =>
  wire(MESSAGE_KIND.NOTIFY, { method: 'n', foreign: '{"jsonrpc":"2.0","method":"n"}', ...fields })

/** The transport error code that the end answers with; undefined where it stays silent. */
function refusalOf(end: BridgeEnd, frame: SentFrame): number | undefined {
  expect(end.receive(frame)).toEqual([])
  const [sent, ...more] = end.association.takeAll()
  expect(more).toEqual([])
  if (sent === undefined) return undefined
  expect(sent.type).toBe(0x0102)
  const { envelope, foreign } = decodePayload(sent.payload, sent.type, new Set([0x4356]))
  expect(envelope.method).toBe('')
  return decodeTransportError(foreign)?.code
}

describe('a request is answered EnvelopeMalformed', () => {
  const rows: [string, Wire][] = [
    [`${requirement('RPC-004')} where jsonrpc is missing`, { foreign: '{"id":7,"method":"tools/call"}' }],
    [
      `${requirement('RPC-004')} where jsonrpc is not 2.0`,
      { foreign: '{"jsonrpc":"2.1","id":7,"method":"tools/call"}' },
    ],
    [`${requirement('RPC-007')} where the envelope names another method`, { method: 'tools/list' }],
    [`${requirement('RPC-007')} where the envelope names no method`, { method: '' }],
    [`${requirement('RPC-002')} where its content type is not JSON`, { contentType: 2 }],
    ['where its content type is none of the three', { contentType: 9 }],
    [`${requirement('RPC-030')} where it is a batch`, { foreign: `[${call('7')}]` }],
    ['where it is no object', { foreign: '7' }],
    ['where it has no id', { foreign: '{"jsonrpc":"2.0","method":"tools/call"}' }],
    ['where it is a response', { foreign: answer('7') }],
    ['where its id is an object', { foreign: '{"jsonrpc":"2.0","id":{},"method":"tools/call"}' }],
    ['where a member appears twice', { foreign: '{"jsonrpc":"2.0","id":7,"id":7,"method":"tools/call"}' }],
    [`${requirement('REG-002')} where its protocol is the null id`, { protocolId: 0 }],
    ['where an extension has a wrong value', { extensions: new Map([[0x4355, octets('a0')]]) }],
    ['where service parameters have too many entries', { extensions: new Map([[0x4352, octets('b90100')]]) }],
  ]
  it.each(rows)('%s', (_, fields) => {
    const end = new BridgeEnd()
    expect(refusalOf(end, request(fields))).toBe(1)
    expect(end.bridge.openExchanges).toBe(0)
    expect(end.dropped('malformed_request')).toBe(1)
  })

  it(`${requirement('BRG-008')} where its structure is wrong but its correlation id can be read`, () => {
    const end = new BridgeEnd()
    const wrongKind = octets('0010000701020100013700')
    expect(refusalOf(end, raw(0x0100, wrongKind))).toBe(1)
    expect(refusalOf(end, raw(0x0100, octets('0010000701010100013705')))).toBe(1)
    expect(end.association.errors).toEqual([])
  })

  it('with the outcome that nothing was done', () => {
    const end = new BridgeEnd()
    end.receive(request({ contentType: 2 }))
    const [sent] = end.association.takeAll()
    expect(
      sent && hex(decodePayload(sent.payload, sent.type, new Set([0x4356])).extensions.get(0x4356) ?? utf8('')),
    ).toBe('0000')
  })
})

it(`${requirement('BRG-008')} a request without a readable correlation id gets an ERROR frame of the core`, () => {
  const end = new BridgeEnd()
  for (const payload of ['', '00', '00130002 0000', '0010000601010100 0000', '00100004 01010100'])
    expect(refusalOf(end, raw(0x0100, octets(payload)))).toBeUndefined()
  expect(end.association.errors.map((error) => [error.channel, error.code, error.type])).toEqual(
    Array.from({ length: 5 }, () => [0x000d, 1, 0x0100]),
  )
})

describe('a protocol that is not carried', () => {
  it(`${requirement('REG-006', 'REG-015', 'MCP-003')} is answered ProtocolUnsupported, whatever else the request says`, () => {
    const end = new BridgeEnd()
    for (const protocolId of [2, 3, 4, 5, 0x0f, 0x10, 0x7f, 0x80, 0xff]) {
      expect(refusalOf(end, request({ protocolId }))).toBe(2)
      expect(refusalOf(end, request({ protocolId, contentType: 9, foreign: 'x' }))).toBe(2)
    }
    expect(end.bridge.openExchanges).toBe(0)
  })

  it(`${requirement('REG-009', 'MCP-004')} is told by protocol_id alone: an MCP method does not make it MCP`, () => {
    const end = new BridgeEnd({ ...RELAY_PEER, protocols: [PROTOCOL.A2A] })
    expect(refusalOf(end, request())).toBe(2)
    expect(only(end.receive(request({ protocolId: 2 })), 'request').exchange.protocolId).toBe(2)
  })

  it('is answered so where it is usable by name but no class of ours carries it', () => {
    const end = new BridgeEnd({ ...FOREIGN_PEER, protocols: [PROTOCOL.MCP, PROTOCOL.WEBSOCKET, 0x80] })
    expect(refusalOf(end, request({ protocolId: PROTOCOL.WEBSOCKET }))).toBe(2)
    expect(refusalOf(end, request({ protocolId: 0x80 }))).toBe(2)
  })

  it('is every protocol before the HELLO of the peer', () => {
    const end = new BridgeEnd('silent')
    expect(refusalOf(end, request())).toBe(2)
    expect(end.receive(notification())).toEqual([])
    expect(end.dropped('unsupported_notification')).toBe(1)
    end.handle({ type: 'ready', peer: RELAY_PEER })
    expect(only(end.receive(request()), 'request').exchange.method).toBe('tools/call')
  })

  it(`${requirement('REG-007', 'REG-008')} is dropped and counted where it is a notification`, () => {
    const end = new BridgeEnd()
    expect(end.receive(notification({ protocolId: 2 }), notification({ protocolId: 0x80 }))).toEqual([])
    expect(end.dropped('unsupported_notification')).toBe(2)
    expect(end.association.waiting).toBe(0)
  })
})

describe('a request that is taken', () => {
  it('goes on where it is no JSON at all: its endpoint answers that', () => {
    const end = new BridgeEnd()
    const event = only(end.receive(request({ foreign: '{"jsonrpc":' })), 'request')
    expect([event.message, text(event.octets), event.exchange.idToken]).toEqual([undefined, '{"jsonrpc":', undefined])
    const error = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'
    expect(end.bridge.respond(event.exchange, { kind: 'error', octets: utf8(error) }, 0)).toBe('queued')
  })

  it(`${requirement('BRG-009')} may have reserved flags`, () => {
    expect(new BridgeEnd().receive(request({ flags: 0xff }))).toHaveLength(1)
  })

  it(`${requirement('RPC-024')} may have any correlation id: it means nothing`, () => {
    const end = new BridgeEnd()
    const event = only(end.receive(request({ id: '\u0000any "8" octets' })), 'request')
    expect(text(event.exchange.idToken)).toBe('7')
    end.result(event.exchange, answer('7'))
    const [sent] = end.association.takeAll()
    expect(sent && text(decodePayload(sent.payload, sent.type).envelope.correlationId)).toBe('\u0000any "8" octets')
  })

  it('holds copies of what it keeps, not the frame', () => {
    const frame = request({ extensions: new Map([[0x4355, octets('a20061610150000102030405060708090a0b0c0d0e0f')]]) })
    const { exchange } = only(new BridgeEnd().receive(frame), 'request')
    frame.payload.fill(0)
    expect([text(exchange.idToken), text(exchange.correlationId)]).toEqual(['7', '7'])
    expect(hex(exchange.route?.session ?? utf8(''))).toBe('000102030405060708090a0b0c0d0e0f')
  })

  it('may have extensions that belong elsewhere: ignored and counted', () => {
    const end = new BridgeEnd()
    expect(end.receive(request({ extensions: new Map([[0x4356, octets('ffffff')]]) }))).toHaveLength(1)
    expect(end.dropped('misplaced_extension')).toBe(1)
  })

  it('from a peer without HELLO has no extensions: their octets are foreign', () => {
    const end = new BridgeEnd(FOREIGN_PEER)
    const event = only(end.receive(request({ extensions: new Map([[0x4355, octets('a1006161')]]) })), 'request')
    expect([event.message, event.exchange.route]).toEqual([undefined, undefined])
    expect(hex(event.octets).startsWith('43550004a1006161')).toBe(true)
  })
})

describe('a correlation id that is open already', () => {
  it(`${requirement('BRG-012')} is reported as ERROR 8 and the frame dropped; the first exchange lives on`, () => {
    const end = new BridgeEnd()
    const { exchange } = only(end.receive(request()), 'request')
    const duplicates = [request(), request({ contentType: 9 }), request({ protocolId: 0 }), request({ protocolId: 2 })]
    for (const duplicate of duplicates) expect(refusalOf(end, duplicate)).toBeUndefined()
    expect(refusalOf(end, raw(0x0100, octets('0010000701020100013700')))).toBeUndefined()
    expect(end.association.errors.map((error) => error.code)).toEqual([8, 8, 8, 8, 8])
    expect(end.association.errors[0]?.sequence).toBe(duplicates[0]?.sequence)
    expect(end.result(exchange, answer('7'))).toBe('queued')
    end.association.takeAll()
    expect(end.receive(request())).toHaveLength(1)
  })
})

describe('bounds on what a peer can open', () => {
  it('one request more than may be open is answered NotDelivered, quota exceeded, not delivered', () => {
    const end = new BridgeEnd(RELAY_PEER, { maxOpenIncoming: 2 })
    expect(end.receive(request({ id: 'a' }), request({ id: 'b' }))).toHaveLength(2)
    expect(end.receive(request({ id: 'c' }))).toEqual([])
    const [sent] = end.association.takeAll()
    if (sent === undefined) throw new Error('nothing was sent')
    const { extensions, foreign } = decodePayload(sent.payload, sent.type, new Set([0x4356]))
    expect([decodeTransportError(foreign)?.code, hex(extensions.get(0x4356) ?? utf8(''))]).toEqual([4, '0003'])
  })

  it('a peer that provokes refusals and reads none is cut off', () => {
    const end = new BridgeEnd(RELAY_PEER, { maxOpenIncoming: 100 })
    for (let count = 0; count < 4196; count++) end.receive(request({ protocolId: 2 }))
    expect(end.association.abortedWith).toBeUndefined()
    end.association.takeAll()
    for (let count = 0; count < 4197; count++) end.receive(request({ protocolId: 2 }))
    expect(end.association.abortedWith?.code).toBe('RATE')
  })

  it('so is one whose exchanges are refused by whoever takes them, once far more of that waits than can be open at a time', () => {
    const end = new BridgeEnd(RELAY_PEER, { maxOpenIncoming: 100 })
    const failOne = (id: number) => {
      const { exchange } = only(end.receive(request({ id: `x${id}` })), 'request')
      return end.bridge.fail(exchange, { code: 3, message: 'no such target' }, end.now)
    }
    for (let count = 0; count < 4196; count++) expect(failOne(count)).toBe('queued')
    end.association.takeAll()
    for (let count = 0; count < 4196; count++) expect(failOne(count)).toBe('queued')
    expect(end.association.abortedWith).toBeUndefined()
    expect(failOne(4196)).toBe('dropped')
    expect(end.association.abortedWith?.code).toBe('RATE')
  })
})

describe('a notification that is malformed is dropped and counted, and nothing is sent', () => {
  const rows: [string, Wire][] = [
    [`${requirement('RPC-019')} with an id`, { foreign: call('7', 'n') }],
    [`${requirement('RPC-007')} with another method than its envelope`, { method: 'm' }],
    [`${requirement('RPC-020')} that is no JSON`, { foreign: 'x' }],
    ['that is a response', { foreign: answer('1') }],
    ['of another content type', { contentType: 2 }],
    ['of the null protocol', { protocolId: 0 }],
    ['with a malformed extension', { extensions: new Map([[0x4353, octets('09')]]) }],
  ]
  it.each(rows)('%s', (_, fields) => {
    const end = new BridgeEnd()
    expect(end.receive(notification(fields))).toEqual([])
    expect(end.dropped('malformed_notification')).toBe(1)
    expect([end.association.waiting, end.association.errors.length]).toEqual([0, 0])
  })

  it(`${requirement('BRG-026', 'MCP-009')} also where even its structure is wrong`, () => {
    const end = new BridgeEnd()
    for (const payload of ['', '00100007010301000137 00', '00100006010101000000'])
      expect(end.receive(raw(0x0103, octets(payload)))).toEqual([])
    expect(end.dropped('malformed_notification')).toBe(3)
    expect([end.association.waiting, end.association.errors.length]).toEqual([0, 0])
  })
})

describe('other frames of the Bridge channel', () => {
  it('stream frames belong to no exchange of a class without streams: dropped and counted', () => {
    const end = new BridgeEnd()
    const mine = end.request(call('7'))
    end.association.takeAll()
    expect(end.receive(wire(MESSAGE_KIND.STREAM_DATA), wire(MESSAGE_KIND.STREAM_END))).toEqual([])
    expect(end.dropped('stream_frame')).toBe(2)
    expect(mine.state).toBe('sent')
  })

  it(`${requirement('BRG-004')} of an unknown type are dropped, counted, and reported once`, () => {
    const end = new BridgeEnd()
    expect(end.receive(raw(0x0106, octets('')), raw(0x0106, octets('')), raw(0x0200, octets('')))).toEqual([])
    expect(end.dropped('unknown_frame_type')).toBe(3)
    expect(end.association.errors.map((error) => [error.code, error.type])).toEqual([
      [2, 0x0106],
      [2, 0x0200],
    ])
  })

  it('frames of other channels are not the concern of the Bridge', () => {
    const end = new BridgeEnd()
    const { payload } = request()
    const event = { type: 'frame', channel: 0x0010, frameType: 0x0100, sequence: 0n, payload, ordinal: 0 } as const
    expect(end.handle(event)).toEqual([])
    expect(end.bridge.counters.requestsReceived).toBe(0)
  })
})

it('no octets of a peer make the Bridge throw', () => {
  const likely = fc
    .tuple(fc.constantFrom(...Object.values(MESSAGE_KIND)), fc.constantFrom(0, 1, 2, 9), fc.json(), fc.uint8Array())
    .map(([kind, protocolId, foreign, tail]) => {
      const frame = wire(kind, { protocolId, foreign })
      return { ...frame, payload: concatOctets([frame.payload, tail]) }
    })
  const wild = fc
    .tuple(fc.integer({ min: 0x00ff, max: 0x0107 }), fc.uint8Array({ maxLength: 60 }))
    .map(([type, payload]) => raw(type, payload))
  fc.assert(
    fc.property(fc.array(fc.oneof(likely, wild), { maxLength: 8 }), (frames) => {
      const end = new BridgeEnd()
      end.request(call('7'))
      end.association.takeAll()
      end.receive(...frames)
    }),
  )
})

it('every request that is cut anywhere gets one answer at most, and never becomes an exchange unnoticed', () => {
  const whole = request({ extensions: new Map([[0x4355, octets('a1006161')]]) }).payload
  for (let end = 0; end < whole.length; end++) {
    const receiver = new BridgeEnd()
    const events = receiver.receive(raw(0x0100, whole.subarray(0, end)))
    const answered = receiver.association.takeAll().length + receiver.association.errors.length
    expect(events.length + answered).toBe(1)
    // Cut inside the JSON text, it is the endpoint's to answer.
    for (const event of events) expect(event).toMatchObject({ type: 'request', message: undefined })
  }
})
