import { objectKindOf } from '@causeway/rpc'
import { ConfigProblem, type ProblemReason } from '../config/problem.ts'
import type { ResourceId } from '../config-store/contract.ts'
import { type Entry, isCurrent } from './entry.ts'
import { claimsOf, dependencyOf, keyOf, type Table } from './table.ts'

export interface SettleInput {
  readonly entries: ReadonlyMap<string, Entry>
  /** Who has what only one can have, of what is in force. */
  readonly holders: ReadonlyMap<string, Entry>
  /** What could be in force by itself. */
  readonly prepared: ReadonlyMap<Entry, Table>
  /** What is to go. */
  readonly removed: ReadonlySet<Entry>
}

export interface Settled {
  /** Comes into force as it was sent. */
  readonly accepted: ReadonlyMap<Entry, Table>
  /** Routes that are there from now on and serve nothing. */
  readonly unavailable: ReadonlyMap<Entry, Table>
  readonly problems: ReadonlyMap<Entry, ConfigProblem>
}

/**
 * Which of the resources that are good by themselves come into force together. What refers to something that is not in force
 * as it was sent last is not either (CONTROL section 3); of two that want what only one can have, who has it keeps it, else
 * the first by name gets it. Pure.
 */
export function settle(input: SettleInput): Settled {
  const accepted = new Map([...input.prepared].sort(([one], [other]) => compare(one.id.name, other.id.name)))
  const problems = new Map<Entry, ConfigProblem>()
  // Each refusal may take from others what they needed.
  for (let settled = false; !settled; ) {
    settled = true
    const taken = new Map<string, Entry>()
    for (const [entry, table] of accepted) {
      const problem =
        dependencyProblem(entry, table, accepted, input) ?? claimProblem(entry, table, accepted, taken, input)
      if (problem === undefined) continue
      accepted.delete(entry)
      problems.set(entry, problem)
      settled = false
    }
  }
  return { accepted, unavailable: standIns(accepted, problems, input), problems }
}

type Tables = ReadonlyMap<Entry, Table>

function dependencyProblem(
  entry: Entry,
  table: Table,
  accepted: Tables,
  { entries, removed }: SettleInput,
): ConfigProblem | undefined {
  const id = dependencyOf(table)
  if (id === undefined) return undefined
  const dependency = entries.get(keyOf(id))
  if (dependency === undefined || removed.has(dependency)) return refused(id, 'is not there')
  if (accepted.has(dependency) || isCurrent(dependency)) return undefined
  // It is so already, and what it leads to has kept its last good version.
  if (isCurrent(entry) && dependency.force !== undefined) return undefined
  return refused(id, 'is not in force as it was sent')
}

function refused({ kind, name }: ResourceId, what: string): ConfigProblem {
  return new ConfigProblem('DependencyRefused', 'spec', `${objectKindOf(kind)} ${name} ${what}`)
}

function claimProblem(
  entry: Entry,
  table: Table,
  accepted: Tables,
  taken: Map<string, Entry>,
  { holders, removed }: SettleInput,
): ConfigProblem | undefined {
  for (const claim of claimsOf(table)) {
    const holder = holders.get(claim)
    const keeps =
      holder !== undefined && holder !== entry && !removed.has(holder) && stillClaims(holder, claim, accepted)
    const other = keeps ? holder : taken.get(claim)
    if (other !== undefined) return takenBy(claim, other)
  }
  for (const claim of claimsOf(table)) taken.set(claim, entry)
  return undefined
}

/** One that changes may leave what it has to others. */
function stillClaims(holder: Entry, claim: string, accepted: Tables): boolean {
  const after = accepted.get(holder)
  return after === undefined || claimsOf(after).includes(claim)
}

const CLAIMS: Readonly<Record<string, { readonly reason: ProblemReason; readonly fieldPath: string }>> = {
  path: { reason: 'PathTaken', fieldPath: 'spec.path' },
  name: { reason: 'NameTaken', fieldPath: 'spec.meshName' },
  handle: { reason: 'HandleTaken', fieldPath: 'spec.identity' },
}

function takenBy(claim: string, { id }: Entry): ConfigProblem {
  const [what = '', value = ''] = claim.split(' ')
  const { reason = 'Invalid', fieldPath = '' } = CLAIMS[what] ?? {}
  return new ConfigProblem(reason, fieldPath, `${value} belongs to ${objectKindOf(id.kind)} ${id.name}`)
}

/** A route without a good version whose target has none either is there all the same: nobody else gets its path. */
function standIns(accepted: Tables, problems: ReadonlyMap<Entry, ConfigProblem>, input: SettleInput): Tables {
  const found = new Map<Entry, Table>()
  const taken = new Map<string, Entry>()
  for (const [entry, table] of accepted) for (const claim of claimsOf(table)) taken.set(claim, entry)
  for (const [entry, { reason }] of problems) {
    const table = input.prepared.get(entry)
    if (reason !== 'DependencyRefused' || table === undefined || entry.force?.isAvailable === true) continue
    if (claimProblem(entry, table, accepted, taken, input) === undefined) found.set(entry, table)
  }
  return found
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
