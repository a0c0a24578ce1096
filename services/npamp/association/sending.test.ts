import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { initiatorOptions, responderOptions } from '../../../test/sim/ends.ts'
import { RawPeer } from '../../../test/sim/raw-peer.ts'
import { CHANNEL } from '../codepoints/channels.ts'
import { ALL_CHANNEL_FRAME, BRIDGE_FRAME } from '../codepoints/frame-types.ts'
import { PROFILE } from '../codepoints/profiles.ts'
import { ClosedError, MisuseError } from '../errors.ts'
import { Association } from './association.ts'

const { BRIDGE, CONTROL, MEMORY, IMMUNE } = CHANNEL
const frame = { channel: BRIDGE, type: BRIDGE_FRAME.RESPONSE, parts: [Uint8Array.of(1, 2)] }

describe('send', () => {
  it.each([
    [requirement('WIRE-031'), 'a channel that is not enabled', { ...frame, channel: MEMORY }],
    [requirement('WIRE-031'), 'Control', { ...frame, channel: CONTROL }],
    [requirement('WIRE-018'), 'an all-channel type', { ...frame, type: ALL_CHANNEL_FRAME.PING }],
    [requirement('WIRE-017'), 'type 0', { ...frame, type: 0 }],
    [requirement('WIRE-021'), 'a type held for the core', { ...frame, type: 0x0020 }],
    [requirement('WIRE-021'), 'a companion type of another channel', { ...frame, type: 0x0035 }],
  ])('%s refuses %s', (_ids, _what, refused) => {
    const { association } = RawPeer.dialling().hello()
    expect(() => association.send(refused)).toThrow(MisuseError)
    expect(association.queuedOctets).toBe(0)
  })

  it('is refused before Established and after the end', () => {
    const early = new Association(initiatorOptions(), 0)
    expect(() => early.send(frame)).toThrow(expect.objectContaining({ family: 'misuse', code: 'STATE' }))
    const peer = RawPeer.dialling().hello()
    peer.association.close(0, '', 0)
    expect(() => peer.association.send(frame)).toThrow(ClosedError)
    peer.send({ type: ALL_CHANNEL_FRAME.CLOSE })
    expect(() => peer.association.send(frame)).toThrow(ClosedError)
  })

  it(`${requirement('OWN-019', 'OWN-022')} nothing is sealed before transmit takes it; then the sequence and the ordinal are told`, () => {
    const peer = RawPeer.dialling().hello()
    const taken: [bigint, number][] = []
    const onTaken = (sequence: bigint, ordinal: number) => taken.push([sequence, ordinal])
    const types = [BRIDGE_FRAME.REQUEST, BRIDGE_FRAME.NOTIFY, BRIDGE_FRAME.REQUEST]
    // One that nobody asks about counts like any other.
    peer.association.send({ ...frame, type: BRIDGE_FRAME.REQUEST })
    const tickets = types.map((type) => peer.association.send({ ...frame, type, onTaken }))
    expect(tickets.map((ticket) => ticket.taken)).toEqual([false, false, false])
    expect(taken).toEqual([])
    peer.collect()
    expect(tickets.map((ticket) => ticket.taken)).toEqual([true, true, true])
    expect(taken).toEqual([
      [1n, 2],
      [2n, 0],
      [3n, 3],
    ])
  })

  it(`${requirement('OWN-019', 'OWN-022')} a withdrawn frame uses neither a sequence number nor an ordinal`, () => {
    const peer = RawPeer.dialling().hello()
    const request = { ...frame, type: BRIDGE_FRAME.REQUEST }
    const first = peer.association.send(request)
    let ordinal = 0
    peer.association.send({ ...request, onTaken: (_sequence, given) => (ordinal = given) })
    expect(first.withdraw()).toBe(true)
    expect(
      peer
        .collect()
        .framesOf(BRIDGE_FRAME.REQUEST)
        .map((f) => f.sequence),
    ).toEqual([0n])
    expect(ordinal).toBe(1)
    expect(first.withdraw()).toBe(false)
  })

  it(`${requirement('OWN-019', 'WIRE-037')} transmit stops at about the octets asked for, Control and Immune first`, () => {
    const peer = RawPeer.dialling({ channels: [BRIDGE, IMMUNE, MEMORY] }).hello()
    for (const channel of [MEMORY, BRIDGE, IMMUNE]) {
      peer.association.send({ channel, type: 0x0101, parts: [new Uint8Array(1000)] })
    }
    peer.association.receive(peer.seal({ type: ALL_CHANNEL_FRAME.PING }), 0)
    const sizes: number[] = []
    for (
      let pieces = peer.association.transmit(0, 500);
      pieces.length > 0;
      pieces = peer.association.transmit(0, 500)
    ) {
      sizes.push(pieces.reduce((sum, piece) => sum + piece.length, 0))
      // The channel id of each header.
      sizes.push((pieces[pieces.findIndex((piece) => piece.length === 36)]?.[8] ?? -1) - 1000)
    }
    // PONG (52) and the Immune frame (1052) together, then one frame at a time.
    expect(sizes).toEqual([1104, CONTROL - 1000, 1052, BRIDGE - 1000, 1052, MEMORY - 1000])
  })
})

describe('the send queue', () => {
  it(`${requirement('OWN-019')} takes everything, says when it is full, and tells once when it drained`, () => {
    const peer = RawPeer.dialling({ sendQueueOctets: 1_000 }).hello()
    const { association } = peer
    for (let i = 0; i < 3; i++) association.send({ ...frame, parts: [new Uint8Array(500)] })
    expect(association.queueFull).toBe(true)
    expect(association.queuedOctets).toBe(3 * 552)
    expect(association.nextEvent()).toBeUndefined()
    association.transmit(0, 1)
    expect(association.queueFull).toBe(true)
    association.transmit(0, 1)
    expect(association.queueFull).toBe(false)
    expect(association.nextEvent()).toEqual({ type: 'drained' })
    expect(association.nextEvent()).toBeUndefined()
  })

  it(`${requirement('OWN-019')} holds 8 MiB by default, and one frame of any size when it is empty`, () => {
    const { association } = RawPeer.dialling().hello()
    association.send({ ...frame, parts: [new Uint8Array(8 * 1024 * 1024 - 53)] })
    expect(association.queueFull).toBe(false)
    association.send({ ...frame, parts: [] })
    expect(association.queueFull).toBe(true)
    const empty = RawPeer.dialling().hello().association
    empty.send({ ...frame, parts: [new Uint8Array(16_777_216 - 52)] })
    expect(empty.queueFull).toBe(true)
  })

  it('keeps the order within a channel', () => {
    const peer = RawPeer.dialling().hello()
    for (let i = 0; i < 50; i++) peer.association.send({ ...frame, parts: [Uint8Array.of(i)] })
    expect(
      peer
        .collect()
        .framesOf(frame.type)
        .map((f) => f.payload[0]),
    ).toEqual(Array.from({ length: 50 }, (_, i) => i))
  })
})

describe('ordinals', () => {
  it(`${requirement('OWN-022')} of received requests count every opened BRIDGE_REQUEST on Bridge, and nothing else`, () => {
    const peer = RawPeer.dialling({ channels: [BRIDGE, MEMORY] }).hello()
    // Those of our own requests are counted apart.
    peer.association.send({ ...frame, type: BRIDGE_FRAME.REQUEST })
    peer.collect()
    const sent = [
      [BRIDGE, BRIDGE_FRAME.REQUEST],
      [BRIDGE, BRIDGE_FRAME.NOTIFY],
      [MEMORY, BRIDGE_FRAME.REQUEST],
      [BRIDGE, BRIDGE_FRAME.REQUEST],
    ] as const
    for (const [channel, type] of sent) peer.send({ channel, type })
    const ordinals = peer.events.flatMap((event) => (event.type === 'frame' ? [event.ordinal] : []))
    expect(ordinals).toEqual([1, 0, 0, 2])
  })

  it('the association id is the same at both ends and another for each association', () => {
    const one = RawPeer.dialling().association.established?.associationId
    const two = RawPeer.dialling().association.established?.associationId
    expect(one).toHaveLength(16)
    expect(one).not.toEqual(two)
  })
})

describe('options', () => {
  it.each([
    ['an unassigned channel', { channels: [0x0777] }],
    ['a largest frame below 64 KiB', { settings: { protocols: [1], maxFrameOctets: 1_000 } }],
    [
      'a key limit of 0',
      { keyLimits: { start: { frames: 0, octets: 1, ageMs: 1 }, hard: { frames: 1, octets: 1, ageMs: 1 } } },
    ],
  ])('with %s are refused at once', (_what, options) => {
    expect(() => new Association(responderOptions(options), 0)).toThrow(MisuseError)
  })

  it('a profile that is not implemented is refused with a clear error', () => {
    const options = responderOptions()
    if (options.role !== 'responder') throw new Error('unreachable')
    const handshake = { ...options.handshake, minimumProfile: PROFILE.HIGH }
    expect(() => new Association({ ...options, handshake }, 0)).toThrow(
      expect.objectContaining({ code: 'PROFILE_NOT_IMPLEMENTED' }),
    )
  })
})
