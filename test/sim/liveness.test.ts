import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { BRIDGE_FRAME } from '../../services/npamp/codepoints/frame-types.ts'
import { World } from './world.ts'

const frame = { channel: 0x000d, type: BRIDGE_FRAME.RESPONSE, parts: [new Uint8Array(10)] }

/** Frames that an end sent so far. */
function sent(world: World): number[] {
  return world.ends.map((end) => end.association.counters.framesSent)
}

describe('an idle association', () => {
  it(`${requirement('OWN-020')} lives for ever on a PING every 30 s`, () => {
    const world = new World().connect()
    const before = sent(world)
    world.run(3_600_000)
    expect(world.ends.map((end) => end.association.state)).toEqual(['ready', 'ready'])
    const perEnd = sent(world).map((count, index) => count - (before[index] ?? 0))
    // Each PING and each PONG is an octet for the other: about one exchange in 30 s.
    for (const count of perEnd) {
      expect(count).toBeGreaterThan(100)
      expect(count).toBeLessThan(260)
    }
  })

  it(`${requirement('OWN-020')} with open exchanges asks after 5 s`, () => {
    const world = new World().connect()
    world.initiator.association.setOpenExchanges(1, world.now)
    const [before = 0] = sent(world)
    world.run(60_000)
    expect((sent(world)[0] ?? 0) - before).toBeGreaterThanOrEqual(11)
    world.initiator.association.setOpenExchanges(0, world.now)
    const [idle = 0] = sent(world)
    world.run(20_000)
    expect((sent(world)[0] ?? 0) - idle).toBeLessThanOrEqual(1)
  })
})

describe('a dead peer', () => {
  it.each([
    ['idle', 0, 40_000],
    ['with open exchanges', 1, 15_000],
  ])(`${requirement('OWN-020')} is noticed without any answer: %s`, (_how, open, afterMs) => {
    const world = new World().connect()
    world.initiator.association.setOpenExchanges(open, world.now)
    // given: the last octet of the peer
    world.responder.send(frame)
    world.run(0)
    // when: it hangs for ever
    world.responder.frozen = true
    world.run(afterMs - 1)
    expect(world.initiator.fate).toBeUndefined()
    world.run(1)
    expect(world.initiator.fate).toBe('DEAD')
  })

  it('is noticed even when the connection takes no more octets', () => {
    const world = new World({ there: { capacityOctets: 1_000 } }).connect()
    world.responder.frozen = true
    for (let i = 0; i < 10; i++) world.initiator.send({ ...frame, parts: [new Uint8Array(5_000)] })
    world.run(60_000)
    expect(world.initiator.fate).toBe('DEAD')
  })

  it(`${requirement('OWN-020')} octets of a long frame are signs of life`, () => {
    const world = new World().connect()
    world.back.options = { slice: [20_000, 20_000], readEveryMs: 2_000 }
    world.initiator.association.setOpenExchanges(1, world.now)
    world.responder.send({ ...frame, parts: [new Uint8Array(1_000_000)] })
    world.run(110_000)
    expect(world.initiator.fate).toBeUndefined()
    expect(world.initiator.payloads).toHaveLength(1)
  })
})

describe('a stalled handshake', () => {
  it(`${requirement('OWN-012')} ends after 10 s at both ends, and says nothing`, () => {
    const world = new World()
    world.responder.reading = false
    world.run(9_999)
    expect(world.ends.map((end) => end.fate)).toEqual([undefined, undefined])
    world.run(1)
    expect(world.ends.map((end) => end.fate)).toEqual(['HANDSHAKE_TIMEOUT', 'HANDSHAKE_TIMEOUT'])
    expect(world.back.carriedOctets).toBe(0)
  })

  it(`${requirement('OWN-012')} has a deadline of its own when one is configured`, () => {
    const world = new World({ initiator: { handshakeTimeoutMs: 500 } })
    world.responder.reading = false
    world.run(500)
    expect(world.initiator.fate).toBe('HANDSHAKE_TIMEOUT')
  })

  it(`${requirement('OWN-012')} octet by octet is no way around it`, () => {
    const world = new World({ there: { slice: [1, 1], readEveryMs: 100 } })
    world.run(10_000)
    expect(world.responder.fate).toBe('HANDSHAKE_TIMEOUT')
  })

  it(`${requirement('OWN-012')} nor is a flight now and then: the deadline counts from the beginning`, () => {
    const world = new World({ pipes: { delayMs: [6_000, 6_000] } })
    world.run(9_999)
    expect(world.ends.map((end) => end.fate)).toEqual([undefined, undefined])
    world.run(1)
    expect(world.ends.map((end) => end.fate)).toEqual(['HANDSHAKE_TIMEOUT', 'HANDSHAKE_TIMEOUT'])
  })

  it(`${requirement('OWN-001')} a frame of more than 64 KiB before Established is refused by its header`, () => {
    const world = new World()
    const header = new Uint8Array(36)
    header.set([0x4e, 0x50, 0x41, 0x4d, 0x20, 0x01, 0x00])
    new DataView(header.buffer).setUint32(17, 65_536 - 35)
    new DataView(header.buffer).setUint32(21, crc32c(header.subarray(0, 21)))
    world.responder.association.receive(header, 0)
    world.run(0)
    expect(world.responder.fate).toBe('FRAME_TOO_LARGE')
  })
})

function crc32c(octets: Uint8Array): number {
  let remainder = 0xffff_ffff
  for (const octet of octets) {
    remainder ^= octet
    for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0x82f63b78 : remainder >>> 1
  }
  return ~remainder >>> 0
}
