import { describe, expect, test } from 'vitest'
import { KubeVirtualClock, settled } from '../../../test/fixtures/kube/virtual-clock.ts'
import { KubeError } from '../rest/kube-error.ts'
import { startController } from './controller.ts'
import { WorkQueue } from './work-queue.ts'

function queueAt(clock: KubeVirtualClock): WorkQueue {
  return new WorkQueue({ clock, random: () => 0, backoffInitialMs: 100 })
}

describe('workers on a queue', () => {
  test('a failure is told and tried again, later each time, until it succeeds', async () => {
    const clock = new KubeVirtualClock()
    const queue = queueAt(clock)
    const failures: number[] = []
    const tries: number[] = []
    const controller = startController({
      queue,
      workers: 1,
      reconcile: async () => {
        tries.push(clock.now() - 1_000)
        if (tries.length < 3) throw new Error('not yet')
        return undefined
      },
      failed: (_, __, count) => failures.push(count),
    })
    queue.add('a')
    await clock.pass(10_000, 10)
    expect(tries).toEqual([0, 50, 150])
    expect(failures).toEqual([1, 2])
    await controller.stop()
  })

  test('after a success, failures begin to count anew', async () => {
    const clock = new KubeVirtualClock()
    const queue = queueAt(clock)
    const failures: number[] = []
    let tries = 0
    const controller = startController({
      queue,
      workers: 1,
      reconcile: async () => {
        if (++tries % 3 !== 0) throw new Error('not yet')
        return undefined
      },
      failed: (_, __, count) => failures.push(count),
    })
    queue.add('a')
    await clock.pass(5_000)
    queue.add('a')
    await clock.pass(5_000)
    expect(failures).toEqual([1, 2, 1, 2])
    await controller.stop()
  })

  test('a server that says when to come back is obeyed', async () => {
    const clock = new KubeVirtualClock()
    const queue = queueAt(clock)
    const tries: number[] = []
    const controller = startController({
      queue,
      workers: 1,
      reconcile: async () => {
        tries.push(clock.now() - 1_000)
        if (tries.length === 1) throw new KubeError('TooManyRequests', 'slowly', { retryAfterMs: 2_000 })
        return undefined
      },
      failed: () => {},
    })
    queue.add('a')
    await clock.pass(10_000, 10)
    expect(tries).toEqual([0, 2_000])
    await controller.stop()
  })

  test('a key comes back when it asked for that', async () => {
    const clock = new KubeVirtualClock()
    const queue = queueAt(clock)
    let tries = 0
    const controller = startController({
      queue,
      workers: 1,
      reconcile: async () => (++tries < 4 ? { againAfterMs: 1_000 } : undefined),
      failed: () => {},
    })
    queue.add('a')
    await clock.pass(10_000)
    expect(tries).toBe(4)
    await controller.stop()
  })

  test('as many keys at a time as there are workers, never one twice', async () => {
    const clock = new KubeVirtualClock()
    const queue = queueAt(clock)
    const busy = new Set<string>()
    const ends: (() => void)[] = []
    let most = 0
    const controller = startController({
      queue,
      workers: 3,
      reconcile: (key) => {
        expect(busy.has(key)).toBe(false)
        busy.add(key)
        most = Math.max(most, busy.size)
        return new Promise((resolve) => {
          ends.push(() => {
            busy.delete(key)
            resolve(undefined)
          })
        })
      },
      failed: () => {},
    })
    for (let round = 0; round < 4; round++) {
      for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key)
      await settled()
      for (const end of ends.splice(0)) end()
      await settled()
    }
    expect(most).toBe(3)
    const stopped = controller.stop()
    for (const end of ends.splice(0)) end()
    await stopped
  })

  test('stopping aborts the work under way and waits for its end', async () => {
    const queue = queueAt(new KubeVirtualClock())
    const log: string[] = []
    const controller = startController({
      queue,
      workers: 1,
      reconcile: (_, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            log.push('aborted')
            setImmediate(() => {
              log.push('ended')
              reject(new Error('aborted'))
            })
          })
        }),
      failed: () => log.push('failed'),
    })
    queue.add('a')
    await settled()
    await controller.stop()
    log.push('stopped')
    expect(log).toEqual(['aborted', 'ended', 'stopped'])
  })
})
