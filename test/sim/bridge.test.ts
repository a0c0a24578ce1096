import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { TRANSPORT_ERROR } from '../../services/npamp/bridge/contract.ts'
import { decodePayload, encodePayload } from '../../services/npamp/bridge/payload.ts'
import { decodeTransportError } from '../../services/npamp/bridge/transport-error.ts'
import {
  ALL_CHANNEL_FRAME,
  Association,
  BRIDGE_FRAME,
  Bridge,
  type BridgeEvent,
  CHANNEL,
  channelById,
  defaultChannels,
  MESSAGE_KIND,
  PROFILE,
  PROTOCOL,
} from '../../services/npamp/index.ts'
import { concatOctets } from '../../services/npamp/wire/octets.ts'
import { answer, call, only, text, utf8 } from '../fixtures/npamp/bridge-ends.ts'
import { initiatorOptions, relaySettings, responderOptions } from './ends.ts'
import { RawPeer } from './raw-peer.ts'

/** A Bridge on a real association; octets move between two of them without time passing. */
class Side {
  readonly association: Association
  readonly bridge: Bridge
  readonly seen: BridgeEvent[] = []

  constructor(association: Association) {
    this.association = association
    this.bridge = new Bridge(association)
  }

  drain(): void {
    for (let event = this.association.nextEvent(); event !== undefined; event = this.association.nextEvent())
      this.seen.push(...this.bridge.handleEvent(event, NOW))
  }

  take(): BridgeEvent[] {
    return this.seen.splice(0)
  }

  request(octets: string) {
    const label = { effect: 0, scope: '' }
    return this.bridge.request({ protocolId: PROTOCOL.MCP, octets: utf8(octets), label }, NOW)
  }
}

const NOW = 0

function joined(settings = relaySettings('responder')): { near: Side; far: Side; pump: () => void } {
  const near = new Side(new Association(initiatorOptions(), NOW))
  const far = new Side(new Association(responderOptions({ settings }), NOW))
  const move = (from: Side, to: Side): boolean => {
    const pieces = from.association.transmit(NOW, 64 * 1024)
    for (const piece of pieces) to.association.receive(piece.slice(), NOW)
    from.drain()
    to.drain()
    return pieces.length > 0
  }
  const pump = () => {
    for (let moved = true; moved; ) moved = [move(near, far), move(far, near)].some((some) => some)
  }
  pump()
  return { near, far, pump }
}

describe(`${requirement('RPC-029', 'BRG-028')} over two real associations`, () => {
  it('a call and its result cross octet for octet', () => {
    const { near, far, pump } = joined()
    const mine = near.request(call('9007199254740993'))
    pump()
    const asked = only(far.take(), 'request')
    expect(text(asked.octets)).toBe(call('9007199254740993'))
    expect([mine.ordinal, asked.exchange.ordinal]).toEqual([1, 1])
    const result = answer('9007199254740993', '{ "n" : 1.0e+2, "isError":true}')
    far.bridge.respond(asked.exchange, { kind: 'result', octets: utf8(result) }, NOW)
    pump()
    expect(text(only(near.take(), 'reply').octets)).toBe(result)
  })

  it('a result of ten megabytes too, while small ones pass', () => {
    const { near, far, pump } = joined()
    near.request(call('1'))
    near.request(call('2'))
    pump()
    const [first, second] = far.take()
    if (first?.type !== 'request' || second?.type !== 'request') throw new Error('two requests expected')
    const large = utf8(answer('1', `"${'\\u00e9x'.repeat(1_400_000)}"`))
    far.bridge.respond(first.exchange, { kind: 'result', octets: large }, NOW)
    far.bridge.respond(second.exchange, { kind: 'result', octets: utf8(answer('2')) }, NOW)
    pump()
    const replies = near.take()
    expect(replies.map((event) => event.type)).toEqual(['reply', 'reply'])
    const got = replies[0]?.type === 'reply' ? replies[0].octets : utf8('')
    expect(Buffer.compare(got, large)).toBe(0)
  })

  it('an error with data crosses whole, and a notification without an answer', () => {
    const { near, far, pump } = joined()
    near.request(call('"e"'))
    near.bridge.notify({ protocolId: 1, octets: utf8('{"jsonrpc":"2.0","method":"notifications/initialized"}') })
    pump()
    const [asked, told] = far.take()
    if (asked?.type !== 'request' || told?.type !== 'notification') throw new Error('request and notification expected')
    const error = '{"jsonrpc":"2.0","id":"e","error":{"code":-32602,"message":"m","data":[1,{"a":null}]}}'
    far.bridge.respond(asked.exchange, { kind: 'error', octets: utf8(error) }, NOW)
    pump()
    const reply = only(near.take(), 'reply')
    expect([reply.kind, text(reply.octets)]).toEqual(['error', error])
  })

  it(`${requirement('HELLO-016')} a request or notification outside the usable set of both HELLOs never leaves`, () => {
    const silent = new Side(new Association(initiatorOptions(), NOW))
    expect(() => silent.request(call('1'))).toThrowError(/has not said/)
    // given: we carry MCP and A2A, the other end A2A only
    const { near, far, pump } = joined(relaySettings('far', { protocols: [PROTOCOL.A2A] }))
    expect(near.association.peer?.protocols).toEqual([PROTOCOL.A2A])
    const octets = utf8('{"jsonrpc":"2.0","method":"x"}')
    for (const side of [near, far]) {
      expect(() => side.request(call('1'))).toThrowError(/not usable/)
      expect(() => side.bridge.notify({ protocolId: PROTOCOL.MCP, octets })).toThrowError(/not usable/)
    }
    expect(near.association.queuedOctets + far.association.queuedOctets).toBe(0)
    pump()
    expect([...near.take(), ...far.take()]).toEqual([])
  })

  it('the loss of the transport tells what was sent from what was not', () => {
    const { near, far, pump } = joined()
    const sent = near.request(call('1'))
    pump()
    const queued = near.request(call('2'))
    near.association.transportEnded(false, NOW)
    near.drain()
    const outcomes = near.take().map((event) => event.type === 'failed' && [event.exchange, event.failure.outcome])
    expect(outcomes).toEqual([
      [sent, 1],
      [queued, 0],
    ])
    far.association.transportEnded(false, NOW)
    far.drain()
    expect(far.take().map((event) => event.type)).toEqual(['request', 'abandoned'])
  })

  it('a cancel reaches the other end before anything that is sent later', () => {
    const { near, far, pump } = joined()
    const mine = near.request(call('1'))
    pump()
    const asked = only(far.take(), 'request').exchange
    near.bridge.cancel(mine, NOW)
    near.request(call('2'))
    pump()
    expect(far.take().map((event) => event.type)).toEqual(['cancel', 'request'])
    far.bridge.fail(asked, { code: 4, message: 'cancelled', outcome: 2 }, NOW)
    pump()
    expect(only(near.take(), 'failed')).toMatchObject({ exchange: mine, failure: { outcome: 2 } })
  })
})

describe('against a peer that does what no correct one does', () => {
  function served(): { peer: RawPeer; bridge: Bridge; events: () => BridgeEvent[] } {
    const peer = RawPeer.dialling()
    const bridge = new Bridge(peer.association)
    const events = () => peer.events.splice(0).flatMap((event) => [...bridge.handleEvent(event, NOW)])
    return { peer, bridge, events }
  }

  function requestFrame(id: string): Uint8Array {
    const envelope = { protocolId: 1, kind: MESSAGE_KIND.REQUEST, contentType: 1, flags: 0, method: 'tools/call' }
    const parts = { envelope: { ...envelope, correlationId: utf8(id) }, label: undefined, extensions: new Map() }
    return concatOctets(encodePayload({ ...parts, foreign: utf8(call('1')) }))
  }

  it(`${requirement('BRG-003')} a PING on the Bridge channel is a PING, answered there, and no Bridge message`, () => {
    const { peer, bridge, events } = served()
    peer.hello([PROTOCOL.MCP])
    events()
    peer.received.length = 0
    peer.send({ channel: CHANNEL.BRIDGE, type: ALL_CHANNEL_FRAME.PING, body: utf8('12345678') })
    expect(events()).toEqual([])
    expect(peer.received).toMatchObject([
      { channel: CHANNEL.BRIDGE, type: ALL_CHANNEL_FRAME.PONG, payload: utf8('12345678') },
    ])
    expect(bridge.counters.dropped.size).toBe(0)
  })

  it('a request before its HELLO is answered ProtocolUnsupported, even when both come at once', () => {
    const { peer, events } = served()
    peer.received.length = 0
    peer.send({ channel: CHANNEL.BRIDGE, type: BRIDGE_FRAME.REQUEST, body: requestFrame('a') })
    peer.hello([PROTOCOL.MCP])
    peer.send({ channel: CHANNEL.BRIDGE, type: BRIDGE_FRAME.REQUEST, body: requestFrame('b') })
    expect(only(events(), 'request').exchange.correlationId).toEqual(utf8('b'))
    peer.collect()
    const errors = peer.received.filter((frame) => frame.channel === CHANNEL.BRIDGE)
    expect(errors).toHaveLength(1)
    expect(errors[0]?.type).toBe(BRIDGE_FRAME.ERROR)
  })

  it(`${requirement('HELLO-017')} a request outside the usable set of both HELLOs is answered ProtocolUnsupported`, () => {
    // given: we carry MCP and A2A, the peer says that it carries A2A only, and asks in MCP
    const { peer, bridge, events } = served()
    peer.hello([PROTOCOL.A2A])
    events()
    peer.received.length = 0
    peer.send({ channel: CHANNEL.BRIDGE, type: BRIDGE_FRAME.REQUEST, body: requestFrame('a') })
    expect(events()).toEqual([])
    peer.collect()
    const [answer] = peer.received
    expect(answer?.type).toBe(BRIDGE_FRAME.ERROR)
    const { foreign } = decodePayload(answer?.payload ?? utf8(''), BRIDGE_FRAME.ERROR, new Set())
    expect(decodeTransportError(foreign)?.code).toBe(TRANSPORT_ERROR.PROTOCOL_UNSUPPORTED)
    expect(bridge.openExchanges).toBe(0)
  })

  it('a duplicate correlation id is reported by an ERROR frame on the Bridge channel', () => {
    const { peer, events } = served()
    peer.hello([PROTOCOL.MCP])
    peer.send({ channel: CHANNEL.BRIDGE, type: BRIDGE_FRAME.REQUEST, body: requestFrame('a') })
    peer.send({ channel: CHANNEL.BRIDGE, type: BRIDGE_FRAME.REQUEST, body: requestFrame('a') })
    peer.received.length = 0
    expect(events().map((event) => event.type)).toEqual(['request'])
    peer.collect()
    expect(peer.received).toMatchObject([{ channel: CHANNEL.BRIDGE, type: ALL_CHANNEL_FRAME.ERROR }])
    expect([...(peer.received[0]?.payload.subarray(0, 12) ?? [])]).toEqual([0, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  })
})

it(`${requirement('BRG-027')} Bridge is on from Standard upward`, () => {
  expect(channelById(CHANNEL.BRIDGE)?.minProfile).toBe(PROFILE.STANDARD)
  for (const profile of Object.values(PROFILE)) expect(defaultChannels(profile).has(CHANNEL.BRIDGE)).toBe(true)
})
