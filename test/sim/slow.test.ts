import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { BRIDGE_FRAME } from '../../services/npamp/codepoints/frame-types.ts'
import { World } from './world.ts'

const BRIDGE = 0x000d
const KIB = 1024
const MIB = 1024 * 1024

function data(octets: number, mark: number) {
  return { channel: BRIDGE, type: BRIDGE_FRAME.RESPONSE, parts: [new Uint8Array(octets).fill(mark)] }
}

/** Sizes and marks of what arrived. */
function arrived(payloads: Uint8Array[]): string[] {
  return payloads.map((payload) => `${payload.length}:${payload[0]}`)
}

describe('a slow reader', () => {
  it('gets everything in order, while Control stays usable and nobody takes the other for dead', () => {
    // given: one slice of 16 KiB every 100 ms
    const world = new World().connect()
    world.there.options = { slice: [16 * KIB, 16 * KIB], readEveryMs: 100 }
    const frames = Array.from({ length: 100 }, (_, i) => data(100 * KIB, i))
    // when
    for (const frame of frames) world.initiator.send(frame)
    expect(world.initiator.association.queueFull).toBe(true)
    world.run(120_000)
    // then
    expect(arrived(world.responder.payloads)).toEqual(frames.map((_, i) => `${100 * KIB}:${i}`))
    expect(world.ends.map((end) => end.fate)).toEqual([undefined, undefined])
    expect(world.initiator.events.filter((event) => event.type === 'drained')).toHaveLength(1)
  })

  it('does not delay what goes the other way', () => {
    const world = new World().connect()
    world.there.options = { slice: [1_000, 1_000], readEveryMs: 1_000 }
    world.initiator.send(data(MIB, 1))
    world.responder.send(data(MIB, 2))
    world.run(100)
    expect(arrived(world.initiator.payloads)).toEqual([`${MIB}:2`])
    expect(world.responder.payloads).toEqual([])
  })

  it(`${requirement('OWN-021')} a frame that progresses by 64 KiB in 10 s is waited for, however long it takes`, () => {
    const world = new World().connect()
    world.there.options = { slice: [8_000, 8_000], readEveryMs: 1_000 }
    world.initiator.send(data(2 * MIB, 1))
    world.run(320_000)
    expect(arrived(world.responder.payloads)).toEqual([`${2 * MIB}:1`])
    expect(world.responder.fate).toBeUndefined()
  })

  it(`${requirement('OWN-021')} one that does not is given up, and the peer is told`, () => {
    const world = new World().connect()
    world.there.options = { slice: [6_000, 6_000], readEveryMs: 1_000 }
    world.initiator.send(data(2 * MIB, 1))
    world.run(60_000)
    expect(world.responder.fate).toBe('STALLED')
    expect(world.initiator.fate).toBe('peer 3')
  })
})

describe('both sides slow at once', () => {
  it.each([
    ['two steady trickles', { readEveryMs: 50, slice: [4 * KIB, 16 * KIB], capacityOctets: 64 * KIB }],
    ['tiny pipes', { readEveryMs: 1, slice: [1, 4 * KIB], capacityOctets: 1 }],
  ] as const)('never lock each other up: %s', (_how, pipes) => {
    const world = new World({ pipes, seed: 3 })
    world.run(5_000)
    expect(world.ends.map((end) => end.association.state)).toEqual(['ready', 'ready'])
    const frames = Array.from({ length: 40 }, (_, i) => data(50 * KIB, i))
    for (const frame of frames) for (const end of world.ends) end.send(frame)
    world.run(60_000)
    for (const end of world.ends) expect(end.payloads).toHaveLength(frames.length)
  })

  it(`${requirement('OWN-020', 'OWN-021')} reading that pauses on both sides for 5 s at a time harms neither`, () => {
    const world = new World({ pipes: { capacityOctets: 64 * KIB, slice: [8 * KIB, 8 * KIB] } }).connect()
    for (const end of world.ends) {
      end.association.setOpenExchanges(1, world.now)
      for (let i = 0; i < 20; i++) end.send(data(200 * KIB, i))
    }
    for (let round = 0; round < 20; round++) {
      for (const end of world.ends) {
        end.reading = false
        end.association.setReadingPaused(true, world.now)
      }
      world.run(5_000)
      for (const end of world.ends) {
        end.reading = true
        end.association.setReadingPaused(false, world.now)
      }
      world.run(1)
    }
    world.run(1_000)
    for (const end of world.ends) {
      expect(end.payloads).toHaveLength(20)
      expect(end.fate).toBeUndefined()
    }
  })
})
