import { describe, expect, it } from 'vitest'
import { clientRows, serverRows } from './columns.ts'
import { EXCLUDED, isExcluded } from './excluded.ts'
import { readPassingDirect } from './passing-direct.ts'
import { type Leg, scenariosOf } from './suite.ts'
import { faultsOf } from './verdict.ts'

const committed = readPassingDirect()

function committedOf(leg: Leg) {
  return Object.fromEntries(Object.entries(committed).filter(([group]) => group.startsWith(leg)))
}

describe('the official suite finds nothing through two relays that it does not find without them', () => {
  it('as a client of a server that has everything, in both eras', { timeout: 120_000 }, async () => {
    expect(faultsOf(await serverRows(), committedOf('server'))).toEqual([])
  })

  it('as a server for the published client, in both eras', { timeout: 240_000 }, async () => {
    expect(faultsOf(await clientRows(), committedOf('client'))).toEqual([])
  })
})

describe('what is not run', () => {
  it('is a scenario that there is', () => {
    const all = new Set([...scenariosOf('2025-11-25', 'client'), ...scenariosOf('2026-07-28', 'client')])
    expect(EXCLUDED.flatMap(({ scenarios }) => scenarios.filter((one) => !all.has(one)))).toEqual([])
  })

  it('is never a scenario of servers', () => {
    const all = [...scenariosOf('2025-11-25', 'server'), ...scenariosOf('2026-07-28', 'server')]
    expect(all.filter(isExcluded)).toEqual([])
  })
})
