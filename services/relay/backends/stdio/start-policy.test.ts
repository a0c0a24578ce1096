import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../test/fixtures/edge/virtual-clock.ts'
import { StartPolicy } from './start-policy.ts'

describe('starting a server', () => {
  it('waits from 100 ms to 30 s after failures in a row, with jitter, and says until when', () => {
    const clock = new VirtualClock()
    const policy = new StartPolicy(clock, () => 0)
    expect(policy.refusal()).toBeUndefined()
    const waits: number[] = []
    for (let failures = 0; failures < 10; failures++) {
      policy.failed('it exited')
      const from = clock.now()
      expect(policy.refusal()).toMatchObject({ code: 'NotDelivered', outcome: 0 })
      while (policy.refusal() !== undefined) clock.advance(10)
      waits.push(clock.now() - from)
    }
    expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 15_000, 15_000])
    const late = new StartPolicy(clock, () => 1)
    for (let failures = 0; failures < 10; failures++) late.failed('it exited')
    expect(late.refusal()).toMatchObject({
      retryAfter: '30',
      message: 'it exited; it is not started again before 30 s have passed',
    })
  })

  it('waits no more once one has said something', () => {
    const policy = new StartPolicy(new VirtualClock(), Math.random)
    policy.failed('it exited')
    policy.succeeded()
    expect(policy.refusal()).toBeUndefined()
  })
})
