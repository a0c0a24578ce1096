import { describe, expect, it } from 'vitest'
import { requirement } from '../../test/requirements/requirement.ts'
import { type Condition, nextCondition, type Verdict } from './condition.ts'

const NOW = { generation: 3, nowMs: Date.UTC(2026, 11, 1, 4, 5, 6, 789) }
const yes: Verdict = { status: 'True', reason: 'Fine', message: 'all is there' }
const written: Condition = {
  type: 'Ready',
  ...yes,
  observedGeneration: 3,
  lastTransitionTime: '2026-11-30T00:00:00Z',
}

describe('a condition', () => {
  it('is written with the time to the second', () => {
    expect(nextCondition('Ready', yes, undefined, NOW)).toEqual({
      ...written,
      lastTransitionTime: '2026-12-01T04:05:06Z',
    })
  })

  it(`${requirement('OPR-017')} is not written again where nothing differs`, () => {
    expect(nextCondition('Ready', yes, [written], NOW)).toBeUndefined()
  })

  it(`${requirement('OPR-017')} keeps its time while its status stays`, () => {
    expect(nextCondition('Ready', { ...yes, reason: 'Other' }, [written], NOW)?.lastTransitionTime).toBe(
      written.lastTransitionTime,
    )
    expect(nextCondition('Ready', yes, [{ ...written, observedGeneration: 2 }], NOW)).toMatchObject(written)
    const no = { ...yes, status: 'False' as const }
    expect(nextCondition('Ready', no, [written], NOW)?.lastTransitionTime).toBe('2026-12-01T04:05:06Z')
  })

  it('has a message that fits', () => {
    expect(nextCondition('Ready', { ...yes, message: 'x'.repeat(100_000) }, [], NOW)?.message).toHaveLength(4_096)
  })
})
