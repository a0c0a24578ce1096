import type { Finding } from '@causeway/mesh-api'
import { describe, expect, it } from 'vitest'
import { requirement } from '../../../test/requirements/requirement.ts'
import { relayInput } from '../../fixtures/relay-input.ts'
import type { Condition } from '../../status/condition.ts'
import { type AcceptanceFacts, decideAcceptance } from './decide.ts'

const object = relayInput({ metadata: { name: 'edge', namespace: 'shop' }, spec: {} }).relay
const notFound: Finding = { id: 'NotFound', object, fieldPath: ['spec', 'relayRefs', 0, 'name'], message: 'not there' }
const taken: Finding = { id: 'PathTaken', object, fieldPath: ['spec', 'path'], message: 'taken' }

function decide(more: Partial<AcceptanceFacts>) {
  return decideAcceptance({
    faults: [],
    findings: [],
    missing: [],
    isDeleting: false,
    users: [],
    before: undefined,
    generation: 2,
    ...more,
  })
}

const accepted = (observedGeneration: number, more: Partial<Condition> = {}): Condition => ({
  type: 'Accepted',
  status: 'True',
  reason: 'Accepted',
  message: '',
  lastTransitionTime: '2026-12-01T00:00:00Z',
  observedGeneration,
  ...more,
})

describe('Accepted', () => {
  it('is True where nothing is wrong', () => {
    expect(decide({})).toMatchObject({ status: 'True', reason: 'Accepted' })
  })

  it(`${requirement('OPR-013')} names the field of what is wrong, the worst first`, () => {
    const faults = [{ path: ['spec', 'flavour'], message: 'is unknown', kind: 'form' as const }]
    expect(decide({ faults, findings: [taken] })).toEqual({
      status: 'False',
      reason: 'InvalidStored',
      message: 'spec.flavour is unknown',
    })
    expect(decide({ findings: [taken, notFound] })).toEqual({
      status: 'False',
      reason: 'PathTaken',
      message: 'spec.path: taken; spec.relayRefs[0].name: not there',
    })
    const missing = [{ fieldPath: 'spec.x', what: 'Secret shop/a', key: 'k' }]
    expect(decide({ missing })).toMatchObject({ reason: 'KeyNotFound', message: 'spec.x: Secret shop/a has no key k' })
    expect(decide({ missing: [{ fieldPath: 'spec.x', what: 'Secret shop/a' }] })).toMatchObject({
      reason: 'DataNotFound',
      message: 'spec.x: Secret shop/a is not there',
    })
  })

  it(`${requirement('OPR-012')} tells what it named when it was accepted from what was never there`, () => {
    const reason = (before: Condition | undefined) => decide({ findings: [notFound], before }).reason
    expect(reason(undefined)).toBe('NotFound')
    expect(reason(accepted(2))).toBe('TargetDeleted')
    expect(reason(accepted(2, { status: 'False', reason: 'TargetDeleted' }))).toBe('TargetDeleted')
    expect(reason(accepted(2, { status: 'False', reason: 'NotFound' }))).toBe('NotFound')
    // It was another object then: what it names now was never accepted.
    expect(reason(accepted(1))).toBe('NotFound')
  })

  it(`${requirement('OPR-012')} says by whom a deletion is held back`, () => {
    const users = Array.from({ length: 7 }, (_, index) => `MeshRoute shop/r${index}`)
    expect(decide({ users }).reason).toBe('Accepted')
    expect(decide({ users, isDeleting: true })).toMatchObject({
      status: 'True',
      reason: 'InUse',
      message: /in use by MeshRoute shop\/r0, .* and 2 more$/,
    })
  })
})
