import { nearest } from '../load/did-you-mean.ts'
import { type FieldPath, printable } from '../load/field-path.ts'
import type { Node } from './plan.ts'

/** What is wrong with a value, for the person who wrote it: what is allowed, and an example where people go wrong. */
export function wrongType(node: Node, value: unknown, path: FieldPath): string {
  if (node.type === 'string' && node.words.type !== undefined) return node.words.type
  if (node.type === 'string' && node.values !== undefined) return oneOf(node.values)
  const example = node.type === 'list' ? LIST_FORMS[String(path.at(-1))] : undefined
  if (example !== undefined) return `must be a list, such as ${example}`
  const octets = node.type === 'integer' ? quantity(value) : undefined
  return octets === undefined ? TYPE_WORDS[node.type] : `${TYPE_WORDS[node.type]}: write ${octets}`
}

export function wrongWord(value: string, values: readonly string[]): string {
  const hint = values.length === 1 ? undefined : nearest(value, values)
  return `${oneOf(values)}${hint === undefined ? '' : `; did you mean ${hint}?`}`
}

export function unknownField(field: string, known: readonly string[]): string {
  const hint = nearest(field, known)
  return `unknown field ${printable(field)}${hint === undefined ? '' : `; did you mean ${hint}?`}`
}

type Counted = 'string' | 'list' | 'map'

export function tooLong(what: Counted, most: number): string {
  return `must have at most ${counted(what, most)}`
}

export function tooShort(what: Counted, least: number): string {
  return `must have at least ${counted(what, least)}`
}

function counted(what: Counted, count: number): string {
  if (what === 'string') return `${count} ${count === 1 ? 'character' : 'characters'}`
  return `${count} ${count === 1 ? 'entry' : 'entries'}`
}

function oneOf(values: readonly string[]): string {
  return `must be ${values.map((value) => JSON.stringify(value)).join(' or ')}`
}

const TYPE_WORDS: Readonly<Record<Node['type'], string>> = {
  string: 'must be a string',
  integer: 'must be a whole number',
  boolean: 'must be true or false',
  list: 'must be a list',
  object: 'must be a map',
  map: 'must be a map',
}

/** Of the lists that other programs write as maps or as one text, by the name of the field. */
const LIST_FORMS: Readonly<Record<string, string>> = {
  args: 'args: ["-y", "some-mcp-server"]',
  env: 'env: [{ name: API_KEY, value: "..." }]',
  headers: 'headers: [{ name: authorization, valueFromEnv: API_KEY }]',
  relayRefs: 'relayRefs: [{ name: edge }]',
}

const MULTIPLES: Readonly<Record<string, number>> = {
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  K: 1e3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
}

/** Sizes are plain octets; who writes a Kubernetes quantity is told the number. */
function quantity(value: unknown): number | undefined {
  const match = typeof value === 'string' ? /^([0-9]{1,6})(Ki|Mi|Gi|K|k|M|G)$/.exec(value) : null
  if (match === null) return undefined
  return Number(match[1]) * (MULTIPLES[match[2] ?? ''] ?? 1)
}
