import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { BRIDGE_FRAME } from '../../services/npamp/codepoints/frame-types.ts'
import { PROFILE } from '../../services/npamp/codepoints/profiles.ts'
import { KEY_LIMITS, type KeyBounds, type KeyLimits } from '../../services/npamp/record/key-limits.ts'
import { World } from './world.ts'

const BRIDGE = 0x000d
const MEMORY = 0x0001
const { start: START } = KEY_LIMITS[PROFILE.STANDARD]

function tight(over: Partial<KeyBounds>): KeyLimits {
  const start = { ...START, ...over }
  return { start, hard: { frames: start.frames * 2, octets: start.octets * 2, ageMs: start.ageMs * 2 } }
}

function numbered(channel: number, number: number, octets = 16) {
  const body = new Uint8Array(octets)
  new DataView(body.buffer).setUint32(0, number)
  return { channel, type: BRIDGE_FRAME.NOTIFY, parts: [body] }
}

function numbers(payloads: Uint8Array[]): number[] {
  return payloads.map((payload) => new DataView(payload.buffer, payload.byteOffset).getUint32(0))
}

function updates(world: World): { sent: number; received: number }[] {
  return world.ends.map(({ association: { counters } }) => ({
    sent: counters.keyUpdatesSent,
    received: counters.keyUpdatesReceived,
  }))
}

describe('hundreds of key updates', () => {
  it.each([
    ['by frames', { frames: 8 }, 300],
    ['by octets', { octets: 300 }, 200],
    ['by age', { ageMs: 700 }, 300],
  ])(
    `${requirement('REC-011', 'REC-010')} %s, both ways at once, with data and delays: nothing is lost`,
    (_by, bound, least) => {
      const keyLimits = tight(bound)
      const channels = [BRIDGE, MEMORY]
      const end = { keyLimits, channels }
      const world = new World({
        seed: 11,
        initiator: end,
        responder: end,
        pipes: { slice: [1, 400], delayMs: [0, 120] },
      })
      world.connect()
      const rounds = 1_500
      for (let round = 0; round < rounds; round++) {
        for (const side of world.ends) for (const channel of channels) side.send(numbered(channel, round))
        world.run(world.random.integer(100, 400))
      }
      world.run(30_000)

      expect(world.ends.map((side) => side.fate)).toEqual([undefined, undefined])
      for (const side of world.ends) {
        expect(side.payloads).toHaveLength(2 * rounds)
        for (const channel of channels) {
          const onChannel = side.events.flatMap((e) => (e.type === 'frame' && e.channel === channel ? [e.payload] : []))
          expect(numbers(onChannel)).toEqual(Array.from({ length: rounds }, (_, i) => i))
        }
      }
      const [initiator, responder] = updates(world)
      expect(initiator?.sent).toBeGreaterThan(least)
      expect(responder?.sent).toBeGreaterThan(least)
      expect(initiator?.received).toBe(responder?.sent)
      expect(responder?.received).toBe(initiator?.sent)
    },
  )
})

describe('a KEY_UPDATE crossing everything', () => {
  it(`${requirement('REC-013', 'REC-015')} may meet one of the peer's, data, PING, LINK and CLOSE at any moment`, () => {
    for (let seed = 1; seed <= 60; seed++) {
      const keyLimits = tight({ frames: 3 })
      const world = new World({
        seed,
        initiator: { keyLimits },
        responder: { keyLimits },
        pipes: { slice: [1, 60], delayMs: [0, 30] },
      })
      world.connect()
      const sent = [0, 0]
      for (let step = 0; step < 40; step++) {
        const which = world.random.integer(0, 1)
        const side = world.ends[which as 0 | 1]
        const action = world.random.next()
        if (action < 0.7) side.send(numbered(BRIDGE, sent[which]++ as number))
        else if (action < 0.8) side.association.sendLink({ op: 'drain' }, world.now)
        else if (action < 0.9) side.association.setOpenExchanges(step % 2, world.now)
        world.run(world.random.integer(0, 900))
      }
      world.run(20_000)
      expect(numbers(world.responder.payloads)).toEqual(Array.from({ length: sent[0] ?? 0 }, (_, i) => i))
      expect(numbers(world.initiator.payloads)).toEqual(Array.from({ length: sent[1] ?? 0 }, (_, i) => i))
      for (const side of world.ends) side.association.close(0, '', world.now)
      world.run(20_000)
      expect(
        world.ends.map((side) => side.fate),
        `seed ${seed}`,
      ).toEqual(['local 0', 'local 0'])
    }
  })

  it('an association that idles for a day still works', () => {
    const world = new World().connect()
    world.run(24 * 3_600_000)
    world.initiator.send(numbered(BRIDGE, 1))
    world.run(100)
    expect(world.responder.payloads).toHaveLength(1)
    // Control carried the PINGs, so its key was renewed by age: once an hour, when about to send.
    expect(updates(world)[0]?.sent).toBeGreaterThanOrEqual(22)
    expect(updates(world)[0]?.sent).toBeLessThanOrEqual(25)
  })
})

describe('frames that an attacker replays or takes away', () => {
  it(`${requirement('REC-009')} replayed frames are dropped and counted; nothing is delivered twice`, () => {
    const world = new World({
      tamper: (octets) => octets,
    }).connect()
    const replayed: Uint8Array[] = []
    world.initiator.send(numbered(BRIDGE, 1))
    const pieces = world.initiator.association.transmit(world.now, 10_000)
    for (const piece of pieces) replayed.push(piece.slice())
    for (let again = 0; again < 3; again++) {
      for (const piece of replayed) world.responder.association.receive(piece.slice(), world.now)
    }
    world.run(10)
    expect(numbers(world.responder.payloads)).toEqual([1])
    expect(world.responder.association.counters.dropped.get('replay')).toBe(2)
    expect(world.responder.fate).toBeUndefined()
  })

  it(`${requirement('REC-009')} a frame that was taken away ends the association at the next one`, () => {
    const world = new World().connect()
    world.initiator.send(numbered(BRIDGE, 1))
    world.initiator.association.transmit(world.now, 10_000)
    world.initiator.send(numbered(BRIDGE, 2))
    world.run(10)
    expect(world.responder.fate).toBe('SEQUENCE_GAP')
    expect(world.initiator.fate).toBe('peer 2')
    expect(world.responder.payloads).toEqual([])
  })
})
