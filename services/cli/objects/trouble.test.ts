import { expect, it } from 'vitest'
import { type Condition, meshObject } from './mesh-object.ts'
import { troubleOf } from './trouble.ts'

const ACCEPTED = { type: 'Accepted', status: 'True', reason: 'Accepted', message: '' } as const

function peer(conditions: readonly Condition[], { generation = 1, spec = {} } = {}) {
  return meshObject('MeshPeer', { metadata: { name: 'partner', generation }, spec, status: { conditions } })
}

const condition = (type: string, status: Condition['status'], reason = 'Because'): Condition => ({
  type,
  status,
  reason,
  message: '',
})

it.each([
  ['all is True', [ACCEPTED, condition('Programmed', 'True'), condition('Reachable', 'True')]],
  ['a peer was not needed yet', [ACCEPTED, condition('Reachable', 'Unknown', 'NotDialled')]],
  ['a server was not needed yet', [ACCEPTED, condition('Reachable', 'Unknown', 'NotTried')]],
  ['rare things are not so', [ACCEPTED, condition('IdentityExpiring', 'False'), condition('SuccessorPinned', 'False')]],
  ['a successor was pinned', [ACCEPTED, condition('SuccessorPinned', 'True')]],
] as const)('it is well where %s', (_what, conditions) => {
  expect(troubleOf(peer(conditions))).toBeUndefined()
})

it.each([
  ['nobody has looked', [], 'warning', 'Accepted', 'NotJudged'],
  ['it is refused', [condition('Accepted', 'False', 'NotFound')], 'failed', 'Accepted', 'NotFound'],
  [
    'status is being collected',
    [ACCEPTED, condition('Programmed', 'Unknown', 'Collecting')],
    'warning',
    'Programmed',
    'Collecting',
  ],
  ['its key ends', [ACCEPTED, condition('IdentityExpiring', 'True', 'Soon')], 'warning', 'IdentityExpiring', 'Soon'],
  ['it is classical', [ACCEPTED, condition('PostQuantum', 'False')], 'warning', 'PostQuantum', 'Because'],
  [
    'much is wrong: the cause',
    [condition('Reachable', 'False', 'Last'), condition('Programmed', 'False', 'First'), ACCEPTED],
    'failed',
    'Programmed',
    'First',
  ],
] as const)('where %s it says so', (_what, conditions, level, type, reason) => {
  expect(troubleOf(peer(conditions))).toMatchObject({ level, type, reason })
})

it('what was judged before the latest change is not believed', () => {
  const judged = [{ ...ACCEPTED, observedGeneration: 1 }]
  expect(troubleOf(peer(judged, { generation: 2 }))).toMatchObject({ level: 'warning', reason: 'Outdated' })
})

it('a peer of which classical key exchange is only observed may have it', () => {
  const classical = [ACCEPTED, condition('PostQuantum', 'False')]
  expect(troubleOf(peer(classical, { spec: { postQuantum: 'observe' } }))).toBeUndefined()
})
