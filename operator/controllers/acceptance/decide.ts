import { type Fault, type Finding, formatFieldPath } from '@causeway/mesh-api'
import type { Condition, Verdict } from '../../status/condition.ts'

export interface AcceptanceFacts {
  /** Why what is stored is not valid by itself. */
  readonly faults: readonly Fault[]
  /** What is wrong with it because of others. */
  readonly findings: readonly Finding[]
  /** Entries of Secrets and ConfigMaps that it names and that are not there. */
  readonly missing: readonly MissingEntry[]
  readonly isDeleting: boolean
  /** Those that use it and are not themselves going, `Kind namespace/name`. */
  readonly users: readonly string[]
  /** Accepted as it stands, and the generation of the object. */
  readonly before: Condition | undefined
  readonly generation: number
}

export interface MissingEntry {
  readonly fieldPath: string
  /** As `Secret shop/token`, and the key where only that is missing. */
  readonly what: string
  readonly key?: string
}

interface Check {
  readonly verdict: (facts: AcceptanceFacts) => Verdict | undefined
}

/** Ordered: the first that has something to say is what a person has to look at. */
const CHECKS: readonly Check[] = [
  { verdict: invalidStored },
  { verdict: targetDeleted },
  { verdict: found },
  { verdict: missingEntry },
  { verdict: inUse },
]

export function decideAcceptance(facts: AcceptanceFacts): Verdict {
  for (const { verdict } of CHECKS) {
    const said = verdict(facts)
    if (said !== undefined) return said
  }
  return {
    status: 'True',
    reason: 'Accepted',
    message: 'the object is valid and everything that it refers to is there',
  }
}

/** CONTROL section 1: a stored object that no longer validates; its last good version stays in force. */
function invalidStored({ faults }: AcceptanceFacts): Verdict | undefined {
  if (faults.length === 0) return undefined
  const texts = faults.slice(0, MOST_TOLD).map(({ path, message }) => `${formatFieldPath(path)} ${message}`)
  return no('InvalidStored', texts.join('; '))
}

/** CONTROL section 6: it had been accepted as it is, and what it refers to went. */
function targetDeleted({ findings, before, generation }: AcceptanceFacts): Verdict | undefined {
  const gone = findings.find(({ id }) => id === 'NotFound')
  if (gone === undefined || before?.observedGeneration !== generation) return undefined
  const wasAccepted = before.status === 'True' || before.reason === 'TargetDeleted'
  return wasAccepted ? no('TargetDeleted', textOf(gone)) : undefined
}

function found({ findings }: AcceptanceFacts): Verdict | undefined {
  const first = findings[0]
  return first === undefined ? undefined : no(first.id, findings.slice(0, MOST_TOLD).map(textOf).join('; '))
}

function missingEntry({ missing }: AcceptanceFacts): Verdict | undefined {
  const first = missing[0]
  if (first === undefined) return undefined
  const texts = missing
    .slice(0, MOST_TOLD)
    .map(
      ({ fieldPath, what, key }) => `${fieldPath}: ${what} ${key === undefined ? 'is not there' : `has no key ${key}`}`,
    )
  return no(first.key === undefined ? 'DataNotFound' : 'KeyNotFound', texts.join('; '))
}

/** CONTROL section 6: a deletion that is held back says by whom. */
function inUse({ isDeleting, users }: AcceptanceFacts): Verdict | undefined {
  if (!isDeleting || users.length === 0) return undefined
  const rest = users.length - MOST_TOLD
  const named = `${users.slice(0, MOST_TOLD).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  return { status: 'True', reason: 'InUse', message: `its deletion waits; in use by ${named}` }
}

const MOST_TOLD = 5

function textOf({ fieldPath, message }: Finding): string {
  return `${formatFieldPath(fieldPath)}: ${message}`
}

function no(reason: string, message: string): Verdict {
  return { status: 'False', reason, message }
}
