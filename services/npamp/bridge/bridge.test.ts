import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import {
  answer,
  BridgeEnd,
  BridgePair,
  call,
  FOREIGN_PEER,
  only,
  text,
  utf8,
} from '../../../test/fixtures/npamp/bridge-ends.ts'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex } from '../../../test/fixtures/npamp/hex.ts'
import { decodePayload } from './payload.ts'

const session = new Uint8Array(16).fill(9)
const route = { target: 'tools', session }

describe('a request', () => {
  it(`${requirement('RPC-005', 'RPC-002', 'RPC-006', 'RPC-008', 'BRG-002', 'MCP-001', 'MCP-006', 'MCP-010')} crosses as a REQUEST frame with flags 0, its method and its id`, () => {
    const { near } = new BridgePair()
    near.request(call('7', 'tools\\/list'), { label: { effect: 1, scope: 's' } })
    const [frame] = near.association.takeAll()
    if (frame === undefined) throw new Error('nothing was sent')
    expect(frame.type).toBe(0x0100)
    const { envelope, label, foreign } = decodePayload(frame.payload, frame.type)
    expect(envelope).toEqual({
      protocolId: 1,
      kind: 1,
      contentType: 1,
      flags: 0,
      correlationId: utf8('7'),
      method: 'tools/list',
    })
    expect(label).toEqual({ effect: 1, scope: 's' })
    expect(text(foreign)).toBe(call('7', 'tools\\/list'))
  })

  it(`${requirement('BRG-021', 'RPC-028', 'MCP-023')} always has a SafetyLabel, read_only ones too`, () => {
    const { theirs } = new BridgePair().open(call('1', 'ping'))
    expect(theirs.label).toEqual({ effect: 0, scope: '' })
  })

  it(`${requirement('RPC-001')} keeps every octet of its spelling; only blanks around it stay behind`, () => {
    const pair = new BridgePair()
    const odd = '{ "params" :{"n":1.0e+2,"n":[ ]},\t"method":"m", "id":-0.50 ,"jsonrpc":"\\u0032.0"}'
    pair.near.request(`\r\n ${odd}\n`)
    const event = only(pair.toFar(), 'request')
    expect(text(event.octets)).toBe(odd)
    expect(text(event.exchange.idToken)).toBe('-0.50')
  })

  it('brings target, session, parameters and ordinal along', () => {
    const pair = new BridgePair()
    const parameters = new Map([
      ['mcp-name', 'echo'],
      ['authorization', 'Bearer x'],
      ['x-tenant', 'a'],
    ])
    const mine = pair.near.request(call('1'), { route, parameters })
    expect(mine.ordinal).toBe(0)
    const event = only(pair.toFar(), 'request')
    expect(event.exchange.route).toEqual(route)
    expect([...event.parameters.keys()]).toEqual(['mcp-name', 'x-tenant'])
    expect(pair.near.dropped('parameter')).toBe(1)
    expect([mine.ordinal, event.exchange.ordinal]).toEqual([1, 1])
  })

  it(`${requirement('BRG-011', 'MCP-012')} may come from either end, with the same id at the same time`, () => {
    const pair = new BridgePair()
    const { mine, theirs } = pair.open(call('1'))
    pair.far.request(call('1', 'roots/list'))
    const reverse = only(pair.toNear(), 'request').exchange
    pair.near.result(reverse, answer('1', '"roots"'))
    expect(text(only(pair.toFar(), 'reply').octets)).toBe(answer('1', '"roots"'))
    expect(mine.state).toBe('sent')
    pair.far.result(theirs, answer('1'))
    expect(only(pair.toNear(), 'reply').exchange).toBe(mine)
  })

  it(`${requirement('RPC-026')} with id null is a request, and two of them have two correlation ids`, () => {
    const pair = new BridgePair()
    const first = pair.open(call('null'))
    const second = pair.open(call('null'))
    expect(text(first.mine.correlationId)).toBe('null')
    expect(text(second.mine.correlationId)).toBe('null#0000000000000001')
    expect(text(second.theirs.idToken)).toBe('null')
  })

  it('may name the exchange it belongs to', () => {
    const pair = new BridgePair()
    const { mine, theirs } = pair.open(call('1'))
    pair.far.request(call('5', 'sampling/createMessage'), { related: theirs })
    expect(only(pair.toNear(), 'request').related).toBe(mine)
  })
})

describe('a reply', () => {
  it(`${requirement('RPC-010', 'BRG-013', 'MCP-007')} with a result is a RESPONSE of the same protocol, without method, echoing the id`, () => {
    const pair = new BridgePair()
    const { theirs } = pair.open(call('"a"'))
    expect(pair.far.result(theirs, answer('"a"'))).toBe('queued')
    const [frame] = pair.far.association.takeAll()
    if (frame === undefined) throw new Error('nothing was sent')
    expect(frame.type).toBe(0x0101)
    const { envelope, label } = decodePayload(frame.payload, frame.type)
    expect(envelope).toEqual({
      protocolId: 1,
      kind: 2,
      contentType: 1,
      flags: 0,
      correlationId: utf8('"a"'),
      method: '',
    })
    expect(label).toBeUndefined()
  })

  it(`${requirement('BRG-016', 'BRG-017', 'RPC-013', 'RPC-014', 'MCP-008', 'MCP-011')} with an error is an ERROR that carries the foreign error as it stands`, () => {
    const pair = new BridgePair()
    const { mine, theirs } = pair.open(call('1'))
    const error = '{"jsonrpc":"2.0","id":1,"error":{"data":{"n":1.00},"message":"né","code":-32042}}'
    pair.far.bridge.respond(theirs, { kind: 'error', octets: utf8(error) }, pair.far.now)
    const [frame] = pair.far.association.takeAll()
    if (frame === undefined) throw new Error('nothing was sent')
    expect(frame.type).toBe(0x0102)
    expect(decodePayload(frame.payload, frame.type).envelope).toMatchObject({ kind: 4, method: '' })
    const reply = only(pair.near.receive(frame), 'reply')
    expect([reply.exchange, reply.kind, text(reply.octets)]).toEqual([mine, 'error', error])
  })

  it(`${requirement('BRG-014')} is matched by correlation id, in whatever order replies come`, () => {
    const pair = new BridgePair()
    const opened = ['1', '2', '3'].map((id) => pair.open(call(id)))
    for (const { theirs } of [...opened].reverse()) pair.far.result(theirs, answer(text(theirs.idToken)))
    const frames = pair.far.association.takeAll()
    const [third, second, first] = frames
    if (first === undefined || second === undefined || third === undefined) throw new Error('three replies expected')
    const exchanges = pair.near.receive(second, first, third).map((event) => event.type === 'reply' && event.exchange)
    expect(exchanges).toEqual([opened[1]?.mine, opened[0]?.mine, opened[2]?.mine])
  })

  it('brings status and retry-after, and no other parameter', () => {
    const pair = new BridgePair()
    const { theirs } = pair.open(call('1'))
    const parameters = new Map([
      [':status', '429'],
      ['retry-after', '5'],
      ['set-cookie', 'x'],
    ])
    pair.far.bridge.respond(theirs, { kind: 'result', octets: utf8(answer('1')), parameters }, pair.far.now)
    const reply = only(pair.toNear(), 'reply')
    expect([...reply.parameters]).toEqual([
      [':status', '429'],
      ['retry-after', '5'],
    ])
  })

  it(`${requirement('RPC-009')} is sent once: a second answer is dropped and counted`, () => {
    const pair = new BridgePair()
    const { theirs } = pair.open(call('1'))
    expect(pair.far.result(theirs, answer('1'))).toBe('queued')
    expect(pair.far.result(theirs, answer('1'))).toBe('dropped')
    expect(pair.far.bridge.fail(theirs, { code: 4, message: 'late' }, pair.far.now)).toBe('dropped')
    expect(pair.far.dropped('reply_after_end')).toBe(2)
    expect(pair.far.association.takeAll()).toHaveLength(1)
  })

  it(`${requirement('RPC-011')} is not sent where it is no answer to that request`, () => {
    const wrong = [
      { kind: 'result' as const, octets: utf8(answer('2')) },
      { kind: 'result' as const, octets: utf8('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}') },
      { kind: 'error' as const, octets: utf8(answer('1')) },
      { kind: 'result' as const, octets: utf8('rubbish') },
    ]
    for (const reply of wrong) {
      const pair = new BridgePair()
      const { mine, theirs } = pair.open(call('1'))
      expect(pair.far.bridge.respond(theirs, reply, pair.far.now)).toBe('replaced')
      expect(only(pair.toNear(), 'failed')).toMatchObject({
        exchange: mine,
        by: 'peer',
        failure: { code: 4, outcome: 1 },
      })
    }
  })

  it(`${requirement('BRG-019')} that is larger than the peer accepts becomes NotDelivered, naming the limit`, () => {
    const pair = new BridgePair()
    const { theirs } = pair.open(call('1'))
    pair.far.association.peerMaxFrameOctets = 70_000
    expect(pair.far.result(theirs, answer('1', `"${'x'.repeat(70_000)}"`))).toBe('replaced')
    const { failure } = only(pair.toNear(), 'failed')
    expect(failure).toMatchObject({ code: 4, outcome: 1 })
    expect(failure.message).toContain('70000')
  })

  it(`${requirement('RPC-027')} with id null answers a request whose id its endpoint could not read`, () => {
    for (const id of ['"id":null,', '']) {
      const pair = new BridgePair()
      const { mine, theirs } = pair.open(call('1'))
      const error = `{"jsonrpc":"2.0",${id}"error":{"code":-32700,"message":"Parse error"}}`
      pair.far.bridge.respond(theirs, { kind: 'error', octets: utf8(error) }, pair.far.now)
      expect(only(pair.toNear(), 'reply').exchange).toBe(mine)
    }
  })

  it(`${requirement('RPC-025')} carries the id of the JSON text, not the correlation id`, () => {
    const pair = new BridgePair()
    pair.open(call('1'))
    const { mine, theirs } = pair.open(call('1'))
    expect(text(mine.correlationId)).toBe('1#0000000000000001')
    expect(text(theirs.idToken)).toBe('1')
    pair.far.result(theirs, answer('1.0'))
    const reply = only(pair.toNear(), 'reply')
    expect([reply.exchange, text(reply.octets)]).toEqual([mine, answer('1.0')])
  })
})

describe('a transport error', () => {
  it(`${requirement('BRG-018', 'RPC-016', 'RPC-017')} says that there is no foreign answer, why, and with what outcome`, () => {
    const pair = new BridgePair()
    const { mine, theirs } = pair.open(call('1'))
    const parameters = new Map([[':status', '502']])
    const input = { code: 4, message: 'the backend is down', outcome: 1, reason: 7, parameters } as const
    expect(pair.far.bridge.fail(theirs, input, pair.far.now)).toBe('queued')
    const [frame] = pair.far.association.takeAll()
    if (frame === undefined) throw new Error('nothing was sent')
    const { envelope, foreign } = decodePayload(frame.payload, frame.type, new Set([0x4352, 0x4356]))
    expect(envelope).toMatchObject({ protocolId: 1, kind: 4, contentType: 1, correlationId: utf8('1'), method: '' })
    expect(hex(foreign)).toBe(`0413${hex(utf8('the backend is down'))}`)
    expect(only(pair.near.receive(frame), 'failed')).toEqual({
      type: 'failed',
      exchange: mine,
      failure: input,
      by: 'peer',
    })
    expect(mine.state).toBe('over')
  })

  it('without DeliveryOutcome means not delivered for codes 2, 3 and 5, else unknown', () => {
    for (const [code, outcome] of [
      [1, 1],
      [2, 0],
      [3, 0],
      [4, 1],
      [5, 0],
    ] as const) {
      const pair = new BridgePair(undefined, FOREIGN_PEER)
      const { theirs } = pair.open(call('1'))
      pair.far.bridge.fail(theirs, { code, message: '' }, pair.far.now)
      const [frame] = pair.far.association.takeAll()
      if (frame === undefined) throw new Error('nothing was sent')
      expect(decodePayload(frame.payload, frame.type, new Set([0x4356])).extensions.size).toBe(0)
      expect(only(pair.near.receive(frame), 'failed').failure).toMatchObject({ code, outcome, reason: 0 })
    }
  })
})

describe('a notification', () => {
  it(`${requirement('RPC-018', 'BRG-015', 'MCP-009')} is a NOTIFY without correlation id, and reaches the other end`, () => {
    const pair = new BridgePair()
    const octets = utf8('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    pair.near.bridge.notify({ protocolId: 1, octets, route })
    const [frame] = pair.near.association.takeAll()
    if (frame === undefined) throw new Error('nothing was sent')
    expect(frame.type).toBe(0x0103)
    expect(decodePayload(frame.payload, frame.type).envelope).toMatchObject({
      kind: 3,
      correlationId: new Uint8Array(0),
      method: 'notifications/initialized',
    })
    const event = only(pair.far.receive(frame), 'notification')
    expect([text(event.octets), event.route, event.related]).toEqual([text(octets), route, undefined])
    expect(pair.far.association.waiting).toBe(0)
  })

  it('belongs to an exchange of either side, as long as that is open', () => {
    const pair = new BridgePair()
    const { mine, theirs } = pair.open(call('1'))
    const octets = utf8('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}')
    pair.far.bridge.notify({ protocolId: 1, octets, related: theirs })
    expect(only(pair.toNear(), 'notification').related).toBe(mine)
    pair.near.bridge.notify({ protocolId: 1, octets, related: mine })
    expect(only(pair.toFar(), 'notification').related).toBe(theirs)
    pair.far.bridge.notify({ protocolId: 1, octets, related: theirs })
    pair.near.bridge.cancel(mine, pair.near.now)
    pair.far.result(theirs, answer('1'))
    const frames = pair.far.association.takeAll()
    expect(pair.near.receive(...frames.reverse()).map((event) => 'related' in event && event.related)).toEqual([
      false,
      undefined,
    ])
  })

  it(`${requirement('RPC-019')} never carries an object with an id`, () => {
    const { near } = new BridgePair()
    expect(failure(() => near.bridge.notify({ protocolId: 1, octets: utf8(call('1')) }))).toBe('malformed/JSON_RPC')
    expect(near.association.waiting).toBe(0)
  })

  it('says nothing of its exchange to a peer that does not read it', () => {
    const pair = new BridgePair(FOREIGN_PEER, FOREIGN_PEER)
    const { mine } = pair.open(call('1'), { route })
    const octets = utf8('{"jsonrpc":"2.0","method":"x"}')
    pair.near.bridge.notify({ protocolId: 1, octets, route, related: mine })
    const event = only(pair.toFar(), 'notification')
    expect([text(event.octets), event.related, event.route]).toEqual([text(octets), undefined, undefined])
  })
})

describe('before a request leaves', () => {
  it(`${requirement('REG-009')} its protocol must be usable with the peer`, () => {
    const silent = new BridgeEnd('silent')
    expect(failure(() => silent.request(call('1')))).toBe('incompatible/NO_HELLO')
    const other = new BridgeEnd({ ...FOREIGN_PEER, protocols: [2] })
    expect(failure(() => other.request(call('1')))).toBe('incompatible/PROTOCOL_UNSUPPORTED')
    const octets = utf8('{"jsonrpc":"2.0","method":"x"}')
    expect(failure(() => other.bridge.notify({ protocolId: 1, octets }))).toBe('incompatible/PROTOCOL_UNSUPPORTED')
    expect(silent.association.waiting + other.association.waiting).toBe(0)
  })

  it(`${requirement('RPC-003', 'RPC-030', 'MCP-005')} it must be one request of its class`, () => {
    const { near } = new BridgePair()
    const code = (octets: string) => failure(() => near.request(octets))
    expect(code('{"id":1,"method":"m"}')).toBe('malformed/JSON_RPC')
    expect(code(`[${call('1')}]`)).toBe('malformed/JSON_RPC')
    expect(code('{"jsonrpc":"2.0","method":"m"}')).toBe('malformed/JSON_RPC')
    expect(code(answer('1'))).toBe('malformed/JSON_RPC')
    expect(code('{')).toBe('malformed/JSON')
    expect(code(call('1', '\\ud800'))).toBe('malformed/JSON_RPC')
    expect(code(call('1', 'm'.repeat(256)))).toBe('malformed/JSON_RPC')
    expect(near.association.waiting).toBe(0)
    expect(near.bridge.openExchanges).toBe(0)
  })

  it('the queue must have room and the peer must take a frame of its size; else nothing was sent', () => {
    const { near } = new BridgePair()
    near.association.queueFull = true
    expect(failure(() => near.request(call('1')))).toBe('limit/SEND_QUEUE_FULL')
    near.association.queueFull = false
    near.association.peerMaxFrameOctets = 100
    expect(failure(() => near.request(call('1')))).toBe('limit/PEER_FRAME_LIMIT')
    expect(near.bridge.openExchanges).toBe(0)
    near.association.peerMaxFrameOctets = 1000
    expect(text(near.request(call('1')).correlationId)).toBe('1')
  })

  it('a full queue holds back no reply and no notification', () => {
    const pair = new BridgePair()
    const { theirs } = pair.open(call('1'))
    pair.far.association.queueFull = true
    pair.far.bridge.notify({ protocolId: 1, octets: utf8('{"jsonrpc":"2.0","method":"x"}') })
    expect(pair.far.result(theirs, answer('1'))).toBe('queued')
    expect(pair.far.association.waiting).toBe(2)
  })

  it('somebody may ask whether an equal id is open, for a peer that keeps no sessions apart', () => {
    const pair = new BridgePair(FOREIGN_PEER, FOREIGN_PEER)
    const { theirs } = pair.open(call('1'))
    expect(pair.near.bridge.hasOpenId(utf8('1.0'))).toBe(true)
    expect(pair.near.bridge.hasOpenId(utf8('"1"'))).toBe(false)
    pair.far.result(theirs, answer('1'))
    pair.toNear()
    expect(pair.near.bridge.hasOpenId(utf8('1'))).toBe(false)
  })
})

it('open exchanges of both sides are counted, and the association is told', () => {
  const pair = new BridgePair()
  const { theirs } = pair.open(call('1'))
  pair.far.request(call('1', 'ping'))
  pair.toNear()
  expect([pair.near.bridge.openExchanges, pair.near.association.openExchanges]).toEqual([2, 2])
  pair.far.result(theirs, answer('1'))
  pair.toNear()
  expect([pair.near.bridge.openExchanges, pair.far.association.openExchanges]).toEqual([1, 1])
})
