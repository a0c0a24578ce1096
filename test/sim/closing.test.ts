import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { BRIDGE_FRAME } from '../../services/npamp/codepoints/frame-types.ts'
import { ClosedError } from '../../services/npamp/errors.ts'
import { World } from './world.ts'

const frame = { channel: 0x000d, type: BRIDGE_FRAME.RESPONSE, parts: [new Uint8Array(1_000)] }
const GOING_AWAY = 1

describe('close', () => {
  it(`${requirement('WIRE-026')} sends what is queued, then CLOSE, and ends with the acknowledgement`, () => {
    const world = new World({ pipes: { delayMs: [10, 10] } }).connect()
    for (let i = 0; i < 10; i++) world.initiator.send(frame)
    world.initiator.association.close(GOING_AWAY, 'restart', world.now)
    expect(world.initiator.association.state).toBe('closing')
    world.run(19)
    expect(world.responder.payloads).toHaveLength(10)
    expect(world.responder.closed).toEqual({ by: 'peer', code: GOING_AWAY, reason: 'restart' })
    expect(world.initiator.association.state).toBe('closing')
    world.run(1)
    expect(world.initiator.closed).toEqual({ by: 'local', code: GOING_AWAY, reason: 'restart' })
  })

  it('frames that cross it still arrive', () => {
    const world = new World({ pipes: { delayMs: [10, 10] } }).connect()
    world.initiator.association.close(0, '', world.now)
    world.responder.send(frame)
    world.run(100)
    expect(world.initiator.payloads).toHaveLength(1)
    expect(world.initiator.events.at(-1)?.type).toBe('closed')
  })

  it(`${requirement('WIRE-026')} from both sides at once: each acknowledges once, both end as they wished`, () => {
    const world = new World({ pipes: { delayMs: [10, 10] } }).connect()
    const framesBefore = world.ends.map((end) => end.association.counters.framesSent)
    world.initiator.association.close(0, 'one', world.now)
    world.responder.association.close(GOING_AWAY, 'two', world.now)
    world.run(1_000)
    expect(world.ends.map((end) => end.fate)).toEqual(['local 0', 'local 1'])
    world.ends.forEach((end, index) => {
      expect(end.association.counters.framesSent - (framesBefore[index] ?? 0)).toBe(2)
    })
  })

  it(`${requirement('OWN-008')} without an answer ends after 5 s`, () => {
    const world = new World().connect()
    world.responder.reading = false
    world.initiator.association.close(0, '', world.now)
    world.run(4_999)
    expect(world.initiator.association.state).toBe('closing')
    world.run(1)
    expect(world.initiator.fate).toBe('local 0')
  })

  it('that cannot leave, because the peer takes nothing, gives up the queue after 5 s', () => {
    const world = new World({ there: { capacityOctets: 500 } }).connect()
    world.responder.reading = false
    const tickets = Array.from({ length: 100 }, () => world.initiator.association.send(frame))
    world.initiator.association.close(0, '', world.now)
    world.run(5_000)
    expect(world.initiator.fate).toBe('local 0')
    expect(tickets.at(-1)?.taken).toBe(false)
    expect(tickets.at(-1)?.withdraw()).toBe(true)
  })

  it('before Established it just ends, and the peer hears nothing', () => {
    const world = new World()
    world.initiator.association.close(0, 'changed my mind', 0)
    world.run(10)
    expect(world.initiator.fate).toBe('local 0')
    expect(world.there.carriedOctets).toBe(0)
  })

  it('twice, and after the end, does nothing more', () => {
    const world = new World().connect()
    world.initiator.association.close(0, 'first', world.now)
    world.initiator.association.close(GOING_AWAY, 'second', world.now)
    world.run(1_000)
    world.initiator.association.close(GOING_AWAY, 'third', world.now)
    expect(world.initiator.fate).toBe('local 0')
    expect(world.initiator.events.filter((event) => event.type === 'closed')).toHaveLength(1)
  })
})

describe('abort', () => {
  it('ends at once without a word', () => {
    const world = new World().connect()
    const carried = world.there.carriedOctets
    world.initiator.send(frame)
    world.initiator.association.abort(new ClosedError('CLOSED', 'enough'), world.now)
    world.run(1)
    expect(world.initiator.fate).toBe('CLOSED')
    expect(world.there.carriedOctets).toBe(carried)
    expect(world.responder.fate).toBe('TRANSPORT_LOST')
  })
})

describe('the end', () => {
  it(`${requirement('REC-020')} leaves nothing that could seal, open, or wake up`, () => {
    const world = new World().connect()
    world.initiator.association.close(0, '', world.now)
    world.run(1_000)
    const { association } = world.initiator
    const before = { ...association.counters }
    association.receive(new Uint8Array(100), world.now)
    association.handleTimeout(world.now + 1_000_000)
    association.transportEnded(false, world.now)
    association.setOpenExchanges(3, world.now)
    association.setReadingPaused(true, world.now)
    association.sendError(0x000d, 2, { type: 0x0100, sequence: 0n }, world.now)
    expect(association.sendLink({ op: 'drain' }, world.now)).toBe(false)
    expect(association.nextEvent()).toBeUndefined()
    expect(association.transmit(world.now, 1_000)).toEqual([])
    expect(association.nextTimeout()).toBeUndefined()
    expect(association.queueFull).toBe(false)
    expect({ ...association.counters }).toEqual(before)
  })

  it('a stream that ends without CLOSE is a loss, however orderly it ended', () => {
    const world = new World().connect()
    world.initiator.transportEnded(true, world.now)
    world.run(1)
    expect(world.initiator.fate).toBe('TRANSPORT_LOST')
  })
})
