import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { RawPeer } from '../../../test/sim/raw-peer.ts'
import { CHANNEL } from '../codepoints/channels.ts'
import { CLOSE_CODE } from '../codepoints/close-codes.ts'
import { ERROR_CODE } from '../codepoints/error-codes.ts'
import { ALL_CHANNEL_FRAME, BRIDGE_FRAME } from '../codepoints/frame-types.ts'
import { PROFILE } from '../codepoints/profiles.ts'
import { KEY_LIMITS, type KeyLimits } from '../record/key-limits.ts'
import { decodeClose } from '../wire/close.ts'
import { decodeError } from '../wire/error.ts'
import { decodeKeyUpdate, encodeKeyUpdate } from '../wire/key-update.ts'

const { BRIDGE, CONTROL } = CHANNEL
const { KEY_UPDATE, KEY_UPDATE_ACK, ERROR, CLOSE, PING, PONG } = ALL_CHANNEL_FRAME
const STANDARD = KEY_LIMITS[PROFILE.STANDARD]

function ready(keyLimits?: KeyLimits): RawPeer {
  return RawPeer.dialling(keyLimits === undefined ? {} : { keyLimits }).hello()
}

/** The peer updates its sending key on a channel, as digest 03 section 5 says. */
function update(peer: RawPeer, channel: number, epoch: bigint): RawPeer {
  peer.association.receive(peer.seal({ channel, type: KEY_UPDATE, body: encodeKeyUpdate(epoch) }), peer.now)
  return peer.enterNextEpoch(channel).collect()
}

function limit(over: Partial<KeyLimits['start']>): KeyLimits {
  const start = { ...STANDARD.start, ...over }
  return { start, hard: { frames: start.frames * 2, octets: start.octets * 2, ageMs: start.ageMs * 2 } }
}

const request = { channel: BRIDGE, type: BRIDGE_FRAME.REQUEST, parts: [new Uint8Array(84)] }

describe("the peer's KEY_UPDATE", () => {
  it(`${requirement('REC-013', 'REC-014', 'REC-016')} moves its direction of that channel on, and is acknowledged under our own key`, () => {
    const peer = update(ready(), BRIDGE, 1n)
    const ack = peer.framesOf(KEY_UPDATE_ACK)[0]
    expect(ack).toMatchObject({ channel: BRIDGE, sequence: 0n })
    expect(ack && decodeKeyUpdate(ack.payload)).toBe(1n)
    // New keys from sequence 0 on Bridge; Control as before; our sending keys untouched.
    peer.send({ channel: BRIDGE, type: BRIDGE_FRAME.REQUEST }).send({ type: PING })
    expect(peer.events.at(-1)).toMatchObject({ type: 'frame', sequence: 0n })
    expect(peer.framesOf(PONG)).toHaveLength(1)
    expect(peer.framesOf(KEY_UPDATE)).toHaveLength(0)
    expect(peer.association.counters.keyUpdatesReceived).toBe(1)
  })

  it('applies to Control too, again and again', () => {
    const peer = ready()
    for (let epoch = 1n; epoch <= 20n; epoch++) update(peer.wait(1_000), CONTROL, epoch)
    peer.send({ type: PING })
    expect(peer.framesOf(PONG)).toHaveLength(1)
    expect(peer.framesOf(KEY_UPDATE_ACK)).toHaveLength(20)
  })

  it.each([
    ['the current epoch', encodeKeyUpdate(0n)],
    ['an epoch too far', encodeKeyUpdate(2n)],
    ['an extra TLV', new Uint8Array([...encodeKeyUpdate(1n), 0, 1, 0, 0])],
    ['a short value', Uint8Array.of(0, 0x17, 0, 4, 0, 0, 0, 1)],
    ['nothing', new Uint8Array(0)],
  ])(`${requirement('REC-014')} with %s is answered by ERROR 6 and CLOSE 2`, (_what, body) => {
    const peer = ready().send({ channel: BRIDGE, type: KEY_UPDATE, body })
    const error = peer.framesOf(ERROR)[0]
    expect(error).toMatchObject({ channel: BRIDGE })
    expect(error && decodeError(error.payload)).toMatchObject({ code: ERROR_CODE.KEY_UPDATE, refType: KEY_UPDATE })
    expect(closeCode(peer)).toBe(CLOSE_CODE.PROTOCOL_ERROR)
    expect(peer.fault).toBe('KEY_UPDATE')
  })

  it(`${requirement('OWN-013')} an eleventh within a second is answered by CLOSE 3`, () => {
    const peer = ready()
    for (let epoch = 1n; epoch <= 10n; epoch++) update(peer, BRIDGE, epoch)
    expect(peer.association.state).toBe('ready')
    update(peer, BRIDGE, 11n)
    expect(peer.fault).toBe('RATE')
    expect(closeCode(peer)).toBe(CLOSE_CODE.POLICY)
  })

  it('an acknowledgement is information only: a strange one is counted', () => {
    const peer = ready()
    for (const body of [encodeKeyUpdate(1n), encodeKeyUpdate(0n), new Uint8Array(3)]) {
      peer.send({ channel: BRIDGE, type: KEY_UPDATE_ACK, body })
    }
    expect(peer.dropped('key_update_ack')).toBe(3)
    expect(peer.association.state).toBe('ready')
  })
})

describe('our KEY_UPDATE', () => {
  it(`${requirement('REC-011', 'REC-015')} goes ahead of the frame that would exceed the bound in frames`, () => {
    const peer = ready(limit({ frames: 3 }))
    for (let i = 0; i < 7; i++) peer.association.send(request)
    const onBridge = peer.collect().received.filter((frame) => frame.channel === BRIDGE)
    expect(onBridge.map((frame) => `${frame.type === KEY_UPDATE ? 'update' : 'request'} ${frame.sequence}`)).toEqual([
      'request 0',
      'request 1',
      'request 2',
      'update 3',
      'request 0',
      'request 1',
      'request 2',
      'update 3',
      'request 0',
    ])
    expect(peer.association.counters.keyUpdatesSent).toBe(2)
  })

  it(`${requirement('REC-011')} by octets`, () => {
    const peer = ready(limit({ octets: 200 }))
    for (let i = 0; i < 5; i++) peer.association.send(request)
    expect(
      peer
        .collect()
        .framesOf(KEY_UPDATE)
        .map((frame) => frame.sequence),
    ).toEqual([2n, 2n])
  })

  it(`${requirement('REC-011')} by age, but an idle channel keeps its key until it is about to send`, () => {
    const peer = ready(limit({ ageMs: 20_000 }))
    peer.association.send(request)
    peer.collect().wait(19_999)
    peer.association.send(request)
    expect(peer.collect().framesOf(KEY_UPDATE)).toHaveLength(0)
    // Idle far beyond the hard stop: nothing happens, then KEY_UPDATE and frame leave together.
    peer.wait(5_000).send({ type: PING })
    for (let i = 0; i < 20; i++) peer.wait(20_000).send({ type: PING })
    expect(peer.received.filter((frame) => frame.channel === BRIDGE && frame.type === KEY_UPDATE)).toHaveLength(0)
    peer.association.send(request)
    const types = peer
      .collect()
      .received.filter((frame) => frame.channel === BRIDGE)
      .map((frame) => frame.type)
    expect(types).toEqual([BRIDGE_FRAME.REQUEST, BRIDGE_FRAME.REQUEST, KEY_UPDATE, BRIDGE_FRAME.REQUEST])
  })

  it(`${requirement('OWN-013')} is paced below what a peer must take: at the hard stop the queue rests, and nothing is lost`, () => {
    const peer = ready(limit({ frames: 1 }))
    for (let i = 0; i < 40; i++) peer.association.send(request)
    peer.collect()
    expect(peer.framesOf(KEY_UPDATE)).toHaveLength(5)
    const first = peer.framesOf(BRIDGE_FRAME.REQUEST).length
    expect(first).toBeLessThan(40)
    peer.wait(10_000)
    expect(peer.framesOf(BRIDGE_FRAME.REQUEST)).toHaveLength(40)
    expect(peer.association.state).toBe('ready')
  })

  it('a CLOSE waits for the key as well', () => {
    const peer = ready(limit({ frames: 1 }))
    for (let i = 0; i < 12; i++) peer.association.send(request)
    peer.association.close(CLOSE_CODE.NORMAL, '', 0)
    peer.collect().wait(4_000)
    expect(closeCode(peer)).toBe(CLOSE_CODE.NORMAL)
  })
})

describe("the peer's key", () => {
  it(`${requirement('REC-011', 'OWN-014')} used for twice its hard stop closes with code 5`, () => {
    const peerKeyLimits = { start: { ...STANDARD.start, frames: 2 }, hard: { ...STANDARD.hard, frames: 3 } }
    const peer = RawPeer.dialling({ peerKeyLimits }).hello()
    for (let i = 0; i < 6; i++) peer.send({ channel: BRIDGE, type: BRIDGE_FRAME.REQUEST })
    expect(peer.association.state).toBe('ready')
    peer.send({ channel: BRIDGE, type: BRIDGE_FRAME.REQUEST })
    expect(peer.fault).toBe('KEY_LIMIT')
    expect(closeCode(peer)).toBe(CLOSE_CODE.KEY_LIMIT)
  })
})

function closeCode(peer: RawPeer): number | undefined {
  const close = peer.framesOf(CLOSE).at(-1)
  return close && decodeClose(close.payload).code
}
