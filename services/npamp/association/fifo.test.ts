import { describe, expect, it } from 'vitest'
import { Fifo } from './fifo.ts'

describe('Fifo', () => {
  it('hands out in order, however pushes and shifts interleave', () => {
    const fifo = new Fifo<number>()
    const out: (number | undefined)[] = []
    for (let i = 0; i < 5000; i++) {
      fifo.push(i)
      if (i % 3 !== 0) out.push(fifo.shift())
    }
    while (fifo.length > 0) out.push(fifo.shift())
    expect(out).toEqual(Array.from({ length: 5000 }, (_, i) => i))
    expect(fifo.peek()).toBeUndefined()
    expect(fifo.shift()).toBeUndefined()
  })

  it('shares nothing between two queues', () => {
    const one = new Fifo<string>()
    const two = new Fifo<string>()
    one.push('a')
    expect(two.length).toBe(0)
    one.clear()
    two.push('b')
    expect(one.length).toBe(0)
    expect(two.peek()).toBe('b')
  })
})
