import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { OUTCOME } from '@causeway/npamp'
import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../test/fixtures/edge/virtual-clock.ts'
import { RecordingSink } from '../../../test/fixtures/http/recording-sink.ts'
import type { CallReply } from '../exchanges/contract.ts'
import { Delivery, MAX_HELD_OCTETS, MAX_STALL_MS } from './delivery.ts'

const octets = (text: string): Uint8Array => Buffer.from(text)
const reply = (text: string): CallReply => ({
  kind: 'result',
  octets: octets(text),
  status: undefined,
  parameters: new Map(),
})

function deliver() {
  const clock = new VirtualClock()
  const sink = new RecordingSink()
  const tooSlow: string[] = []
  let heldOctets = 0
  const delivery = new Delivery(sink, {
    clock,
    onHeld: (change) => {
      heldOctets += change
    },
    onTooSlow: (why) => tooSlow.push(why),
  })
  return { clock, sink, tooSlow, delivery, held: () => heldOctets }
}

describe('Delivery', () => {
  it('passes everything straight on to a sink that keeps up', () => {
    const { sink, delivery, held, clock } = deliver()
    delivery.notification(octets('a'))
    delivery.notification(octets('b'))
    delivery.end(reply('r'))
    expect(sink.notifications).toEqual(['a', 'b'])
    expect(sink.ends).toHaveLength(1)
    expect(held()).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it('holds what comes while the sink is behind, the end last, and delivers it in order', () => {
    const { sink, delivery, held } = deliver()
    sink.answer = 'wait'
    delivery.notification(octets('a'))
    delivery.notification(octets('bb'))
    delivery.notification(octets('ccc'))
    delivery.end(reply('rrrr'))
    expect(sink.notifications).toEqual(['a'])
    expect(held()).toBe(9)

    delivery.resume()
    expect(sink.notifications).toEqual(['a', 'bb'])
    sink.answer = 'ok'
    delivery.resume()
    expect(sink.notifications).toEqual(['a', 'bb', 'ccc'])
    expect(sink.ends).toHaveLength(1)
    expect(held()).toBe(0)
  })

  it('keeps nothing of what it delivered, though its sink never catches up', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const clock = new VirtualClock()
    const delivery = new Delivery({ notification: () => 'wait' }, { clock, onHeld() {}, onTooSlow() {} })
    delivery.notification(octets('first'))
    const given = Array.from({ length: 1_000 }, () => {
      const one = new Uint8Array(100)
      delivery.notification(one)
      if (delivery.heldOctets > 200) delivery.resume()
      return new WeakRef(one)
    })
    await setImmediate()
    collect()
    expect(delivery.heldOctets).toBe(200)
    expect(given.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(100)
    delivery.resume()
    delivery.resume()
    expect(delivery.heldOctets).toBe(0)
  })

  it('gives up beyond 4 MiB of notifications, and delivers nothing more', () => {
    const { sink, delivery, tooSlow, held } = deliver()
    sink.answer = 'wait'
    delivery.notification(octets('first'))
    const megabyte = new Uint8Array(1024 * 1024)
    for (let held = 0; held < MAX_HELD_OCTETS; held += megabyte.length) delivery.notification(megabyte)
    expect(tooSlow).toEqual([])
    delivery.notification(octets('x'))
    expect(tooSlow).toEqual(['overflow'])
    expect(held()).toBe(0)
    delivery.resume()
    delivery.end(reply('r'))
    expect(sink.notifications).toHaveLength(1)
    expect(sink.ends).toHaveLength(0)
  })

  it('holds one reply, however large it is', () => {
    const { sink, delivery, tooSlow } = deliver()
    sink.answer = 'wait'
    delivery.notification(octets('a'))
    delivery.end({ ...reply(''), octets: new Uint8Array(MAX_HELD_OCTETS + 1) })
    expect(tooSlow).toEqual([])
    delivery.resume()
    expect(sink.ends).toHaveLength(1)
  })

  it('gives up after 30 s without progress; taking something is progress', () => {
    const { clock, sink, delivery, tooSlow } = deliver()
    sink.answer = 'wait'
    delivery.notification(octets('a'))
    delivery.notification(octets('b'))
    clock.advance(MAX_STALL_MS - 1)
    delivery.resume()
    expect(sink.notifications).toEqual(['a', 'b'])
    clock.advance(MAX_STALL_MS - 1)
    expect(tooSlow).toEqual([])
    clock.advance(1)
    expect(tooSlow).toEqual(['stall'])
  })

  it('takes a failure as an end like any other', () => {
    const { sink, delivery } = deliver()
    delivery.end({ code: 'NotDelivered', outcome: OUTCOME.UNKNOWN, message: 'lost' })
    delivery.end(reply('too late'))
    expect(sink.ends).toEqual([{ code: 'NotDelivered', outcome: OUTCOME.UNKNOWN, message: 'lost' }])
  })
})
