import { describe, expect, it } from 'vitest'
import { ProcessBudget } from './read-budget.ts'
import { ReplyRoom } from './reply-room.ts'

function room(process = new ProcessBudget(1_000), limitOctets = 100) {
  const state = { full: false, told: 0 }
  const replies = new ReplyRoom<string>({
    process,
    limitOctets,
    queueFull: () => state.full,
    onRoom: () => {
      state.told += 1
    },
  })
  return { process, replies, state }
}

describe('ReplyRoom', () => {
  it('lets nothing be read while the queue of the association is full', () => {
    const { replies, state } = room()
    expect(replies.arrived('a', 10)).toBe(true)
    state.full = true
    expect(replies.arrived('a', 20)).toBe(false)
  })

  it('beyond the limit only the answer that was begun first is read on, and the next one once that has been sent', () => {
    const { replies, state } = room()
    expect([replies.arrived('a', 50), replies.arrived('b', 50), replies.arrived('c', 1)]).toEqual([true, true, false])
    expect([replies.mayRead('a'), replies.mayRead('b'), replies.arrived('d', 0)]).toEqual([true, false, false])
    const sent = replies.queued('a', 60)
    expect([replies.heldOctets, replies.mayRead('b'), replies.mayRead('c')]).toEqual([111, true, false])
    expect(state.told).toBe(0)
    sent()
    sent()
    expect([replies.heldOctets, replies.mayRead('c'), state.told]).toEqual([51, true, 1])
  })

  it('what is told bit by bit makes room as it is told', () => {
    const { replies, state } = room()
    replies.arrived('a', 101)
    expect(replies.arrived('b', 1)).toBe(false)
    replies.arrived('a', 0)
    expect([replies.heldOctets, replies.mayRead('b'), state.told]).toEqual([1, true, 1])
  })

  it('a call that ends without its answer gives back what had arrived', () => {
    const { replies, state, process } = room()
    replies.arrived('a', 101)
    replies.forget('a')
    replies.forget('a')
    expect([replies.heldOctets, process.heldOctets, state.told]).toEqual([0, 0, 1])
  })

  it('all associations share the room of the process, and hear when there is some again', () => {
    const process = new ProcessBudget(100)
    const [one, other] = [room(process, 1_000), room(process, 1_000)]
    expect(one.replies.arrived('a', 101)).toBe(true)
    expect(other.replies.arrived('x', 1)).toBe(true)
    expect(other.replies.arrived('y', 1)).toBe(false)
    one.replies.forget('a')
    expect([other.state.told, other.replies.mayRead('y')]).toEqual([1, true])
  })

  it('an association that ends gives back all it held, once', () => {
    const { replies, process } = room()
    const sent = replies.queued('a', 50)
    replies.arrived('b', 50)
    replies.close()
    sent()
    replies.forget('b')
    replies.arrived('c', 10)
    expect(process.heldOctets).toBe(0)
  })
})
