import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { provider } from '../../../test/sim/ends.ts'
import { RawPeer } from '../../../test/sim/raw-peer.ts'
import { CHANNEL } from '../codepoints/channels.ts'
import { CLOSE_CODE } from '../codepoints/close-codes.ts'
import { ERROR_CODE } from '../codepoints/error-codes.ts'
import { ALL_CHANNEL_FRAME, BRIDGE_FRAME, CONTROL_FRAME } from '../codepoints/frame-types.ts'
import { KEM } from '../codepoints/suites.ts'
import type { KemKeyPair } from '../crypto/provider.ts'
import { rekemTranscriptHash } from '../keys/rekem-transcript.ts'
import { decodeClose } from '../wire/close.ts'
import { decodeError } from '../wire/error.ts'
import {
  decodeMasterRatchet,
  decodeRekemAck,
  encodeMasterRatchet,
  encodeRekem,
  encodeRekemAck,
} from '../wire/ratchet.ts'

const { BRIDGE } = CHANNEL
const { MASTER_RATCHET, MASTER_RATCHET_ACK, REKEM, REKEM_ACK } = CONTROL_FRAME
const { ERROR, CLOSE, PING, PONG, KEY_UPDATE } = ALL_CHANNEL_FRAME

function ready(): RawPeer {
  return RawPeer.dialling().hello()
}

/** Tier 1 of the peer's direction. */
function ratchet(peer: RawPeer, generation: bigint): RawPeer {
  const body = encodeMasterRatchet(generation)
  peer.association.receive(peer.seal({ type: MASTER_RATCHET, body }), peer.now)
  return peer.ratchetSending().collect()
}

/** Tier 2 started by the peer: heals the direction that the association sends. */
function rekem(peer: RawPeer, generation: bigint, keys: KemKeyPair): RawPeer {
  peer.onReceived = (frame) => {
    if (frame.type !== REKEM_ACK) return
    const { material: ciphertext } = decodeRekemAck(frame.payload)
    const thRekem = rekemTranscriptHash(provider, 'sha256', keys.share, ciphertext, generation)
    peer.rekemReceiving(keys.decapsulate(ciphertext), thRekem)
  }
  return peer.send({ type: REKEM, body: encodeRekem({ material: keys.share, generation }) })
}

function expectRatchetFault(peer: RawPeer, refType: number): void {
  const error = peer.framesOf(ERROR).at(-1)
  expect(error && decodeError(error.payload)).toMatchObject({ code: ERROR_CODE.RATCHET, refType })
  expect(closeCode(peer)).toBe(CLOSE_CODE.PROTOCOL_ERROR)
  expect(peer.fault).toBe('RATCHET')
}

describe('MASTER_RATCHET of the peer', () => {
  it(`${requirement('REC-024', 'REC-028', 'REC-031', 'REC-037')} moves its whole direction on, and is acknowledged under our own keys`, () => {
    const peer = ready().send({ channel: BRIDGE, type: BRIDGE_FRAME.REQUEST })
    ratchet(peer, 1n)
    const ack = peer.framesOf(MASTER_RATCHET_ACK)[0]
    expect(ack && decodeMasterRatchet(ack.payload)).toBe(1n)
    // Every channel starts again at epoch 0, sequence 0 under the new root.
    peer.send({ channel: BRIDGE, type: BRIDGE_FRAME.REQUEST }).send({ type: PING })
    expect(peer.events.at(-1)).toMatchObject({ type: 'frame', sequence: 0n, ordinal: 2 })
    expect(peer.framesOf(PONG)).toHaveLength(1)
    expect(peer.association.counters.ratchetsReceived).toBe(1)
  })

  it('works again and again, with key updates in between', () => {
    const peer = ready()
    for (let generation = 1n; generation <= 5n; generation++) {
      ratchet(peer.wait(1_000), generation)
      const body = Uint8Array.of(0, 0x17, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1)
      peer.association.receive(peer.seal({ type: KEY_UPDATE, body }), peer.now)
      peer.enterNextEpoch().send({ type: PING })
    }
    expect(peer.framesOf(PONG)).toHaveLength(5)
  })

  it(`${requirement('REC-039', 'REC-041')} to any generation but the next one is refused with ERROR 7 and CLOSE 2`, () => {
    for (const generation of [0n, 2n, 2n ** 64n - 1n]) {
      const peer = ready().send({ type: MASTER_RATCHET, body: encodeMasterRatchet(generation) })
      expectRatchetFault(peer, MASTER_RATCHET)
    }
  })

  it.each([
    ['no TLV', new Uint8Array(0)],
    ['a generation of 4 octets', Uint8Array.of(0, 0x19, 0, 4, 0, 0, 0, 1)],
    ['a second TLV', new Uint8Array([...encodeMasterRatchet(1n), ...encodeMasterRatchet(1n)])],
    ['another TLV', Uint8Array.of(0, 0x17, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1)],
  ])(`${requirement('REC-031', 'REC-033')} with %s is refused`, (_what, body) => {
    expectRatchetFault(ready().send({ type: MASTER_RATCHET, body }), MASTER_RATCHET)
  })

  it(`${requirement('OWN-013')} an eleventh within a second is answered by CLOSE 3`, () => {
    const peer = ready()
    for (let generation = 1n; generation <= 11n; generation++) ratchet(peer, generation)
    expect(peer.fault).toBe('RATE')
    expect(closeCode(peer)).toBe(CLOSE_CODE.POLICY)
  })

  it('an acknowledgement of one that we never sent is counted', () => {
    const peer = ready().send({ type: MASTER_RATCHET_ACK, body: encodeMasterRatchet(1n) })
    expect(peer.dropped('ratchet_ack')).toBe(1)
    expect(peer.association.state).toBe('ready')
  })
})

describe('REKEM of the peer', () => {
  it(`${requirement('REC-026', 'REC-032', 'REC-034', 'REC-036', 'REC-038')} is answered; REKEM_ACK is our last frame of the old generation`, () => {
    const peer = ready()
    const keys = provider.generateKemKeyPair(KEM.X25519MLKEM768)
    peer.association.send({ channel: BRIDGE, type: BRIDGE_FRAME.RESPONSE, parts: [] })
    peer.collect()
    rekem(peer, 1n, keys)
    const ack = peer.framesOf(REKEM_ACK)[0]
    expect(ack?.channel).toBe(CHANNEL.CONTROL)
    // RawPeer opened it under the old generation; what follows it opened under the new one.
    expect(ack?.payload).toHaveLength(1120 + 4 + 12)
    expect(ack && decodeRekemAck(ack.payload).generation).toBe(1n)
    peer.association.send({ channel: BRIDGE, type: BRIDGE_FRAME.RESPONSE, parts: [] })
    peer.send({ type: PING })
    expect(peer.received.slice(-2).map((frame) => [frame.type, frame.sequence])).toEqual([
      [PONG, 0n],
      [BRIDGE_FRAME.RESPONSE, 0n],
    ])
  })

  it(`${requirement('REC-038', 'REC-043')} switches nothing in the peer's own direction`, () => {
    const peer = rekem(ready(), 1n, provider.generateKemKeyPair(KEM.X25519MLKEM768))
    peer.send({ channel: BRIDGE, type: BRIDGE_FRAME.REQUEST })
    expect(peer.events.at(-1)).toMatchObject({ type: 'frame', frameType: BRIDGE_FRAME.REQUEST })
  })

  it(`${requirement('REC-039')} both tiers and directions mix`, () => {
    const peer = ready()
    for (let generation = 1n; generation <= 3n; generation++) {
      peer.wait(10_000)
      rekem(peer, generation, provider.generateKemKeyPair(KEM.X25519MLKEM768))
      ratchet(peer, generation).send({ type: PING })
    }
    expect(peer.framesOf(PONG)).toHaveLength(3)
    expect(peer.association.counters.ratchetsReceived).toBe(6)
  })

  it(`${requirement('REC-039', 'REC-041')} for any generation but our next one is ignored and counted; nothing advances`, () => {
    const peer = ready()
    const material = provider.generateKemKeyPair(KEM.X25519MLKEM768).share
    for (const generation of [0n, 2n]) {
      peer.wait(10_000).send({ type: REKEM, body: encodeRekem({ material, generation }) })
    }
    expect(peer.dropped('stale_rekem')).toBe(2)
    peer.send({ type: PING })
    expect(peer.framesOf(PONG)).toHaveLength(1)
    expect(peer.framesOf(REKEM_ACK)).toHaveLength(0)
  })

  it(`${requirement('REC-039', 'REC-043')} counts in the direction that it heals, not in the peer's own`, () => {
    // given: the peer's direction is one generation ahead of ours
    const peer = ratchet(ready(), 1n)
    const keys = provider.generateKemKeyPair(KEM.X25519MLKEM768)
    peer.send({ type: REKEM, body: encodeRekem({ material: keys.share, generation: 2n }) })
    expect(peer.dropped('stale_rekem')).toBe(1)
    rekem(peer.wait(10_000), 1n, keys)
    expect(peer.framesOf(REKEM_ACK)).toHaveLength(1)
  })

  it(`${requirement('REC-042')} with a damaged or low-order share stays unanswered; nothing advances`, () => {
    const peer = ready()
    const lowOrder = provider.generateKemKeyPair(KEM.X25519MLKEM768).share.slice()
    lowOrder.fill(0, 1184)
    const notReduced = lowOrder.slice().fill(0xff, 0, 1152)
    for (const material of [lowOrder, notReduced]) {
      peer.wait(10_000).send({ type: REKEM, body: encodeRekem({ material, generation: 1n }) })
    }
    expect(peer.dropped('damaged_rekem')).toBe(2)
    peer.send({ type: PING })
    expect(peer.framesOf(PONG)).toHaveLength(1)
    expect(peer.framesOf(REKEM_ACK)).toHaveLength(0)
  })

  it.each([
    ['a share of the wrong length', encodeRekem({ material: new Uint8Array(1600), generation: 1n })],
    ['a ciphertext in its place', encodeRekemAck({ material: new Uint8Array(1216), generation: 1n })],
    ['the generation first', new Uint8Array([...encodeMasterRatchet(1n), 0, 7, 0, 0])],
    ['nothing', new Uint8Array(0)],
  ])(`${requirement('REC-032', 'REC-033')} with %s is refused with ERROR 7 and CLOSE 2`, (_what, body) => {
    expectRatchetFault(ready().send({ type: REKEM, body }), REKEM)
  })

  it(`${requirement('OWN-013')} a second within 10 s is a flood: ERROR 7 and CLOSE 3`, () => {
    const peer = rekem(ready(), 1n, provider.generateKemKeyPair(KEM.X25519MLKEM768)).wait(9_000)
    rekem(peer, 2n, provider.generateKemKeyPair(KEM.X25519MLKEM768))
    expect(peer.fault).toBe('REKEM_RATE')
    const error = peer.framesOf(ERROR)[0]
    expect(error && decodeError(error.payload).code).toBe(ERROR_CODE.RATCHET)
    expect(closeCode(peer)).toBe(CLOSE_CODE.POLICY)
  })

  it(`${requirement('REC-040')} REKEM_ACK without a REKEM of ours is fatal`, () => {
    const body = encodeRekemAck({ material: new Uint8Array(1120), generation: 1n })
    expectRatchetFault(ready().send({ type: REKEM_ACK, body }), REKEM_ACK)
  })
})

describe('ratchet frames', () => {
  it(`${requirement('REC-030')} mean something else on Bridge`, () => {
    const peer = ready()
    for (const type of [MASTER_RATCHET, REKEM]) {
      peer.send({ channel: BRIDGE, type, body: encodeMasterRatchet(1n) })
    }
    expect(peer.events.slice(-2)).toMatchObject([
      { type: 'frame', frameType: 0x0104 },
      { type: 'frame', frameType: 0x0106 },
    ])
    expect(peer.association.counters.ratchetsReceived).toBe(0)
  })
})

function closeCode(peer: RawPeer): number | undefined {
  const close = peer.framesOf(CLOSE).at(-1)
  return close && decodeClose(close.payload).code
}
