import { API_VERSION } from '../kinds/kind.ts'
import { formsOf, type Words } from '../schema/forms.ts'
import { type Structural, structural } from '../schema/structural.ts'
import { type GeneratedKind, HEADER } from './crd.ts'

/** The page of a kind in the reference: every field, what it may be, and what has to hold between fields. */
export function referencePage(kind: GeneratedKind): string {
  const sections = [
    `<!-- ${HEADER} -->\n# ${kind.name}`,
    kind.description,
    `\`apiVersion: ${API_VERSION}\`, \`kind: ${kind.name}\`. With kubectl: \`${kind.plural}\`, \`${kind.shortName}\`.`,
    '## spec',
    fieldTable(structural(kind.spec), 'spec', formsOf(kind.spec, 'spec')),
    '## Rules',
    table(
      ['Rule', 'Field', 'What is wrong when it is broken'],
      kind.rules.map(({ id, fieldPath, message }) => [id, code(fieldPath), message]),
    ),
    ...notAtWork(kind),
    '## status',
    'On a cluster only, written by Causeway.',
    fieldTable(structural(kind.status), 'status', formsOf(kind.status, 'status')),
    '## Conditions',
    table(
      ['Type', 'Written by', 'True says'],
      kind.conditions.map(({ type, writer, says }) => [type, writer, says]),
    ),
  ]
  return `${sections.join('\n\n')}\n`
}

function notAtWork({ notImplemented = [] }: GeneratedKind): string[] {
  if (notImplemented.length === 0) return []
  const fields = notImplemented.includes('spec') ? 'The whole kind' : notImplemented.map(code).join(', ')
  return ['## Not at work yet', `${fields}: taken by the schema, refused by relays with the reason \`NotImplemented\`.`]
}

function fieldTable(schema: Structural, at: string, forms: ReadonlyMap<string, Words>): string {
  const rows = fields(schema, at).map(({ path, field, required }) => [
    code(path),
    typeOf(field),
    required ? 'required' : field.default === undefined ? '' : code(JSON.stringify(field.default)),
    allowed(field, path, forms),
    field.description ?? '',
  ])
  return table(['Field', 'Type', 'Default', 'Allowed', 'What it says'], rows)
}

interface Field {
  readonly path: string
  readonly field: Structural
  readonly required: boolean
}

/** The fields below a node, each before its own. Entries of a list are `path[]`; scalars need no row of their own. */
function fields(node: Structural, at: string): Field[] {
  const entry = node.type === 'array' && node.items?.type === 'object' ? node.items : undefined
  if (entry !== undefined) return fields(entry, `${at}[]`)
  return Object.entries(node.properties ?? {}).flatMap(([name, field]) => {
    const path = `${at}.${name}`
    return [{ path, field, required: node.required?.includes(name) ?? false }, ...fields(field, path)]
  })
}

function typeOf(field: Structural): string {
  if (field.type !== 'array') return field.additionalProperties === undefined ? field.type : 'map of strings'
  return field.items?.type === 'object' ? 'list of objects' : `list of ${field.items?.type}s`
}

function allowed(field: Structural, path: string, forms: ReadonlyMap<string, Words>): string {
  const own = bounds(field)
  const form = forms.get(path)?.form
  const scalar = field.type === 'array' && field.items?.type !== 'object' ? field.items : undefined
  const entry = scalar === undefined ? [] : [...bounds(scalar), ...optional(forms.get(`${path}[]`)?.form)]
  const each = entry.length === 0 ? [] : [`each ${entry.join(', ')}`]
  return [...own, ...optional(form), ...each].join('; ')
}

function bounds(field: Structural): string[] {
  const range = (least: unknown, most: unknown, what: string): string[] =>
    most === undefined ? [] : [`${least === undefined ? 'at most' : `${least} to`} ${most}${what}`]
  return [
    ...(Array.isArray(field.enum) ? [field.enum.map((value) => code(String(value))).join(', ')] : []),
    ...range(field.minimum, field.maximum, ''),
    ...range(field.minLength, field.maxLength, ' characters'),
    ...range(field.minItems, field.maxItems, ' entries'),
    ...(field['x-kubernetes-list-type'] === 'set' ? ['no two alike'] : []),
  ]
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}

function code(text: string): string {
  return `\`${text}\``
}

function optional(text: string | undefined): string[] {
  return text === undefined ? [] : [text]
}
