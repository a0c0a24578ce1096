import { describe, expect, it } from 'vitest'
import { DialGate } from './dial-gate.ts'

describe('DialGate', () => {
  it('starts at most its limit and the next one when one leaves, in order', () => {
    const gate = new DialGate(2)
    const started: number[] = []
    const leave = [0, 1, 2, 3].map((n) => gate.enter(() => started.push(n)))
    expect(started).toEqual([0, 1])
    leave[1]?.()
    expect(started).toEqual([0, 1, 2])
    leave[0]?.()
    expect(started).toEqual([0, 1, 2, 3])
  })

  it('forgets one that leaves before its turn, and counts a second leave once', () => {
    const gate = new DialGate(1)
    const started: number[] = []
    const leave = [0, 1, 2].map((n) => gate.enter(() => started.push(n)))
    leave[1]?.()
    leave[0]?.()
    leave[0]?.()
    expect(started).toEqual([0, 2])
    expect(gate.running).toBe(1)
  })
})
