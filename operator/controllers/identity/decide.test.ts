import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requirement } from '../../../test/requirements/requirement.ts'
import { decideIdentity } from './decide.ts'
import { isOverdue } from './decide-time.ts'
import type { IdentityFacts, IdentityStatus, SlotFacts, SlotKey } from './facts.ts'
import { IdentityModel } from './model.test-support.ts'
import { recountedStatus, switchedStatus } from './next-status.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 11, 1)
const OVERLAP_MS = 168 * HOUR_MS

const ABSENT: SlotFacts = { kind: 'absent' }
const key = (peerHandle: string, sequence: number): SlotKey => ({
  kind: 'key',
  peerHandle,
  algorithm: 'Ed25519',
  sequence,
  ownerUid: undefined,
})
const ago = (ms: number) => new Date(NOW_MS - ms).toISOString()

const active: IdentityStatus = { state: 'Active', since: ago(0), peerHandle: 'one', secretName: 'x-a' }
const announced = (sinceMs: number): IdentityStatus => ({
  ...active,
  state: 'Announced',
  since: ago(sinceMs),
  next: 'two',
  nextSecretName: 'x-b',
  successor: 'AAAA',
})
const switched = (sinceMs: number): IdentityStatus => ({
  state: 'Switched',
  since: ago(sinceMs),
  peerHandle: 'two',
  secretName: 'x-b',
  previous: 'one',
  previousSecretName: 'x-a',
})

const FACTS: IdentityFacts = {
  uid: 'uid',
  status: active,
  slots: { a: key('one', 1), b: ABSENT },
  secretNames: { a: 'x-a', b: 'x-b' },
  algorithm: 'Ed25519',
  everyMs: undefined,
  overlapMs: OVERLAP_MS,
  deletionPolicy: 'Retain',
  isRotationWanted: false,
  statementNotAfterMs: NOW_MS + 2 * OVERLAP_MS,
  peersBehind: [],
  instancesBehind: [],
  settleMs: HOUR_MS,
  nowMs: NOW_MS,
}

function decide(facts: Partial<IdentityFacts>) {
  return decideIdentity({ ...FACTS, ...facts })
}
const both = { a: key('one', 1), b: key('two', 2) }

describe('a relay without a status', () => {
  it('gets its first key', () => {
    expect(decide({ status: undefined, slots: { a: ABSENT, b: ABSENT } })).toEqual({
      kind: 'createKey',
      slot: 'a',
      sequence: 1,
    })
  })

  it(`${requirement('OPR-004')} has the key of its name again, in whichever slot it is`, () => {
    expect(decide({ status: undefined })).toEqual({ kind: 'adopt', slot: 'a' })
    expect(decide({ status: undefined, slots: { a: ABSENT, b: key('two', 2) } })).toEqual({ kind: 'adopt', slot: 'b' })
  })

  it(`${requirement('OPR-004')} of two keys has the older one, which peers know for certain`, () => {
    expect(decide({ status: undefined, slots: both })).toEqual({ kind: 'adopt', slot: 'a' })
    const swapped = { a: key('three', 3), b: key('two', 2) }
    expect(decide({ status: undefined, slots: swapped })).toEqual({ kind: 'adopt', slot: 'b' })
  })

  it(`${requirement('OPR-004')} takes nothing that goes with a former relay of its name`, () => {
    const former = { ...key('one', 1), ownerUid: 'former' }
    for (const slots of [
      { a: former, b: ABSENT },
      { a: ABSENT, b: former },
      { a: { kind: 'damaged' as const, why: 'has no key.pem', ownerUid: 'former' }, b: ABSENT },
    ])
      expect(decide({ status: undefined, slots })).toMatchObject({ kind: 'letGo' })
    const own = { a: { ...key('one', 1), ownerUid: 'uid' }, b: ABSENT }
    expect(decide({ status: undefined, slots: own })).toEqual({ kind: 'adopt', slot: 'a' })
  })

  it(`${requirement('OPR-005')} whose Secret is damaged gets no other key`, () => {
    const slots = { a: { kind: 'damaged' as const, why: 'has no key.pem' }, b: ABSENT }
    expect(decide({ status: undefined, slots })).toMatchObject({ kind: 'stuck', reason: 'IdentityDamaged' })
  })
})

describe('an identity that is lost', () => {
  it.each([
    ['Active', active],
    ['Announced', announced(HOUR_MS)],
    ['Retired', { ...active, state: 'Retired' as const }],
  ])(`${requirement('OPR-005')} is never replaced: %s`, (_, status) => {
    for (const b of [ABSENT, key('two', 2)])
      expect(decide({ status, slots: { a: ABSENT, b }, isRotationWanted: true })).toMatchObject({
        kind: 'stuck',
        reason: 'IdentityLost',
      })
  })

  it(`${requirement('OPR-005')} is one that holds another key, too`, () => {
    expect(decide({ slots: { a: key('other', 1), b: ABSENT } })).toMatchObject({
      kind: 'stuck',
      message: /holds the key of other, not of one/,
    })
  })

  it('is adopted when it is back', () => {
    expect(decide({}).kind).toBe('steady')
  })
})

describe('a rotation', () => {
  it('begins when the key is old enough, when asked, or for another algorithm', () => {
    const began = { kind: 'createKey', slot: 'b', sequence: 2 }
    expect(decide({}).kind).toBe('steady')
    expect(decide({ everyMs: HOUR_MS })).toEqual({ kind: 'steady', againAfterMs: HOUR_MS })
    expect(decide({ everyMs: HOUR_MS, nowMs: NOW_MS + HOUR_MS })).toEqual(began)
    expect(decide({ isRotationWanted: true })).toEqual(began)
    expect(decide({ algorithm: 'ML-DSA-87' })).toEqual(began)
  })

  it('announces the key that it made, once the Secret is there', () => {
    expect(decide({ slots: both })).toEqual({ kind: 'announce', slot: 'b', isRenewal: false })
  })

  it(`${requirement('OPR-007')} does not take a Secret that no operator made, and deletes none`, () => {
    const slots = { a: key('one', 1), b: key('stray', 0) }
    expect(decide({ slots, isRotationWanted: true })).toMatchObject({ kind: 'steady', waitsFor: /x-b/ })
  })

  it('clears the request that began it', () => {
    expect(decide({ status: announced(0), slots: both, isRotationWanted: true })).toEqual({ kind: 'clearRequest' })
  })

  it(`${requirement('OPR-006')} waits for the overlap, then for every instance of every peer in the mesh`, () => {
    const at = (sinceMs: number, peersBehind: string[] = []) =>
      decide({ status: announced(sinceMs), slots: both, peersBehind })
    expect(at(OVERLAP_MS - 1)).toMatchObject({ kind: 'steady', againAfterMs: 1 })
    expect(at(OVERLAP_MS, ['shop/edge-0'])).toMatchObject({ waitsFor: 'shop/edge-0 to accept the next key' })
    expect(at(OVERLAP_MS)).toEqual({ kind: 'switch' })
  })

  it.each([
    { status: announced(-30 * 24 * HOUR_MS), slots: both },
    { status: switched(-HOUR_MS), slots: both },
    { status: { ...active, since: ago(-HOUR_MS) }, everyMs: HOUR_MS },
  ])(
    `${requirement('OPR-009')} is counted anew by a clock that was set back: never shorter, and never endless`,
    (facts) => {
      expect(decide(facts)).toEqual({ kind: 'recount' })
      const status = recountedStatus(facts.status, NOW_MS)
      expect(status).toEqual({ ...facts.status, since: ago(0) })
      expect(decide({ ...facts, status }).kind).toBe('steady')
    },
  )

  it('is not counted anew for clocks of two operators that differ a little', () => {
    expect(decide({ status: announced(-30_000), slots: both })).toMatchObject({
      kind: 'steady',
      againAfterMs: OVERLAP_MS,
    })
  })

  it('is overdue when it is announced for more than twice the overlap', () => {
    const at = (status: IdentityStatus) => isOverdue({ ...FACTS, status })
    expect(at(announced(2 * OVERLAP_MS))).toBe(false)
    expect(at(announced(2 * OVERLAP_MS + 1))).toBe(true)
    expect(at({ ...active, since: ago(3 * OVERLAP_MS) })).toBe(false)
  })

  it(`${requirement('OPR-006')} announces again before the statement ends`, () => {
    const facts = { status: announced(OVERLAP_MS), slots: both, peersBehind: ['shop/edge-0'] }
    const renewed = { kind: 'announce', slot: 'b', isRenewal: true }
    expect(decide({ ...facts, statementNotAfterMs: NOW_MS + OVERLAP_MS / 4 })).toEqual(renewed)
    expect(decide({ ...facts, statementNotAfterMs: undefined })).toEqual(renewed)
  })

  it(`${requirement('OPR-006')} goes back to one key when the announced one is gone or another`, () => {
    const status = announced(HOUR_MS)
    expect(decide({ status })).toEqual({ kind: 'abandonNext' })
    expect(decide({ status, slots: { a: key('one', 1), b: key('three', 3) } })).toEqual({ kind: 'abandonNext' })
  })

  it(`${requirement('OPR-007')} retires the old key once every instance signs with the new one, and deletes it`, () => {
    const at = (sinceMs: number, instancesBehind: string[] = []) =>
      decide({ status: switched(sinceMs), slots: both, instancesBehind })
    expect(at(0)).toMatchObject({ kind: 'steady', againAfterMs: HOUR_MS })
    expect(at(HOUR_MS, ['shop/tools-1'])).toMatchObject({ waitsFor: 'shop/tools-1 to sign with the new key' })
    expect(at(HOUR_MS)).toEqual({ kind: 'retire' })
    const retired: IdentityStatus = { state: 'Retired', since: ago(0), peerHandle: 'two', secretName: 'x-b' }
    expect(decide({ status: retired, slots: both })).toEqual({ kind: 'deleteKey', slot: 'a' })
    expect(decide({ status: retired, slots: { a: ABSENT, b: both.b } }).kind).toBe('steady')
  })

  it('has a switched status only of an announced one', () => {
    expect(switchedStatus(active, NOW_MS)).toBeUndefined()
  })
})

describe('deletionPolicy', () => {
  it(`${requirement('OPR-008')} ties the Secrets to their relay, or unties them`, () => {
    expect(decide({ deletionPolicy: 'Delete' })).toEqual({ kind: 'setOwner', slot: 'a', isOwned: true })
    const owned = { a: { ...key('one', 1), ownerUid: 'uid' }, b: ABSENT }
    expect(decide({ slots: owned })).toEqual({ kind: 'setOwner', slot: 'a', isOwned: false })
    expect(decide({ slots: owned, deletionPolicy: 'Delete' }).kind).toBe('steady')
    const foreign = { a: { ...key('one', 1), ownerUid: 'another' }, b: ABSENT }
    expect(decide({ slots: foreign, deletionPolicy: 'Delete' })).toMatchObject({ kind: 'setOwner', isOwned: true })
  })
})

describe('two operators, of which one is stopped at any point and woken later', () => {
  it('make one key for each step, lose none, and never skip the overlap', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ actor: fc.nat(1), act: fc.nat(3) }), { maxLength: 120 }), (moves) => {
        const model = new IdentityModel()
        for (const { actor, act } of moves) model.move(actor, act)
        model.settle()
        expect(model.violations).toEqual([])
        expect(model.switches).toBeGreaterThan(0)
      }),
      { numRuns: 300 },
    )
  })
})
