import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { BRIDGE_FRAME } from '../../services/npamp/codepoints/frame-types.ts'
import { NpampError } from '../../services/npamp/errors.ts'
import { World } from './world.ts'

const BRIDGE = 0x000d

function request(text: string) {
  return { channel: BRIDGE, type: BRIDGE_FRAME.REQUEST, parts: [new TextEncoder().encode(text)] }
}

function texts(payloads: Uint8Array[]): string[] {
  return payloads.map((payload) => new TextDecoder().decode(payload))
}

describe('a connection', () => {
  it.each([
    ['whole writes', {}],
    ['octet by octet', { slice: [1, 1] as const }],
    ['random slices and delays', { slice: [1, 700] as const, delayMs: [0, 40] as const }],
  ])('carries frames both ways in order, in %s', (_how, pipes) => {
    const world = new World({ pipes, seed: 7 }).connect()
    const sent = Array.from({ length: 30 }, (_, i) => `message ${i}`)
    for (const text of sent) {
      world.initiator.send(request(text))
      world.responder.send(request(`back ${text}`))
    }
    world.run(10_000)
    expect(texts(world.responder.payloads)).toEqual(sent)
    expect(texts(world.initiator.payloads)).toEqual(sent.map((text) => `back ${text}`))
  })

  it('both ends agree on who the other is and on the id of the association', () => {
    const { initiator, responder } = new World().connect()
    const [one, two] = [initiator.association.established, responder.association.established]
    expect(one?.associationId).toEqual(two?.associationId)
    expect(one?.peerHandle).not.toBe(two?.peerHandle)
    expect(initiator.association.peer?.extensions?.replica).toBe('responder')
    expect(responder.association.peer?.extensions?.replica).toBe('initiator')
  })

  it('the same seed gives the same run', () => {
    const run = () => {
      const world = new World({ seed: 42, pipes: { slice: [1, 300], delayMs: [0, 9] } }).connect()
      world.initiator.send(request('x'))
      world.run(5_000)
      return [world.random.next(), world.there.carriedOctets, world.responder.events.map((event) => event.type)]
    }
    expect(run()).toEqual(run())
  })
})

describe('a connection that is lost', () => {
  /** Offsets in a stream at which a frame begins or ends, and one octet beside each. */
  function boundaries(way: 'there' | 'back'): number[] {
    const lengths: number[] = []
    const from = way === 'there' ? 'initiator' : 'responder'
    const pieces: number[] = []
    const world = new World({
      tamper: (octets, writer) => {
        if (writer === from) pieces.push(octets.length)
        return octets
      },
    })
    script(world)
    let at = 0
    for (const length of [0, ...pieces]) {
      at += length
      lengths.push(at - 1, at, at + 1)
    }
    const total = world[way].carriedOctets
    return [...new Set(lengths)].filter((offset) => offset >= 0 && offset < total)
  }

  /** Handshake, HELLO, requests both ways with their replies, CLOSE. */
  function script(world: World): World {
    for (const end of world.ends) {
      end.onEvent = (event) => {
        if (end.association.state !== 'ready') return
        if (event.type === 'ready') end.send(request('ping'))
        if (event.type === 'frame' && event.frameType === BRIDGE_FRAME.REQUEST) {
          end.send({ ...request('pong'), type: BRIDGE_FRAME.RESPONSE })
        }
      }
    }
    world.run(2_000)
    world.initiator.association.close(0, 'done', world.now)
    return world.run(20_000)
  }

  it('the script itself ends well', () => {
    const world = script(new World())
    expect(world.ends.map((end) => end.fate)).toEqual(['local 0', 'peer 0'])
  })

  it.each(['there', 'back'] as const)(
    'at every boundary of a piece, and beside it: each end says so once (%s)',
    (way) => {
      const cuts = boundaries(way)
      expect(cuts.length).toBeGreaterThan(15)
      for (const cut of cuts) {
        const world = new World()
        world[way].cutAt = cut
        script(world)
        for (const end of world.ends) {
          const closings = end.events.filter((event) => event.type === 'closed')
          expect(closings, `${end.name}, cut at ${cut}`).toHaveLength(1)
          expect(end.association.state).toBe('closed')
          expect(end.association.nextTimeout()).toBeUndefined()
          expect(end.association.transmit(world.now, 1_000)).toEqual([])
          expect(['TRANSPORT_LOST', 'HANDSHAKE_TIMEOUT', 'DEAD', 'NO_HELLO', 'local 0', 'peer 0', 'peer 2']).toContain(
            end.fate,
          )
        }
      }
    },
  )
})

describe('the handshake', () => {
  it(`${requirement('HS-051')} fails, for both and silently, whichever octet is changed on the way`, () => {
    for (const writer of ['initiator', 'responder'] as const) {
      for (let at = 0, more = true; more; at++) more = flipFails(writer, at)
    }
  })

  /** Handshake flights leave in one piece; a sealed frame leaves as its header first. */
  function isFlight(octets: Uint8Array): boolean {
    return octets.length > 36 && octets[0] === 0x4e && octets[5] === 1 && (octets[6] ?? 9) <= 3
  }

  /** False when the octet lies behind the handshake. */
  function flipFails(writer: 'initiator' | 'responder', at: number): boolean {
    let seen = 0
    let flipped = false
    const world: World = new World({
      seed: at,
      tamper: (octets, from) => {
        if (from !== writer || !isFlight(octets)) return octets
        const offset = at - seen
        seen += octets.length
        if (offset < 0 || offset >= octets.length) return octets
        flipped = true
        const copy = octets.slice()
        copy[offset] = (copy[offset] ?? 0) ^ (1 << world.random.integer(0, 7))
        return copy
      },
    })
    world.run(30_000)
    if (!flipped) return false
    const where = `octet ${at} of the ${writer}`
    expect(world.responder.closed, where).toMatchObject({ by: 'error' })
    expect(
      world.responder.events.map((event) => event.type),
      where,
    ).toEqual(['closed'])
    expect(world.initiator.closed, where).toBeDefined()
    for (const end of world.ends) {
      const cause = end.closed
      if (cause?.by === 'error') expect(cause.error).toBeInstanceOf(NpampError)
    }
    return true
  }
})
