import { describe, expect, it } from 'vitest'
import { type Posting, SessionQueue } from './session-queue.ts'

/** A posting that notes its turn and keeps its release. */
function posting(name: string, log: string[], octets = 1): Posting & { release: () => void } {
  const made = {
    octets,
    release: () => {},
    run(release: () => void) {
      log.push(name)
      made.release = release
    },
    dropped() {
      log.push(`${name} dropped`)
    },
  }
  return made
}

describe('SessionQueue', () => {
  it('lets a posting go only when the one before it has released the queue', () => {
    const log: string[] = []
    const queue = new SessionQueue(10, 1_000_000)
    const first = posting('first', log)
    queue.add(first)
    queue.add(posting('second', log))
    expect(log).toEqual(['first'])
    first.release()
    expect(log).toEqual(['first', 'second'])
  })

  it('takes one before all that wait, beyond its limit, and none once it is closed', () => {
    const log: string[] = []
    const queue = new SessionQueue(1, 1_000_000)
    const first = posting('first', log)
    queue.add(first)
    queue.add(posting('second', log))
    const between = posting('between', log)
    queue.addFirst(between)
    first.release()
    expect(log).toEqual(['first', 'between'])
    queue.clear()
    queue.addFirst(posting('late', log))
    between.release()
    expect(log).toEqual(['first', 'between', 'second dropped'])
  })

  it('runs any number of postings that release at once, in order', () => {
    const log: string[] = []
    const queue = new SessionQueue(10_000, 1_000_000)
    const blocking = posting('blocking', log)
    queue.add(blocking)
    const names = Array.from({ length: 5_000 }, (_, i) => `${i}`)
    for (const name of names) {
      queue.add({
        octets: 1,
        run: (release) => {
          log.push(name)
          release()
        },
        dropped() {},
      })
    }
    blocking.release()
    expect(log).toEqual(['blocking', ...names])
  })

  it('counts only the first release of a posting', () => {
    const log: string[] = []
    const queue = new SessionQueue(10, 1_000_000)
    const first = posting('first', log)
    queue.add(first)
    queue.add(posting('second', log))
    queue.add(posting('third', log))
    first.release()
    first.release()
    expect(log).toEqual(['first', 'second'])
  })

  it('refuses more than its limit, and takes the last one beyond it', () => {
    const log: string[] = []
    const queue = new SessionQueue(1, 1_000_000)
    const first = posting('first', log)
    const second = posting('second', log)
    queue.add(first)
    expect(queue.add(second)).toBe(true)
    expect(queue.add(posting('refused', log))).toBe(false)
    queue.addLast(posting('last', log))
    expect(queue.add(posting('late', log))).toBe(false)
    first.release()
    second.release()
    expect(log).toEqual(['first', 'second', 'last'])
  })

  it('refuses more octets than may wait, and counts those that left no longer', () => {
    const log: string[] = []
    const queue = new SessionQueue(10, 100)
    const first = posting('first', log, 1_000)
    queue.add(first)
    const large = posting('large', log, 200)
    expect(queue.add(large)).toBe(true)
    expect(queue.add(posting('refused', log, 1))).toBe(false)
    expect(queue.withdraw(large)).toBe(true)
    expect(queue.add(posting('second', log, 60))).toBe(true)
    expect(queue.add(posting('refused', log, 60))).toBe(false)
    first.release()
    expect(log).toEqual(['first', 'second'])
    expect(queue.add(posting('third', log, 60))).toBe(true)
  })

  it('withdraws only what has not run', () => {
    const log: string[] = []
    const queue = new SessionQueue(10, 1_000_000)
    const first = posting('first', log)
    const second = posting('second', log)
    queue.add(first)
    queue.add(second)
    expect(queue.withdraw(first)).toBe(false)
    expect(queue.withdraw(second)).toBe(true)
    first.release()
    expect(log).toEqual(['first'])
  })

  it('drops what waits when it is cleared', () => {
    const log: string[] = []
    const queue = new SessionQueue(10, 1_000_000)
    const first = posting('first', log)
    queue.add(first)
    queue.add(posting('second', log))
    queue.clear()
    first.release()
    expect(log).toEqual(['first', 'second dropped'])
    expect(queue.add(posting('third', log))).toBe(false)
  })
})
