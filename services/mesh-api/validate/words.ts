import { nearest } from '../load/did-you-mean.ts'
import { type FieldPath, printable } from '../load/field-path.ts'
import type { Node } from './plan.ts'

/** What is wrong with a value, for the person who wrote it: what is allowed, and an example where people go wrong. */
export function wrongType(node: Node, value: unknown, path: FieldPath): string {
  if (node.type === 'string' && node.words.type !== undefined) return node.words.type
  if (node.type === 'string' && node.values !== undefined) return oneOf(node.values)
  if (node.type === 'list') return withExample(TYPE_WORDS.list, exampleOf(node, path.at(-1)))
  if (node.type === 'object') return withExample(TYPE_WORDS.object, exampleOf(node, path.at(-1)))
  const number = node.type === 'integer' ? (quantity(value) ?? quoted(value)) : undefined
  return number === undefined ? TYPE_WORDS[node.type] : `${TYPE_WORDS[node.type]}: write ${number}`
}

/** Of a field that is not there. */
export function missing(node: Node, field: string): string {
  if (node.type === 'string' && node.values !== undefined) return `is required, and ${oneOf(node.values)}`
  return withExample('is required', exampleOf(node, field))
}

export function wrongWord(value: string, values: readonly string[]): string {
  const hint = values.length === 1 ? undefined : nearest(value, values)
  return `${oneOf(values)}${hint === undefined ? '' : `; did you mean ${hint}?`}`
}

export function unknownField(field: string, known: readonly string[]): string {
  const hint = nearest(field, known)
  return `unknown field ${printable(field)}${hint === undefined ? '' : `; did you mean ${hint}?`}`
}

/** Of a field that stands beside `spec` and is one of its fields. */
export function misplacedField(field: string): string {
  return `unknown field ${printable(field)} here; it belongs under spec`
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

function withExample(words: string, example: string | undefined): string {
  return example === undefined ? words : `${words}, such as ${example}`
}

/** How the field would be written, or the entry of a list; undefined where no short example says what is meant. */
function exampleOf(node: Node, step: string | number | undefined): string | undefined {
  switch (node.type) {
    case 'string':
      return node.words.form?.split('such as ', 2)[1]
    case 'integer':
      return step === 'port' ? '8080' : undefined
    case 'list':
      return LIST_FORMS[String(step)]
    case 'object': {
      const fields = node.required.map((name) => {
        const field = node.fields.get(name)
        const example = field?.type === 'string' || field?.type === 'integer' ? exampleOf(field, name) : undefined
        return example === undefined ? undefined : `${name}: ${example}`
      })
      if (fields.length === 0 || fields.length > 2 || fields.includes(undefined)) return undefined
      return `${typeof step === 'string' ? `${step}: ` : ''}{ ${fields.join(', ')} }`
    }
    default:
      return undefined
  }
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

/** A number that somebody has put into quotes. */
function quoted(value: unknown): string | undefined {
  return typeof value === 'string' && /^(0|[1-9][0-9]{0,14})$/.test(value) ? `${value}, without quotes` : undefined
}
