import { describe, expect, it } from 'vitest'
import { decideReady, type ReadyFacts, type StatefulSetFacts } from './decide-ready.ts'

const statefulSet: StatefulSetFacts = {
  generation: 2,
  observedGeneration: 2,
  replicas: 3,
  readyReplicas: 3,
  updatedReplicas: 3,
  isUpdated: true,
}
const good: ReadyFacts = { identity: { kind: 'good' }, taken: [], statefulSet, remarks: [] }
const decide = (more: Partial<ReadyFacts>) => decideReady({ ...good, ...more })
const set = (more: Partial<StatefulSetFacts>) => decide({ statefulSet: { ...statefulSet, ...more } })

describe('Ready', () => {
  it('is True where all instances are', () => {
    expect(decide({})).toEqual({ status: 'True', reason: 'Ready', message: '3 of 3 instances are ready' })
    expect(set({ replicas: 0, readyReplicas: 0 })).toMatchObject({ status: 'True', reason: 'ScaledToZero' })
  })

  it('says first what a person has to look at first', () => {
    const lost = { kind: 'bad', reason: 'IdentityLost', message: 'gone' } as const
    const behind = { ...statefulSet, readyReplicas: 0 }
    expect(decide({ identity: lost, taken: ['Service x'], statefulSet: behind }).reason).toBe('IdentityLost')
    expect(decide({ taken: ['Service x'], statefulSet: behind })).toMatchObject({
      status: 'False',
      reason: 'NameTaken',
      message: expect.stringContaining('Service x'),
    })
    expect(decide({ identity: { kind: 'pending' }, statefulSet: behind }).reason).toBe('IdentityPending')
    expect(decide({ statefulSet: undefined }).reason).toBe('Progressing')
    expect(set({ observedGeneration: 1 }).reason).toBe('Progressing')
    expect(set({ readyReplicas: 1 })).toMatchObject({ status: 'False', message: '1 of 3 instances are ready' })
  })

  it('stays True while instances are replaced one after the other', () => {
    expect(set({ updatedReplicas: 1, isUpdated: false })).toMatchObject({ status: 'True', reason: 'Updating' })
  })

  it('says what waits', () => {
    const { message } = decide({ identity: { kind: 'good', waitsFor: 'a peer' }, remarks: ['storage is as it was'] })
    expect(message).toBe(
      '3 of 3 instances are ready; the rotation of the identity waits for a peer; storage is as it was',
    )
  })
})
