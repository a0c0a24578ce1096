import type { Check } from './suite.ts'

/** What became of one check id in one scenario; a repeated id is as good as its worst observation. */
export interface Outcome {
  readonly status: Check['status']
  /** How many of its observations were successes. */
  readonly successes: number
  /** Why it is not a success, where the suite says so. */
  readonly reason?: string
}

/** Check id -> outcome. */
export type Outcomes = ReadonlyMap<string, Outcome>

/** What a scenario skips or only tells does not speak against what it observed as well. */
const WORST_FIRST: readonly Check['status'][] = ['FAILURE', 'WARNING', 'SUCCESS', 'SKIPPED', 'INFO']

export function outcomesOf(checks: readonly Check[]): Outcomes {
  const byId = Map.groupBy(checks, ({ id }) => id)
  return new Map([...byId].map(([id, same]) => [id, outcomeOf(same)]))
}

function outcomeOf(same: readonly Check[]): Outcome {
  const worst = WORST_FIRST.map((status) => same.find((check) => check.status === status)).find(Boolean) as Check
  const successes = same.filter(({ status }) => status === 'SUCCESS').length
  const reason = worst.status === 'SUCCESS' ? undefined : (worst.errorMessage ?? JSON.stringify(worst.details))
  return { status: worst.status, successes, ...(reason === undefined ? {} : { reason }) }
}

export const passes = (outcome: Outcome | undefined): boolean => outcome?.status === 'SUCCESS'

/** Through the mesh a check passes when nothing about it went worse, and as often as without. */
export function passesThrough(direct: Outcome, mesh: Outcome | undefined): boolean {
  return passes(mesh) && (mesh?.successes ?? 0) >= direct.successes
}
