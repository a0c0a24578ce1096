import { isNotApplicable } from './not-applicable.ts'
import { type Outcome, type Outcomes, passes, passesThrough } from './outcome.ts'
import type { Leg, Revision } from './suite.ts'

/** One scenario at one revision, without a mesh and through one. */
export interface Row {
  readonly leg: Leg
  readonly revision: Revision
  readonly scenario: string
  readonly direct: Outcomes
  readonly mesh: Outcomes
}

/** One check id of a row. */
export interface Cell {
  readonly row: Row
  readonly id: string
  readonly direct: Outcome | undefined
  readonly mesh: Outcome | undefined
}

/** Every check that judges something on either side, in the order of the suite's; what only tells is left out. */
export function cellsOf(row: Row): Cell[] {
  const ids = [...new Set([...row.direct.keys(), ...row.mesh.keys()])]
  return ids
    .map((id) => ({ row, id, direct: row.direct.get(id), mesh: row.mesh.get(id) }))
    .filter(({ direct, mesh }) => judged(direct) || judged(mesh))
}

const judged = (outcome: Outcome | undefined) => outcome !== undefined && outcome.status !== 'INFO'

/** What passes without a mesh passes through it, or is known to be none of the suite's business there. */
export function isKept(cell: Cell): boolean {
  const { direct, mesh } = cell
  if (direct === undefined || !passes(direct)) return true
  return isNotApplicable(nameOf(cell)) ? mesh?.status === 'INFO' : passesThrough(direct, mesh)
}

export const nameOf = ({ row, id }: Cell) => `${row.leg} ${row.revision} ${row.scenario} ${id}`
