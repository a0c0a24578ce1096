import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EVENT_COST_OCTETS, EventBudget, type EventOwner, SessionEvents } from './session-events.ts'

class Owner implements EventOwner {
  readonly droppedSequences: number[] = []
  dropped(sequence: number): void {
    this.droppedSequences.push(sequence)
  }
}

const octets = (length: number) => new Uint8Array(length).fill(1)

function store(limits = { events: 3, octets: 100 }, budget = new EventBudget(10_000)) {
  const count = { dropped: 0 }
  const events = new SessionEvents(limits, budget, () => count.dropped++)
  const owner = new Owner()
  const held = (of: EventOwner = owner, after = 0) => [...events.after(of, after)].map(({ sequence }) => sequence)
  return { events, owner, held, count, budget }
}

describe('the events that a session holds', () => {
  it('are copies: whoever gave them may use the memory again', () => {
    const { events, owner } = store()
    const given = Uint8Array.of(1, 2, 3)
    events.add(owner, 1, given)
    given.fill(9)
    expect([...events.after(owner, 0)].map(({ octets }) => [...octets])).toEqual([[1, 2, 3]])
  })

  it('are found by their owner, behind a sequence, in order', () => {
    const { events, owner, held } = store()
    const other = new Owner()
    events.add(owner, 1, octets(1))
    events.add(other, 1, octets(1))
    events.add(owner, 5, octets(1))
    expect(held()).toEqual([1, 5])
    expect(held(owner, 1)).toEqual([5])
    expect(held(owner, 5)).toEqual([])
    expect(held(other)).toEqual([1])
  })

  it('are as many as the limit says, the oldest going first, and its owner is told', () => {
    const { events, owner, held, count } = store()
    for (const sequence of [1, 2, 3, 4, 5]) expect(events.add(owner, sequence, octets(1))).toBe(true)
    expect(held()).toEqual([3, 4, 5])
    expect(owner.droppedSequences).toEqual([1, 2])
    expect(count.dropped).toBe(2)
  })

  it('hold no event that is larger than all that may be held', () => {
    const { events, owner, held } = store()
    events.add(owner, 1, octets(1))
    expect(events.add(owner, 2, octets(101))).toBe(false)
    expect(held()).toEqual([1])
    expect(store({ events: 0, octets: 100 }).events.add(owner, 1, octets(1))).toBe(false)
  })

  it('never exceed a limit, nor does what all sessions hold, whatever comes in which order', () => {
    const step = fc.record({ session: fc.nat(2), length: fc.nat(30), clears: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const limitOctets = 60 + 6 * EVENT_COST_OCTETS
        const budget = new EventBudget(limitOctets)
        const sessions = [0, 1, 2].map(() => store({ events: 4, octets: 40 }, budget))
        let sequence = 0
        for (const { session, length, clears } of steps) {
          const one = sessions[session]
          one?.events.add(one.owner, ++sequence, octets(length))
          if (clears && length === 0) one?.events.clear()
          const held = sessions.map(({ events, owner }) => [...events.after(owner, 0)])
          const sums = held.map((events) => events.reduce((sum, event) => sum + event.octets.length, 0))
          for (const [index, { events }] of sessions.entries()) {
            expect(events.size).toBe(held[index]?.length)
            expect(events.size).toBeLessThanOrEqual(4)
            expect(sums[index]).toBeLessThanOrEqual(40)
          }
          const texts = sums.reduce((sum, one) => sum + one, 0)
          expect(budget.octets).toBe(texts + held.flat().length * EVENT_COST_OCTETS)
          expect(budget.octets).toBeLessThanOrEqual(limitOctets)
        }
        for (const { events } of sessions) events.clear()
        expect(budget.octets).toBe(0)
      }),
    )
  })

  it('are gone from memory once they are dropped, whoever dropped an event before them', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const budget = new EventBudget(EVENT_COST_OCTETS + 10)
    const quiet = store(undefined, budget)
    quiet.events.add(quiet.owner, 1, octets(10))
    const busy = store(undefined, budget)
    const refs = Array.from({ length: 20 }, (_, index) => {
      const owner = new Owner()
      busy.events.add(owner, index, octets(10))
      return new WeakRef(owner)
    })
    await setImmediate()
    collect()
    const left = refs.map((ref) => (ref.deref() === undefined ? 'gone' : 'held'))
    expect(left).toEqual([...Array(19).fill('gone'), 'held'])
    expect([quiet.events.size, busy.events.size]).toEqual([0, 1])
  })

  it('may be asked for more by an owner that is told of a loss', () => {
    const { events, held, owner } = store()
    const greedy: EventOwner = { dropped: (sequence) => sequence < 10 && events.add(owner, 100 + sequence, octets(1)) }
    for (const sequence of [1, 2, 3, 4]) events.add(greedy, sequence, octets(1))
    expect(events.size).toBe(3)
    expect(held()).toEqual([102, 103, 104])
  })
})
