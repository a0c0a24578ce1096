import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { provider } from '../../../test/sim/ends.ts'
import { RawPeer } from '../../../test/sim/raw-peer.ts'
import { CHANNEL } from '../codepoints/channels.ts'
import { CLOSE_CODE } from '../codepoints/close-codes.ts'
import { ERROR_CODE } from '../codepoints/error-codes.ts'
import { ALL_CHANNEL_FRAME, BRIDGE_FRAME, CONTROL_FRAME } from '../codepoints/frame-types.ts'
import { encodeClose } from '../wire/close.ts'
import { decodeError, encodeError } from '../wire/error.ts'
import { encodeFlowUpdate } from '../wire/flow-update.ts'
import { encodeHeader, FLAG } from '../wire/header.ts'
import { encodePathChallenge } from '../wire/path.ts'

const { BRIDGE, CONTROL, MEMORY } = CHANNEL
const { PING, PONG, CLOSE, CLOSE_ACK, ERROR, PATH_CHALLENGE, PATH_RESPONSE, FLOW_UPDATE } = ALL_CHANNEL_FRAME

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value)
}

/** An association that is ready, facing a raw peer. */
function ready(): RawPeer {
  return RawPeer.dialling().hello()
}

function errorsOf(peer: RawPeer) {
  return peer.framesOf(ERROR).map((frame) => ({ channel: frame.channel, ...decodeError(frame.payload) }))
}

describe('PING', () => {
  it(`${requirement('WIRE-026', 'WIRE-018')} is answered by an exact copy on the channel it came on`, () => {
    const peer = ready()
    peer.send({ type: PING, body: text('12345678') })
    peer.send({ channel: BRIDGE, type: PING, body: text('on bridge') })
    expect(peer.framesOf(PONG).map((f) => [f.channel, f.payload])).toEqual([
      [CONTROL, text('12345678')],
      [BRIDGE, text('on bridge')],
    ])
  })

  it(`${requirement('OWN-007')} is answered at most ten times a second`, () => {
    const peer = ready()
    for (let i = 0; i < 15; i++) peer.send({ type: PING })
    expect(peer.framesOf(PONG)).toHaveLength(10)
    expect(peer.dropped('ping_rate')).toBe(5)
    peer.wait(1_000).send({ type: PING })
    expect(peer.framesOf(PONG)).toHaveLength(11)
  })

  it(`${requirement('OWN-007')} of more than 64 octets is reported, not answered, and harms nothing else`, () => {
    const peer = ready()
    peer.send({ type: PING, body: new Uint8Array(65) }).send({ type: PING, body: new Uint8Array(64) })
    expect(errorsOf(peer)).toEqual([
      { channel: CONTROL, code: ERROR_CODE.PROTOCOL_VIOLATION, refType: PING, refSequence: 2n, message: '' },
    ])
    expect(peer.framesOf(PONG)).toHaveLength(1)
  })

  it(`${requirement('OWN-024')} a peer that makes us answer but does not read cannot fill our memory`, () => {
    const peer = ready()
    for (let second = 1; second <= 20; second++) {
      for (let i = 0; i < 10; i++) peer.association.receive(peer.seal({ type: PING }), second * 1_000)
    }
    expect(peer.dropped('reply_backlog')).toBe(200 - 64)
    expect(peer.collect().framesOf(PONG)).toHaveLength(64)
  })
})

describe('CLOSE', () => {
  it(`${requirement('WIRE-026', 'WIRE-023')} is acknowledged, ends the association and tells why`, () => {
    const peer = ready()
    peer.send({ type: CLOSE, body: encodeClose({ code: CLOSE_CODE.GOING_AWAY, reason: 'restart' }) })
    expect(peer.received.at(-1)).toMatchObject({ channel: CONTROL, type: CLOSE_ACK })
    expect(peer.closed).toEqual({ by: 'peer', code: CLOSE_CODE.GOING_AWAY, reason: 'restart' })
    expect(peer.association.state).toBe('closed')
    expect(peer.association.nextTimeout()).toBeUndefined()
  })

  it(`${requirement('OWN-008')} is honoured on any usable channel and whatever its body says`, () => {
    const peer = ready()
    peer.send({ channel: BRIDGE, type: CLOSE, body: text('?') })
    expect(peer.received.at(-1)).toMatchObject({ channel: BRIDGE, type: CLOSE_ACK })
    expect(peer.closed).toEqual({ by: 'peer', code: 0, reason: '' })
  })

  it(`${requirement('WIRE-024', 'WIRE-025')} that is forged is dropped and counted; the association goes on`, () => {
    const peer = ready()
    const breakTag = (frame: Uint8Array) => frame.fill(0xee, frame.length - 4)
    peer.association.receive(peer.seal({ type: CLOSE, sequence: 2n, damage: breakTag }), 0)
    peer.association.receive(peer.seal({ type: CLOSE, sequence: 77n }), 0)
    peer.association.receive(peer.seal({ type: CLOSE, flags: 0 }), 0)
    expect(peer.dropped('forged_close')).toBe(3)
    expect(peer.association.state).toBe('ready')
    peer.send({ type: PING })
    expect(peer.framesOf(PONG)).toHaveLength(1)
  })

  it('a CLOSE_ACK that answers nothing is counted', () => {
    const peer = ready().send({ type: CLOSE_ACK })
    expect(peer.dropped('close_ack')).toBe(1)
    expect(peer.association.state).toBe('ready')
  })
})

describe('ERROR', () => {
  it(`${requirement('WIRE-027', 'OWN-009')} is told upwards and never answered, well-formed or not`, () => {
    const peer = ready()
    const before = peer.received.length
    const body = encodeError({ code: ERROR_CODE.TOO_LARGE, refType: 0x0100, refSequence: 7n, message: 'x' })
    peer.send({ channel: BRIDGE, type: ERROR, body }).send({ type: ERROR, body: text('rubbish') })
    expect(peer.events.at(-1)).toEqual({
      type: 'peerError',
      channel: BRIDGE,
      code: ERROR_CODE.TOO_LARGE,
      refType: 0x0100,
      refSequence: 7n,
    })
    expect(peer.dropped('malformed')).toBe(1)
    expect(peer.received).toHaveLength(before)
  })

  it(`${requirement('WIRE-027')} goes out sealed, like every frame after Established`, () => {
    // RawPeer opens every frame it receives and refuses any that is not sealed.
    const peer = ready().send({ type: 0x0080 })
    expect(errorsOf(peer)).toHaveLength(1)
  })

  it(`${requirement('OWN-009')} is sent at most ten times a second`, () => {
    const peer = ready()
    for (let i = 0; i < 12; i++) peer.send({ type: PING, body: new Uint8Array(65) })
    expect(errorsOf(peer)).toHaveLength(10)
    expect(peer.dropped('error_rate')).toBe(2)
  })

  it('the layer above can send one about a frame of the peer', () => {
    const peer = ready()
    const ref = { type: 0x0177, sequence: 4n }
    peer.association.sendError(BRIDGE, ERROR_CODE.UNKNOWN_FRAME_TYPE, ref, 0)
    peer.association.sendError(BRIDGE, ERROR_CODE.UNKNOWN_FRAME_TYPE, ref, 0)
    peer.association.sendError(MEMORY, ERROR_CODE.UNKNOWN_FRAME_TYPE, ref, 0)
    expect(errorsOf(peer.collect())).toEqual([
      { channel: BRIDGE, code: ERROR_CODE.UNKNOWN_FRAME_TYPE, refType: 0x0177, refSequence: 4n, message: '' },
    ])
  })
})

describe('PATH_CHALLENGE', () => {
  it(`${requirement('WIRE-029')} is answered with 64 octets: the challenge and a digest over it`, () => {
    const peer = ready()
    const challenge = new Uint8Array(32).fill(9)
    peer.send({ type: PATH_CHALLENGE, body: encodePathChallenge(challenge) })
    const input = new Uint8Array([...text('n-pamp path response'), ...challenge, 1])
    const response = peer.framesOf(PATH_RESPONSE)[0]?.payload
    expect(response).toEqual(new Uint8Array([0, 0x16, 0, 64, ...challenge, ...provider.hash('sha256', input)]))
  })

  it(`${requirement('WIRE-029')} of another length is reported; an unasked PATH_RESPONSE is counted`, () => {
    const peer = ready()
    peer.send({ type: PATH_CHALLENGE, body: new Uint8Array([0, 0x15, 0, 1, 9]) }).send({ type: PATH_RESPONSE })
    expect(errorsOf(peer)[0]?.code).toBe(ERROR_CODE.PROTOCOL_VIOLATION)
    expect(peer.dropped('path_response')).toBe(1)
  })

  it('is answered at most ten times a second', () => {
    const peer = ready()
    for (let i = 0; i < 11; i++) peer.send({ type: PATH_CHALLENGE, body: encodePathChallenge(new Uint8Array(32)) })
    expect(peer.framesOf(PATH_RESPONSE)).toHaveLength(10)
    expect(peer.dropped('path_rate')).toBe(1)
  })
})

describe('FLOW_UPDATE', () => {
  const frame = { channel: BRIDGE, type: BRIDGE_FRAME.REQUEST, parts: [new Uint8Array(84)] } // 100 octets behind the header

  it(`${requirement('OWN-010')} limits application frames to what the peer granted, counted from Established; all-channel frames pass`, () => {
    const peer = ready()
    const sentBefore = peer.received.filter((f) => f.type >= 0x30).reduce((sum, f) => sum + f.payload.length + 16, 0)
    peer.send({ type: FLOW_UPDATE, body: encodeFlowUpdate(BigInt(sentBefore + 250)) })
    for (let i = 0; i < 4; i++) peer.association.send(frame)
    peer.collect().send({ type: PING })
    expect(peer.framesOf(BRIDGE_FRAME.REQUEST)).toHaveLength(2)
    expect(peer.framesOf(PONG)).toHaveLength(1)
    expect(peer.association.queuedOctets).toBe(2 * 136)

    // Smaller and equal values change nothing, a larger one does.
    peer.send({ type: FLOW_UPDATE, body: encodeFlowUpdate(1n) })
    peer.send({ type: FLOW_UPDATE, body: encodeFlowUpdate(BigInt(sentBefore + 250)) })
    expect(peer.framesOf(BRIDGE_FRAME.REQUEST)).toHaveLength(2)
    peer.send({ type: FLOW_UPDATE, body: encodeFlowUpdate(BigInt(sentBefore + 300)) })
    expect(peer.framesOf(BRIDGE_FRAME.REQUEST)).toHaveLength(3)
    peer.send({ type: FLOW_UPDATE, body: encodeFlowUpdate(2n ** 64n - 1n) })
    expect(peer.framesOf(BRIDGE_FRAME.REQUEST)).toHaveLength(4)
  })

  it(`${requirement('OWN-010')} is accepted on Control only, and malformed ones are reported`, () => {
    const peer = ready()
    peer.send({ channel: BRIDGE, type: FLOW_UPDATE, body: encodeFlowUpdate(0n) })
    peer.send({ type: FLOW_UPDATE, body: new Uint8Array(7) })
    peer.association.send(frame)
    expect(peer.collect().framesOf(BRIDGE_FRAME.REQUEST)).toHaveLength(1)
    expect(peer.dropped('flow_channel')).toBe(1)
    expect(errorsOf(peer)[0]?.code).toBe(ERROR_CODE.PROTOCOL_VIOLATION)
  })

  it('a close does not wait for credit for ever', () => {
    const peer = ready().send({ type: FLOW_UPDATE, body: encodeFlowUpdate(0n) })
    const ticket = peer.association.send(frame)
    peer.association.close(CLOSE_CODE.NORMAL, '', peer.now)
    expect(peer.collect().framesOf(CLOSE)).toHaveLength(0)
    peer.wait(5_000)
    expect(peer.framesOf(CLOSE)).toHaveLength(1)
    expect(peer.closed).toMatchObject({ by: 'local' })
    expect(ticket.taken).toBe(false)
  })
})

describe('unknown frame types', () => {
  it.each([
    [requirement('WIRE-019'), CONTROL, 0x000b],
    [requirement('WIRE-019'), BRIDGE, 0x002f],
    [requirement('WIRE-022'), CONTROL, 0x0080],
    ['', CONTROL, 0x0112],
  ])(
    `${requirement('OWN-009')} %s are opened, dropped, counted and reported once: channel %i type %i`,
    (_ids, channel, type) => {
      const peer = ready()
      peer.send({ channel, type }).send({ channel, type })
      expect(peer.dropped('unknown_type')).toBe(2)
      expect(errorsOf(peer)).toMatchObject([{ channel, code: ERROR_CODE.UNKNOWN_FRAME_TYPE, refType: type }])
      // The sequence moved on: what follows opens.
      peer.send({ channel, type: PING })
      expect(peer.framesOf(PONG)).toHaveLength(1)
    },
  )

  it(`${requirement('OWN-009', 'WIRE-020')} are reported for each channel of their own`, () => {
    const peer = ready()
    peer.send({ channel: CONTROL, type: 0x000b }).send({ channel: BRIDGE, type: 0x000b })
    expect(errorsOf(peer)).toMatchObject([
      { channel: CONTROL, refType: 0x000b },
      { channel: BRIDGE, refType: 0x000b },
    ])
  })

  it(`${requirement('OWN-009')} the memory of what was reported is bounded`, () => {
    const peer = ready()
    for (let type = 0x2000; type < 0x2000 + 400; type++) {
      if (type % 8 === 0) peer.wait(1_000)
      peer.send({ type })
    }
    expect(errorsOf(peer)).toHaveLength(256)
    expect(peer.dropped('unknown_type')).toBe(400)
  })

  it(`${requirement('WIRE-020', 'WIRE-021')} the same number is another frame on another channel`, () => {
    const peer = ready()
    peer.send({ channel: BRIDGE, type: CONTROL_FRAME.HELLO }).send({ channel: BRIDGE, type: 0x0104 })
    expect(peer.events.filter((event) => event.type === 'frame')).toMatchObject([
      { channel: BRIDGE, frameType: 0x0110 },
      { channel: BRIDGE, frameType: 0x0104 },
    ])
    expect(peer.association.state).toBe('ready')
  })
})

describe('flags', () => {
  it('URG changes nothing', () => {
    const peer = ready().send({ type: PING, flags: FLAG.ENC | FLAG.URG })
    expect(peer.framesOf(PONG)).toHaveLength(1)
  })

  it.each([
    ['COMP', FLAG.COMP],
    ['FRAG', FLAG.FRAG],
  ])(`${requirement('OWN-006')} an authentic %s frame is answered by ERROR 3 and CLOSE`, (_name, flag) => {
    const peer = ready().send({ channel: BRIDGE, type: BRIDGE_FRAME.REQUEST, flags: FLAG.ENC | flag })
    expect(errorsOf(peer)).toMatchObject([{ channel: BRIDGE, code: ERROR_CODE.UNSUPPORTED_FLAG, refType: 0x0100 }])
    expect(peer.received.at(-1)?.type).toBe(CLOSE)
    expect(peer.events.some((event) => event.type === 'frame')).toBe(false)
    expect(peer.fault).toBe('UNSUPPORTED_FLAG')
  })

  it(`${requirement('OWN-004')} a forged one is a tag failure without an answer`, () => {
    const peer = ready()
    const before = peer.received.length
    const breakTag = (frame: Uint8Array) => frame.fill(0, frame.length - 16)
    peer.send({ type: PING, flags: FLAG.ENC | FLAG.FRAG, damage: breakTag })
    expect(peer.fault).toBe('TAG')
    expect(peer.received).toHaveLength(before)
  })

  it(`${requirement('OWN-005')} a frame in clear is dropped and counted`, () => {
    const peer = ready().send({ type: PING, flags: 0 })
    expect(peer.dropped('not_sealed')).toBe(1)
    expect(peer.association.state).toBe('ready')
  })
})

describe('channels', () => {
  it(`${requirement('WIRE-032')} frames on a channel that is not enabled are dropped`, () => {
    const peer = ready().send({ channel: MEMORY, type: 0x0100 }).send({ channel: 0x0777, type: PING })
    expect(peer.dropped('channel')).toBe(2)
    expect(peer.framesOf(PONG)).toHaveLength(0)
    expect(peer.association.state).toBe('ready')
  })

  it(`${requirement('WIRE-033')} a channel below its minimum profile stays off, however it was configured`, () => {
    const peer = RawPeer.dialling({ channels: [BRIDGE, MEMORY, CHANNEL.SPATIAL] }).hello()
    peer.send({ channel: CHANNEL.SPATIAL, type: 0x0100 }).send({ channel: MEMORY, type: 0x0100 })
    expect(peer.dropped('channel')).toBe(1)
    expect(peer.events.filter((event) => event.type === 'frame')).toMatchObject([{ channel: MEMORY }])
    const onSpatial = { channel: CHANNEL.SPATIAL, type: 0x0100, parts: [] }
    expect(() => peer.association.send(onSpatial)).toThrow(/not usable/)
  })

  it(`${requirement('WIRE-038')} GREASE channels are ignored without a key or an answer`, () => {
    const peer = ready()
    const before = peer.received.length
    for (const channel of [0xf000, 0xfffe]) {
      peer.association.receive(
        encodeHeader({ flags: FLAG.ENC, type: 0x0123, channel, sequence: 5n, payloadOctets: 0 }),
        0,
      )
    }
    expect(peer.dropped('grease')).toBe(2)
    expect(peer.collect().received).toHaveLength(before)
    expect(peer.association.state).toBe('ready')
  })

  it(`${requirement('WIRE-039')} channel 0xFFFF is fatal to receive and impossible to send`, () => {
    const peer = ready()
    const frame = peer.seal({ channel: 0xfffe, type: PING })
    const illegal = encodeIllegalChannel(frame)
    peer.association.receive(illegal, 0)
    expect(peer.collect().fault).toBe('ILLEGAL_CHANNEL')
    const other = ready()
    expect(() => other.association.send({ channel: 0xffff, type: 0x0100, parts: [] })).toThrow(/not usable/)
  })
})

describe('a second handshake', () => {
  it.each([
    ['in clear', 0],
    ['sealed', FLAG.ENC],
  ])(`${requirement('OWN-011')} %s is a protocol violation: CLOSE 2`, (_how, flags) => {
    const peer = ready().send({ type: CONTROL_FRAME.CLIENT_HELLO, flags })
    expect(peer.fault).toBe('UNEXPECTED_FRAME')
    expect(peer.received.at(-1)).toMatchObject({ type: CLOSE })
    expect(peer.received.at(-1)?.payload.subarray(0, 2)).toEqual(Uint8Array.of(0, CLOSE_CODE.PROTOCOL_ERROR))
  })
})

describe('whatever a peer sends', () => {
  it('sealed or not, nothing is thrown', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            channel: fc.constantFrom(CONTROL, BRIDGE, MEMORY, 0xf123),
            type: fc.oneof(fc.integer({ min: 1, max: 0x0120 }), fc.constantFrom(0x4350, 0xffff)),
            flags: fc.constantFrom(FLAG.ENC, FLAG.ENC, FLAG.ENC, FLAG.ENC | FLAG.COMP, 0),
            body: fc.uint8Array({ maxLength: 80 }),
          }),
          { maxLength: 12 },
        ),
        (frames) => {
          const peer = ready()
          for (const frame of frames) peer.send(frame)
          peer.wait(60_000)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('as plain octets, in any slicing, nothing is thrown and nothing survives', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 8 }),
        (chunks) => {
          const peer = ready()
          for (const chunk of chunks) peer.association.receive(chunk, 0)
          peer.wait(20_000)
          expect(peer.association.state).toBe('closed')
        },
      ),
      { numRuns: 100 },
    )
  })
})

/** Header of a frame rewritten to channel 0xFFFF, CRC right: `encodeHeader` refuses to. */
function encodeIllegalChannel(frame: Uint8Array): Uint8Array {
  const copy = frame.slice()
  copy.fill(0xff, 7, 9)
  new DataView(copy.buffer).setUint32(21, crc(copy))
  return copy
}

function crc(frame: Uint8Array): number {
  let remainder = 0xffff_ffff
  for (const octet of frame.subarray(0, 21)) {
    remainder ^= octet
    for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0x82f63b78 : remainder >>> 1
  }
  return ~remainder >>> 0
}
