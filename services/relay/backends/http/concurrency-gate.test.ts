import { describe, expect, it } from 'vitest'
import { ConcurrencyGate } from './concurrency-gate.ts'

describe('ConcurrencyGate', () => {
  it('lets as many in as its limit, and the next one when one leaves', () => {
    const log: string[] = []
    const gate = new ConcurrencyGate(2)
    for (const name of ['a', 'b', 'c', 'd']) gate.enter(() => log.push(name))
    expect(log).toEqual(['a', 'b'])
    gate.leave()
    expect(log).toEqual(['a', 'b', 'c'])
    gate.leave()
    gate.leave()
    gate.leave()
    gate.enter(() => log.push('e'))
    expect(log).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('refuses when as many wait as may, at least 16', () => {
    const gate = new ConcurrencyGate(1)
    const entered = Array.from({ length: 18 }, () => gate.enter(() => {}))
    expect(entered.filter((taken) => taken)).toHaveLength(17)
    expect(new Set([gate.enter(() => {}), entered[17]])).toEqual(new Set([false]))
  })

  it('forgets a start that was withdrawn', () => {
    const log: string[] = []
    const gate = new ConcurrencyGate(1)
    const waiting = () => log.push('waiting')
    gate.enter(() => log.push('first'))
    gate.enter(waiting)
    expect(gate.withdraw(waiting)).toBe(true)
    expect(gate.withdraw(waiting)).toBe(false)
    gate.leave()
    expect(log).toEqual(['first'])
  })
})
