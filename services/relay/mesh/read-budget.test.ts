import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../test/fixtures/edge/virtual-clock.ts'
import { MAX_PAUSE_MS, ProcessBudget, ReadBudget } from './read-budget.ts'

function budget(process: ProcessBudget, clock: VirtualClock, limitOctets = 100) {
  const said: string[] = []
  const read = new ReadBudget({
    process,
    clock,
    limitOctets,
    onPause: (paused) => said.push(paused ? 'pause' : 'resume'),
    failLargest: () => said.push('fail largest'),
  })
  return { read, said }
}

describe('ReadBudget', () => {
  it('pauses reading beyond the limit of the association, and resumes when it is kept again', () => {
    const { read, said } = budget(new ProcessBudget(1_000), new VirtualClock())
    read.hold(100)
    expect(said).toEqual([])
    read.hold(1)
    read.hold(50)
    expect(said).toEqual(['pause'])
    read.release(51)
    expect(said).toEqual(['pause', 'resume'])
  })

  it('pauses for 5 s at most; then the largest exchange ends and reading goes on', () => {
    const clock = new VirtualClock()
    const { read, said } = budget(new ProcessBudget(1_000), clock)
    read.hold(200)
    clock.advance(MAX_PAUSE_MS - 1)
    expect(said).toEqual(['pause'])
    clock.advance(1)
    expect(said).toEqual(['pause', 'resume', 'fail largest'])
  })

  it('pauses whoever holds more when the process has no room, and all go on when there is', () => {
    const process = new ProcessBudget(150)
    const clock = new VirtualClock()
    const first = budget(process, clock)
    const second = budget(process, clock)
    first.read.hold(90)
    second.read.hold(90)
    expect(first.said).toEqual([])
    expect(second.said).toEqual(['pause'])
    first.read.release(40)
    expect(second.said).toEqual(['pause', 'resume'])
  })

  it('admits what can be refused only inside both limits', () => {
    const process = new ProcessBudget(150)
    const { read } = budget(process, new VirtualClock())
    const other = budget(process, new VirtualClock())
    expect(read.admits(100)).toBe(true)
    expect(read.admits(101)).toBe(false)
    other.read.hold(100)
    expect(read.admits(50)).toBe(true)
    expect(read.admits(51)).toBe(false)
  })

  it('gives everything back when its association ends', () => {
    const process = new ProcessBudget(150)
    const clock = new VirtualClock()
    const { read, said } = budget(process, clock)
    read.hold(120)
    read.close()
    expect(process.heldOctets).toBe(0)
    expect(clock.pending).toBe(0)
    expect(said).toEqual(['pause'])
  })
})
