import type { z } from 'zod'
import { nearest } from './did-you-mean.ts'
import { printable } from './field-path.ts'

type RawIssue = z.core.$ZodRawIssue

/** What zod found, in our words; undefined leaves a field's own message in place. */
export function issueMessage(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : wrongType(issue)
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}${closest(issue.input, issue.values)}`
    case 'too_small':
      return bound(issue.origin, 'least', Number(issue.minimum))
    case 'too_big':
      return bound(issue.origin, 'most', Number(issue.maximum))
    case 'invalid_key':
      return 'has a key that is empty or too long'
    default:
      return undefined
  }
}

/** One message for each field that the schema does not have. */
export function unknownField(field: string, known: readonly string[]): string {
  const hint = nearest(field, known)
  return `unknown field ${printable(field)}${hint === undefined ? '' : `; did you mean ${hint}?`}`
}

function wrongType({ expected, input, path }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  const form = expected === 'array' ? LIST_FORMS[String(path?.at(-1))] : undefined
  if (form !== undefined) return `must be a list, such as ${form}`
  const words = TYPE_WORDS[expected] ?? `must be of type ${expected}`
  const octets = expected === 'int' || expected === 'number' ? quantity(input) : undefined
  return octets === undefined ? words : `${words}: write ${octets}`
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'must be a string',
  number: 'must be a whole number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be a map',
  record: 'must be a map',
}

const BINARY: Readonly<Record<string, number>> = {
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  K: 1e3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
}

/** Of the lists that other programs write as maps or as one text, by the name of the field. */
const LIST_FORMS: Readonly<Record<string, string>> = {
  args: 'args: ["-y", "some-mcp-server"]',
  env: 'env: [{ name: API_KEY, value: "..." }]',
  headers: 'headers: [{ name: authorization, valueFromEnv: API_KEY }]',
}

/** Sizes are plain octets; who writes a Kubernetes quantity is told the number. */
function quantity(input: unknown): number | undefined {
  const match = typeof input === 'string' ? /^([0-9]{1,6})(Ki|Mi|Gi|K|k|M|G)$/.exec(input) : null
  if (match === null) return undefined
  return Number(match[1]) * (BINARY[match[2] ?? ''] ?? 1)
}

function closest(input: unknown, values: readonly unknown[]): string {
  const hint = typeof input === 'string' ? nearest(input, values.map(String)) : undefined
  return hint === undefined || values.length === 1 ? '' : `; did you mean ${hint}?`
}

function bound(origin: string, word: 'least' | 'most', limit: number): string {
  if (origin === 'string') return `must have at ${word} ${count(limit, 'character')}`
  if (origin === 'array') return `must have at ${word} ${count(limit, 'entry', 'entries')}`
  return `must be at ${word} ${limit}`
}

function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}
