import { beforeEach, describe, expect, it } from 'vitest'
import type { AssociationEvent } from '../association/contract.ts'
import { concatOctets } from '../wire/octets.ts'
import type { Transport, TransportReceiver } from './contract.ts'
import { type Clock, type Connection, connect } from './driver.ts'
import { FakeCore } from './fake-core.test-support.ts'
import { memoryPair } from './memory/pair.ts'

const octets = (length: number, fill = 0) => new Uint8Array(length).fill(fill)

/** Time and deferred work that move only when a test says so. */
class ManualClock implements Clock {
  time = 1000
  readonly timers = new Map<number, { at: number; ms: number; callback: () => void }>()
  readonly set: number[] = []
  #next = 1

  now(): number {
    return this.time
  }

  setTimeout(callback: () => void, ms: number): unknown {
    const handle = this.#next++
    this.timers.set(handle, { at: this.time + ms, ms, callback })
    this.set.push(ms)
    return handle
  }

  clearTimeout(handle: unknown): void {
    this.timers.delete(handle as number)
  }

  advance(ms: number): void {
    this.time += ms
    for (const [handle, timer] of [...this.timers])
      if (timer.at <= this.time) {
        this.timers.delete(handle)
        timer.callback()
      }
  }
}

class FakeTransport implements Transport {
  readonly info = { kind: 'memory' } as const
  readonly writes: Uint8Array[][] = []
  readonly log: string[] = []
  full = false
  receiver: TransportReceiver | undefined

  start(receiver: TransportReceiver): void {
    this.receiver = receiver
  }
  write(pieces: readonly Uint8Array[]): boolean {
    this.writes.push([...pieces])
    return !this.full
  }
  pauseReading(): void {
    this.log.push('pause')
  }
  resumeReading(): void {
    this.log.push('resume')
  }
  end(): void {
    this.log.push('end')
  }
  destroy(): void {
    this.log.push('destroy')
  }
}

let clock: ManualClock
let core: FakeCore
let transport: FakeTransport
let events: AssociationEvent[]
let deferred: (() => void)[]
let onEvent: (event: AssociationEvent) => void

function start(): Connection {
  const defer = (callback: () => void) => void deferred.push(callback)
  return connect(core, transport, clock, (event) => onEvent(event), { defer })
}

/** Ends the turn: everything deferred runs, and what that defers again. */
function endTurn(): void {
  for (let work = deferred.shift(); work !== undefined; work = deferred.shift()) work()
}

const from = () => transport.receiver ?? expect.fail('the transport was not started')

beforeEach(() => {
  clock = new ManualClock()
  core = new FakeCore()
  transport = new FakeTransport()
  events = []
  deferred = []
  onEvent = (event) => void events.push(event)
})

describe('sending', () => {
  it('writes what the association has to say at once, for an initiator speaks first', () => {
    core.queue(octets(5))
    start()
    endTurn()
    expect(transport.writes).toEqual([[octets(5)]])
  })

  it('puts all that was sent within one turn into one write', () => {
    const connection = start()
    endTurn()
    for (let count = 1; count <= 10; count++) {
      core.queue(octets(count))
      connection.flush()
    }
    expect(transport.writes).toEqual([])
    endTurn()
    expect(transport.writes).toEqual([Array.from({ length: 10 }, (_, index) => octets(index + 1))])
  })

  it('answers within the turn of the input, in the same write', () => {
    onEvent = () => core.queue(octets(3))
    start()
    endTurn()
    core.events.push({ type: 'drained' }, { type: 'drained' })
    from().onOctets(octets(1))
    core.queue(octets(9))
    endTurn()
    expect(transport.writes).toEqual([[octets(3), octets(3), octets(9)]])
  })

  it('waits for a full transport, and goes on when it is writable', () => {
    const connection = start()
    endTurn()
    transport.full = true
    core.queue(octets(200_000, 1), octets(100_000, 2), octets(100_000, 3))
    connection.flush()
    endTurn()
    expect(transport.writes.length).toBe(1)
    connection.flush()
    endTurn()
    expect(transport.writes.length).toBe(1)
    transport.full = false
    from().onWritable()
    endTurn()
    expect(concatOctets(transport.writes.flat()).length).toBe(400_000)
    expect(transport.writes.length).toBe(2)
  })

  it('asks the association for bounded pieces while the transport takes them', () => {
    const connection = start()
    endTurn()
    core.queue(...Array.from({ length: 40 }, () => octets(64 * 1024)))
    connection.flush()
    endTurn()
    expect(transport.writes.length).toBe(10)
    expect(Math.max(...transport.writes.map((pieces) => concatOctets(pieces).length))).toBe(256 * 1024)
  })

  it('reads on while it cannot write', () => {
    start()
    transport.full = true
    core.queue(octets(1))
    endTurn()
    from().onOctets(octets(7))
    from().onOctets(octets(8))
    expect(core.received.map((one) => one.length)).toEqual([7, 8])
    expect(transport.log).toEqual([])
  })
})

describe('events', () => {
  it('are delivered in order in the turn of the input that caused them', () => {
    start()
    core.events.push({ type: 'drained' }, { type: 'peerError', channel: 0, code: 1, refType: 0, refSequence: 0n })
    from().onOctets(octets(1))
    expect(events.map((event) => event.type)).toEqual(['drained', 'peerError'])
  })

  it('that a handler causes come after the one it handles', () => {
    const order: string[] = []
    onEvent = (event) => {
      order.push(`begin ${event.type}`)
      if (event.type === 'drained') {
        core.finish()
        from().onOctets(octets(1))
      }
      order.push(`end ${event.type}`)
    }
    start()
    core.events.push({ type: 'drained' })
    from().onOctets(octets(1))
    expect(order).toEqual(['begin drained', 'end drained', 'begin closed', 'end closed'])
  })

  it('of what the owner asked for come with the flush', () => {
    const connection = start()
    endTurn()
    core.close()
    connection.flush()
    endTurn()
    expect(events.map((event) => event.type)).toEqual(['closed'])
    expect(transport.log).toEqual(['end'])
  })
})

describe('timers', () => {
  it('follow the next deadline of the association', () => {
    core.due = 1500
    start()
    endTurn()
    expect(clock.set).toEqual([500])
    clock.advance(500)
    expect(core.log).toContain('timeout at 1500')
    endTurn()
    expect(clock.timers.size).toBe(0)
  })

  it('are set anew for an earlier deadline, and left alone for a later one', () => {
    core.due = 2000
    const connection = start()
    endTurn()
    for (const due of [3000, 2500, 1200]) {
      core.due = due
      connection.flush()
      endTurn()
    }
    expect(clock.set).toEqual([1000, 200])
    expect(clock.timers.size).toBe(1)
  })

  it('that fired too early are set for the rest', () => {
    core.due = 2000
    const connection = start()
    endTurn()
    core.due = 5000
    connection.flush()
    endTurn()
    clock.advance(1000)
    endTurn()
    expect(clock.set).toEqual([1000, 3000])
    clock.advance(3000)
    expect(core.log).toContain('timeout at 5000')
  })

  it('never exceed 2^31-1 and never are negative', () => {
    core.due = 1000 + 2 ** 40
    const connection = start()
    endTurn()
    expect(clock.set).toEqual([2 ** 31 - 1])
    core.due = 10
    connection.flush()
    endTurn()
    expect(clock.set).toEqual([2 ** 31 - 1, 0])
  })

  it('are rounded up to whole milliseconds', () => {
    core.due = 1000.25
    start()
    endTurn()
    expect(clock.set).toEqual([1])
  })

  it('go when there is no deadline any more', () => {
    core.due = 2000
    const connection = start()
    endTurn()
    core.due = undefined
    connection.flush()
    endTurn()
    expect(clock.timers.size).toBe(0)
  })
})

describe('the end', () => {
  it('of the association writes what is left once more, even to a full transport, then ends it', () => {
    core.due = 9000
    const connection = start()
    endTurn()
    transport.full = true
    core.queue(octets(1))
    connection.flush()
    endTurn()
    core.queue(octets(2), octets(3))
    core.finish()
    from().onOctets(octets(1))
    expect(transport.writes).toEqual([[octets(1)], [octets(2), octets(3)]])
    expect(transport.log).toEqual(['end'])
    expect(clock.timers.size).toBe(0)
  })

  it('is the last thing that anybody hears', () => {
    const connection = start()
    endTurn()
    core.finish()
    from().onOctets(octets(1))
    core.log.length = 0
    from().onOctets(octets(1))
    from().onWritable()
    from().onEnd(false)
    connection.flush()
    endTurn()
    clock.advance(1e6)
    expect(core.log).toEqual([])
    expect(events.map((event) => event.type)).toEqual(['closed'])
    expect(transport.log).toEqual(['end'])
  })

  it('comes even when the owner fails at it', () => {
    onEvent = () => expect.fail('the owner failed')
    start()
    endTurn()
    core.finish()
    expect(() => from().onOctets(octets(1))).toThrow('the owner failed')
    expect(transport.log).toEqual(['end'])
  })

  it('of the transport is told to the association, clean or not', () => {
    for (const clean of [true, false]) {
      core = new FakeCore()
      start()
      from().onEnd(clean)
      expect(core.log).toContain(`ended ${clean ? 'clean' : 'lost'} at 1000`)
    }
  })
})

describe('two drivers over a memory pair', () => {
  it('carry octets both ways and end together', async () => {
    const [near, far] = memoryPair()
    const [a, b] = [new FakeCore(), new FakeCore()]
    const ends: string[] = []
    const ended = new Promise<void>((resolve) => {
      const on = (name: string) => (event: AssociationEvent) => {
        ends.push(`${name} ${event.type}`)
        if (ends.length === 2) resolve()
      }
      a.queue(octets(10, 1))
      b.queue(octets(20, 2))
      connect(a, near, clock, on('a'))
      const connection = connect(b, far, clock, on('b'))
      setImmediate(() => {
        b.close()
        connection.flush()
      })
    })
    await ended
    expect(concatOctets(a.received)).toEqual(octets(20, 2))
    expect(concatOctets(b.received)).toEqual(octets(10, 1))
    expect(ends).toEqual(['b closed', 'a closed'])
    expect(a.log.some((line) => line.startsWith('ended clean'))).toBe(true)
  })
})
