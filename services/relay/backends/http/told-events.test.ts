import { describe, expect, it } from 'vitest'
import { ToldEvents } from './told-events.ts'

const data = (text: string) => Buffer.from(text)

describe('what has been told in a session', () => {
  it('is known by id and content, on every connection but its own', () => {
    const told = new ToldEvents()
    const [first, second] = [told.newConnection(), told.newConnection()]
    expect(told.note('1', data('a'), first)).toBe(true)
    expect(told.note('1', data('a'), first)).toBe(true)
    expect(told.note('1', data('a'), second)).toBe(false)
    expect(told.note('2', data('a'), second)).toBe(true)
    expect(told.note('1', data('b'), second)).toBe(true)
  })

  it('is one repetition for each connection: a server without real ids may say the same thing again', () => {
    const told = new ToldEvents()
    const [first, second] = [told.newConnection(), told.newConnection()]
    told.note('0', data('changed'), first)
    const again = [1, 2, 3].map(() => told.note('0', data('changed'), second))
    expect(again).toEqual([false, true, true])
  })

  it('tells long events apart by their length and their ends', () => {
    const told = new ToldEvents()
    const [first, second] = [told.newConnection(), told.newConnection()]
    const long = Buffer.alloc(100_000, 'x')
    told.note('1', long, first)
    expect(told.note('1', long, second)).toBe(false)
    for (const [n, other] of [long.subarray(1), Buffer.concat([long.subarray(1), data('y')])].entries()) {
      told.note(`${n}`, long, first)
      expect(told.note(`${n}`, other, second)).toBe(true)
    }
  })

  it('is forgotten, the oldest first, beyond a bound', () => {
    const told = new ToldEvents()
    const [first, second] = [told.newConnection(), told.newConnection()]
    for (let n = 0; n < 10_000; n++) told.note(`${n}`, data('a'), first)
    expect(told.note('9999', data('a'), second)).toBe(false)
    expect(told.note('0', data('a'), second)).toBe(true)
  })
})
