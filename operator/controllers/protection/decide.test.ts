import { describe, expect, it } from 'vitest'
import { requirement } from '../../../test/requirements/requirement.ts'
import { decideProtection, type ProtectionFacts } from './decide.ts'

const HOUR_MS = 3_600_000
const NOW_MS = 1_800_000_000_000

function decide(more: Partial<ProtectionFacts>) {
  return decideProtection({
    hasFinalizer: true,
    deletedAtMs: NOW_MS - 1_000,
    isReleased: false,
    isNamespaceGoing: false,
    users: 1,
    holdMs: HOUR_MS,
    nowMs: NOW_MS,
    ...more,
  })
}

describe('the finalizer', () => {
  it(`${requirement('OPR-010')} comes with the first user and goes with the last`, () => {
    expect(decide({ hasFinalizer: false, deletedAtMs: undefined })).toEqual({ kind: 'hold' })
    expect(decide({ deletedAtMs: undefined })).toEqual({ kind: 'leave' })
    expect(decide({ deletedAtMs: undefined, users: 0 })).toEqual({ kind: 'free', reason: 'Unused' })
    expect(decide({ hasFinalizer: false, deletedAtMs: undefined, users: 0 })).toEqual({ kind: 'leave' })
  })

  it(`${requirement('OPR-010')} holds a deletion back, and is not put on an object that is going`, () => {
    expect(decide({})).toEqual({ kind: 'leave', againAfterMs: HOUR_MS - 1_000 })
    expect(decide({ hasFinalizer: false })).toEqual({ kind: 'leave' })
  })

  it.each([
    ['Unused', { users: 0 }],
    ['Released', { isReleased: true }],
    ['NamespaceGoing', { isNamespaceGoing: true }],
    ['HoldElapsed', { deletedAtMs: NOW_MS - HOUR_MS }],
  ])(`${requirement('OPR-011')} goes: %s`, (reason, facts) => {
    expect(decide(facts)).toEqual({ kind: 'free', reason })
  })

  it(`${requirement('OPR-011')} is not put back on what was released`, () => {
    expect(decide({ hasFinalizer: false, deletedAtMs: undefined, isReleased: true })).toEqual({ kind: 'leave' })
  })

  it(`${requirement('OPR-009')} is looked at again, whatever the clock says, no later than after a whole hold`, () => {
    expect(decide({ deletedAtMs: NOW_MS + 100 * HOUR_MS })).toEqual({ kind: 'leave', againAfterMs: HOUR_MS })
  })
})
