import { describe, expect, it } from 'vitest'
import { Inbox } from './inbox.ts'
import { RpcError } from './rpc-error.ts'

function make(capacity = 2) {
  let rooms = 0
  const inbox = new Inbox<string>(capacity, () => {
    rooms += 1
  })
  return { inbox, rooms: () => rooms }
}

describe('an inbox', () => {
  it('gives its messages in their order, also to a reader that came first', async () => {
    const { inbox } = make()
    const reader = inbox[Symbol.asyncIterator]()
    const first = reader.next()
    inbox.put('a')
    inbox.put('b')
    expect([await first, await reader.next()]).toEqual([
      { done: false, value: 'a' },
      { done: false, value: 'b' },
    ])
  })

  it('says when it is full, and when there is room again', async () => {
    const { inbox, rooms } = make(2)
    const reader = inbox[Symbol.asyncIterator]()
    inbox.put('a')
    expect(inbox.full).toBe(false)
    inbox.put('b')
    expect([inbox.full, rooms()]).toEqual([true, 0])
    await reader.next()
    await reader.next()
    expect([inbox.full, rooms()]).toEqual([false, 1])
  })

  it('throws its error once, after what came before', async () => {
    const { inbox } = make()
    inbox.put('a')
    inbox.finish(new RpcError('UNAVAILABLE', 'gone'))
    const reader = inbox[Symbol.asyncIterator]()
    expect(await reader.next()).toEqual({ done: false, value: 'a' })
    await expect(reader.next()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  it('that is abandoned gives nothing of what came before, and takes nothing more', async () => {
    const { inbox } = make()
    inbox.put('a')
    inbox.abandon(undefined)
    inbox.put('b')
    expect(await inbox[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined })
  })

  it('makes room when its reader leaves', async () => {
    const { inbox, rooms } = make(1)
    inbox.put('a')
    for await (const _message of { [Symbol.asyncIterator]: () => ({ ...inbox[Symbol.asyncIterator]() }) }) break
    expect(rooms()).toBe(1)
  })

  it('has one reader', () => {
    const { inbox } = make()
    inbox[Symbol.asyncIterator]()
    expect(() => inbox[Symbol.asyncIterator]()).toThrow('has a reader already')
  })
})
