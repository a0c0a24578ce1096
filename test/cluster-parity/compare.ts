import { isDeepStrictEqual } from 'node:util'
import { type Fault, type FieldPath, validateObject } from '@causeway/mesh-api'
import type { Row } from '../../services/mesh-api/fixtures/rows/row.ts'
import type { Answer } from './dry-runs.ts'

interface Told {
  readonly field: string
  readonly message: string
}

interface OwnFault extends Told {
  readonly kind: Fault['kind']
}

/** Where our validator and an API server differ about a row; undefined where they do not. */
export function differenceOf(row: Row, answer: Answer): string | undefined {
  const ours = validateObject(row.kind, row.object)
  const theirs = 'refused' in answer ? answer.refused : undefined
  if ('resource' in ours) {
    if (theirs !== undefined) return `${row.name}: only the API server refuses: ${told(theirs)}`
    const stored = 'accepted' in answer ? answer.accepted : undefined
    if (isDeepStrictEqual(sorted(stored), sorted(ours.resource.spec))) return undefined
    return `${row.name}: other defaults: ${JSON.stringify(stored)} and ${JSON.stringify(ours.resource.spec)}`
  }
  const faults = ours.faults.map(({ path, message, kind }) => ({ field: fieldOf(path), message, kind }))
  if (theirs === undefined) return `${row.name}: only our validator refuses: ${told(faults)}`
  if (theirs.every(({ message }) => message.startsWith('unknown field')))
    return differenceOfUnknown(row, faults, theirs)
  const [own, others] = [fieldsOf(faults), fieldsOf(theirs)]
  if (!isDeepStrictEqual(own, others)) return `${row.name}: fields ${told(faults)}, API server: ${told(theirs)}`
  const otherTexts = faults.filter(
    ({ field, message, kind }) =>
      kind === 'rule' && !theirs.some((one) => one.field === field && one.message.endsWith(message)),
  )
  return otherTexts.length === 0
    ? undefined
    : `${row.name}: other text: ${told(otherTexts)}, API server: ${told(theirs)}`
}

/**
 * An API server that does not know a field says nothing else; and of a value of another type it may name what is in it,
 * where we name the value.
 */
function differenceOfUnknown(row: Row, faults: readonly OwnFault[], theirs: readonly Told[]): string | undefined {
  const unknown = faults.filter(({ kind }) => kind === 'unknown').map(({ field }) => field)
  const misshapen = faults.filter(({ kind }) => kind === 'shape').map(({ field }) => field)
  const named = theirs.map(({ field }) => field)
  const isOurs = (field: string) =>
    unknown.includes(field) || misshapen.some((one) => field.startsWith(`${one}.`) || field.startsWith(`${one}[`))
  if (unknown.every((field) => named.includes(field)) && named.every(isOurs)) return undefined
  return `${row.name}: unknown ${told(faults)}, API server: ${told(theirs)}`
}

function fieldsOf(faults: readonly { readonly field: string }[]): string[] {
  return [...new Set(faults.map(({ field }) => field))].sort()
}

/** As an API server writes it. */
function fieldOf(path: FieldPath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)
}

function told(faults: readonly Told[]): string {
  return faults.map(({ field, message }) => `${field} (${message.slice(0, 120)})`).join('; ')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, sorted(field)]),
  )
}
