import { describe, expect, it } from 'vitest'
import { outcomesOf } from './outcome.ts'
import type { Row } from './row.ts'
import type { Check } from './suite.ts'
import { faultsOf } from './verdict.ts'

type Statuses = Readonly<Record<string, readonly Check['status'][]>>

function rowOf(direct: Statuses, mesh: Statuses): Row {
  const outcomes = (statuses: Statuses) =>
    outcomesOf(Object.entries(statuses).flatMap(([id, all]) => all.map((status) => ({ id, name: id, status }))))
  return {
    leg: 'server',
    revision: '2025-11-25',
    scenario: 'ping',
    direct: outcomes(direct),
    mesh: outcomes(mesh),
  }
}

const LIST = { 'server 2025-11-25': { ping: ['pong'] } }
const PASSES: Statuses = { pong: ['SUCCESS', 'SUCCESS'] }

describe('a run', () => {
  it('is without fault when both columns are alike and the list is as it was', () => {
    expect(faultsOf([rowOf(PASSES, PASSES)], LIST)).toEqual([])
  })

  it('may skip and tell what it likes beside its successes', () => {
    const more: Statuses = { pong: ['SUCCESS', 'SKIPPED', 'SUCCESS'], seen: ['INFO'] }
    expect(faultsOf([rowOf(PASSES, more)], LIST)).toEqual([])
  })

  it.each<[string, Statuses]>([
    ['a failure', { pong: ['SUCCESS', 'FAILURE'] }],
    ['a warning', { pong: ['WARNING', 'SUCCESS'] }],
    ['skipped', { pong: ['SKIPPED'] }],
    ['only told', { pong: ['INFO'] }],
    ['seldomer', { pong: ['SUCCESS'] }],
    ['never made', {}],
  ])('fails when a check that passes directly is %s through the mesh', (_what, mesh) => {
    expect(faultsOf([rowOf(PASSES, mesh)], LIST)).toHaveLength(1)
  })

  it('passes over what the suite only tells of through the mesh, where that is known', () => {
    const row = {
      ...rowOf({ 'server-sse-disconnect-resume': ['SUCCESS'] }, { 'server-sse-disconnect-resume': ['INFO'] }),
      scenario: 'server-sse-polling',
    }
    const list = { 'server 2025-11-25': { 'server-sse-polling': ['server-sse-disconnect-resume'] } }
    expect(faultsOf([row], list)).toEqual([])
    expect(faultsOf([{ ...row, mesh: outcomesOf([]) }], list)).toHaveLength(1)
  })

  it('fails when something of the list no longer passes directly', () => {
    const failing: Statuses = { pong: ['FAILURE'] }
    expect(faultsOf([rowOf(failing, failing)], LIST)).toEqual([
      'passed without a mesh once, and no longer: server 2025-11-25 ping pong',
    ])
  })

  it('fails when something passes directly that is not on the list', () => {
    expect(faultsOf([rowOf(PASSES, PASSES)], {})).toHaveLength(1)
  })
})
