import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { CHANNEL } from '../codepoints/channels.ts'
import { LANE, laneOf, OutboundQueue } from './outbound-queue.ts'

const frame = (channel: number, octets = 0) => ({ channel, type: 0x0100, parts: [new Uint8Array(octets)] })

function filled(queue: OutboundQueue, octets: number): OutboundQueue {
  queue.push(LANE.NORMAL, frame(CHANNEL.BRIDGE, octets))
  return queue
}

function drain(queue: OutboundQueue): number[] {
  const channels: number[] = []
  for (let head = queue.head(); head !== undefined; head = queue.head()) {
    queue.take(head)
    channels.push(head.channel)
  }
  return channels
}

describe('the outbound queue', () => {
  it(`${requirement('WIRE-037')} lets Control and Immune leave before others, Memory, Sensory and Telemetry last`, () => {
    const queue = new OutboundQueue(1000)
    for (const channel of [CHANNEL.MEMORY, CHANNEL.TELEMETRY, CHANNEL.BRIDGE, CHANNEL.SENSORY, CHANNEL.IMMUNE]) {
      queue.push(laneOf(channel), frame(channel))
    }
    queue.push(LANE.REPLY, frame(CHANNEL.CONTROL))
    expect(drain(queue)).toEqual([
      CHANNEL.CONTROL,
      CHANNEL.IMMUNE,
      CHANNEL.BRIDGE,
      CHANNEL.MEMORY,
      CHANNEL.TELEMETRY,
      CHANNEL.SENSORY,
    ])
  })

  it(`${requirement('OWN-019')} counts whole sealed frames, replies not`, () => {
    const queue = new OutboundQueue(1000)
    queue.push(LANE.NORMAL, frame(CHANNEL.BRIDGE, 10))
    queue.push(LANE.REPLY, frame(CHANNEL.CONTROL, 10))
    expect(queue.octets).toBe(36 + 10 + 16)
    expect([new OutboundQueue(62), new OutboundQueue(63)].map((one) => filled(one, 10).full)).toEqual([true, false])
    drain(queue)
    expect(queue.octets).toBe(0)
  })

  it(`${requirement('OWN-019')} says once that it drained, only after it was full`, () => {
    const queue = new OutboundQueue(100)
    const small = queue.push(LANE.NORMAL, frame(CHANNEL.BRIDGE))
    queue.take(small)
    expect(queue.takeDrained()).toBe(false)
    const big = queue.push(LANE.NORMAL, frame(CHANNEL.BRIDGE, 500))
    expect(queue.full).toBe(true)
    expect(queue.takeDrained()).toBe(false)
    queue.take(big)
    expect(queue.takeDrained()).toBe(true)
    expect(queue.takeDrained()).toBe(false)
  })

  it(`${requirement('OWN-019')} a withdrawn frame never leaves and gives its octets back; a taken one cannot be withdrawn`, () => {
    const queue = new OutboundQueue(100)
    const first = queue.push(LANE.NORMAL, frame(CHANNEL.BRIDGE, 200))
    const second = queue.push(LANE.NORMAL, frame(CHANNEL.BRIDGE, 1))
    expect(first.withdraw()).toBe(true)
    expect(first.withdraw()).toBe(false)
    expect(first.taken).toBe(false)
    expect(first.parts).toEqual([])
    expect(queue.takeDrained()).toBe(true)
    expect(queue.head()).toBe(second)
    queue.take(second)
    expect(second.taken).toBe(true)
    expect(second.withdraw()).toBe(false)
    expect(queue.octets).toBe(0)
    expect(queue.head()).toBeUndefined()
  })

  it('forgets everything at the end; what never left can still be withdrawn', () => {
    const queue = new OutboundQueue(10)
    const waiting = queue.push(LANE.BEHIND, frame(CHANNEL.MEMORY, 100))
    queue.end()
    expect(queue.head()).toBeUndefined()
    expect(queue.octets).toBe(0)
    expect(queue.takeDrained()).toBe(false)
    expect(waiting.taken).toBe(false)
    expect(waiting.withdraw()).toBe(true)
    expect(queue.octets).toBe(0)
  })
})
