import { describe, expect, test } from 'vitest'
import { KubeVirtualClock, settled } from '../../../test/fixtures/kube/virtual-clock.ts'
import { WorkQueue, type WorkQueueHooks } from './work-queue.ts'

function queueAt(clock: KubeVirtualClock, hooks: WorkQueueHooks = {}): WorkQueue {
  return new WorkQueue({ clock, random: () => 0, backoffInitialMs: 100, backoffMaxMs: 1_000, hooks })
}

describe('a work queue', () => {
  test('hands out keys in the order in which they were added, each once', async () => {
    const queue = queueAt(new KubeVirtualClock())
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key)
    expect(queue.depth).toBe(3)
    expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(['a', 'b', 'c'])
    queue.close()
  })

  test('never gives one key to two workers: what is added meanwhile comes when the first is done', async () => {
    const queue = queueAt(new KubeVirtualClock())
    const taken: (string | undefined)[] = []
    const take = async () => {
      taken.push(await queue.take())
    }
    const workers = [take(), take(), take()]
    for (let added = 0; added < 3; added++) queue.add('a')
    await settled()
    expect(taken).toEqual(['a'])
    queue.done('a')
    await settled()
    expect(taken).toEqual(['a', 'a'])
    queue.done('a')
    await settled()
    expect(taken).toEqual(['a', 'a'])
    queue.close()
    await Promise.all(workers)
  })

  test('a key for later comes then, and the sooner of two times counts', async () => {
    const clock = new KubeVirtualClock()
    const queue = queueAt(clock)
    queue.addAfter('a', 1_000)
    queue.addAfter('a', 500)
    queue.addAfter('a', 2_000)
    clock.advance(499)
    expect(queue.depth).toBe(0)
    clock.advance(1)
    expect(queue.depth).toBe(1)
    clock.advance(5_000)
    expect(queue.depth).toBe(1)
    queue.close()
  })

  test('a key that is added now does not come again later', async () => {
    const clock = new KubeVirtualClock()
    const queue = queueAt(clock)
    queue.addAfter('a', 1_000)
    queue.add('a')
    expect(await queue.take()).toBe('a')
    queue.done('a')
    clock.advance(5_000)
    expect(queue.depth).toBe(0)
    queue.close()
  })

  test('failures in a row wait longer and longer; a success ends the row', () => {
    const clock = new KubeVirtualClock()
    const queue = queueAt(clock)
    const waits: number[] = []
    const waitOf = (key: string) => {
      let waitedMs = 0
      for (; queue.depth === 0; waitedMs += 10) clock.advance(10)
      void queue.take()
      queue.done(key)
      return waitedMs
    }
    for (let failure = 0; failure < 6; failure++) {
      queue.retry('a')
      waits.push(waitOf('a'))
    }
    expect(waits).toEqual([50, 100, 200, 400, 500, 500])
    queue.forget('a')
    queue.retry('a')
    expect(waitOf('a')).toBe(50)
    queue.retry('a', 3_000)
    expect(waitOf('a')).toBe(3_000)
    queue.close()
  })

  test('one key that fails delays no other', () => {
    const clock = new KubeVirtualClock()
    const queue = queueAt(clock)
    for (let failure = 0; failure < 5; failure++) queue.retry('a')
    queue.retry('b')
    clock.advance(50)
    expect(queue.depth).toBe(2)
    queue.close()
  })

  test('closing ends those who wait, and the timers', async () => {
    const clock = new KubeVirtualClock()
    const queue = queueAt(clock)
    const waiting = queue.take()
    queue.addAfter('a', 1_000)
    queue.close()
    expect(await waiting).toBeUndefined()
    expect(await queue.take()).toBeUndefined()
    expect(clock.pending).toBe(0)
  })

  test('what metrics are made of', async () => {
    const clock = new KubeVirtualClock()
    const log: string[] = []
    const queue = queueAt(clock, {
      depth: (depth) => log.push(`depth ${depth}`),
      taken: (waitedMs) => log.push(`waited ${waitedMs}`),
      finished: (workedMs) => log.push(`worked ${workedMs}`),
      retried: () => log.push('retried'),
    })
    queue.add('a')
    clock.advance(20)
    await queue.take()
    clock.advance(30)
    queue.retry('a')
    queue.done('a')
    expect(log).toEqual(['depth 1', 'depth 0', 'waited 20', 'retried', 'worked 30'])
    queue.close()
  })
})
