import type { FieldPath } from '../load/field-path.ts'
import type { Fault } from './fault.ts'
import type { IntegerNode, ListNode, MapNode, Node, ObjectNode, StringNode } from './plan.ts'
import { misplacedField, missing, tooLong, tooShort, unknownField, wrongType, wrongWord } from './words.ts'

/**
 * A copy of a plain value with the defaults of its schema, and all that the schema has against it: what an API server
 * finds, at the same fields. A field that is null is a field that is not set.
 */
export function checkValue(node: Node, value: unknown, path: FieldPath, faults: Fault[]): unknown {
  switch (node.type) {
    case 'object':
      return isMap(value) ? checkObject(node, value, path, faults) : refuse(node, value, path, faults)
    case 'map':
      return isMap(value) ? checkMap(node, value, path, faults) : refuse(node, value, path, faults)
    case 'list':
      return Array.isArray(value) ? checkList(node, value, path, faults) : refuse(node, value, path, faults)
    case 'string':
      return typeof value === 'string' ? checkString(node, value, path, faults) : refuse(node, value, path, faults)
    case 'integer':
      return Number.isSafeInteger(value)
        ? checkInteger(node, value as number, path, faults)
        : refuse(node, value, path, faults)
    case 'boolean':
      return typeof value === 'boolean' ? value : refuse(node, value, path, faults)
  }
}

function refuse(node: Node, value: unknown, path: FieldPath, faults: Fault[]): undefined {
  faults.push({ path, message: wrongType(node, value, path), kind: 'shape' })
  return undefined
}

function checkObject(node: ObjectNode, value: Fields, path: FieldPath, faults: Fault[]): unknown {
  const result: Record<string, unknown> = {}
  for (const [name, field] of node.fields) {
    const found = value[name] ?? copyOf(field.default)
    if (found !== undefined) result[name] = checkValue(field, found, [...path, name], faults)
    else if (node.required.includes(name))
      faults.push({ path: [...path, name], message: missing(field, name), kind: 'shape' })
  }
  for (const name of Object.keys(value)) {
    if (node.fields.has(name)) continue
    const spec = path.length === 0 ? node.fields.get('spec') : undefined
    const isOfSpec = spec?.type === 'object' && spec.fields.has(name)
    const message = isOfSpec ? misplacedField(name) : unknownField(name, [...node.fields.keys()])
    faults.push({ path: [...path, name], message, kind: 'unknown' })
  }
  return result
}

function checkMap(node: MapNode, value: Fields, path: FieldPath, faults: Fault[]): unknown {
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined && entry !== null)
  if (entries.length > node.maxEntries) {
    faults.push({ path, message: tooLong('map', node.maxEntries), kind: 'shape' })
    return undefined
  }
  return Object.fromEntries(entries.map(([key, entry]) => [key, checkValue(node.value, entry, [...path, key], faults)]))
}

function checkList(node: ListNode, value: readonly unknown[], path: FieldPath, faults: Fault[]): unknown {
  if (value.length > node.max) faults.push({ path, message: tooLong('list', node.max), kind: 'shape' })
  if (value.length < node.min) faults.push({ path, message: tooShort('list', node.min), kind: 'form' })
  const entries = value.map((entry, index) => checkValue(node.entry, entry, [...path, index], faults))
  if (node.keys !== undefined) checkDistinct(node.keys, entries, path, faults)
  return entries
}

function checkDistinct(keys: readonly string[], entries: readonly unknown[], path: FieldPath, faults: Fault[]): void {
  if (entries.length < 2) return
  const counts = new Map<string, number>()
  entries.forEach((entry, index) => {
    const mark = canonical(keys.length === 0 ? entry : keys.map((key) => (entry as Fields | undefined)?.[key]))
    const before = counts.get(mark) ?? 0
    // The first repetition of each is enough.
    if (before === 1) faults.push({ path: [...path, index], message: alike(keys), kind: 'form' })
    counts.set(mark, before + 1)
  })
}

function alike(keys: readonly string[]): string {
  return keys.length === 0 ? 'stands there twice' : `has the ${keys.join(' and ')} of an entry before it`
}

function checkString(node: StringNode, value: string, path: FieldPath, faults: Fault[]): string {
  const { min, max, pattern, values, words } = node
  if (values !== undefined) {
    if (!values.includes(value)) faults.push({ path, message: wrongWord(value, values), kind: 'shape' })
    return value
  }
  const length = codePoints(value, max)
  if (length > max) faults.push({ path, message: tooLong('string', max), kind: 'shape' })
  else if (length < min) faults.push({ path, message: tooShort('string', min), kind: 'form' })
  else if (pattern?.test(value) === false) {
    faults.push({ path, message: words.form ?? 'is not of the form that is allowed', kind: 'form' })
  }
  return value
}

function checkInteger({ min, max }: IntegerNode, value: number, path: FieldPath, faults: Fault[]): number {
  if (value < min) faults.push({ path, message: `must be at least ${min}`, kind: 'form' })
  if (value > max) faults.push({ path, message: `must be at most ${max}`, kind: 'form' })
  return value
}

/** As an API server counts; a text that is far beyond the bound is not counted to its end. */
function codePoints(text: string, max: number): number {
  if (text.length > 2 * max) return text.length
  let count = 0
  for (const _ of text) count++
  return count
}

type Fields = Readonly<Record<string, unknown>>

function isMap(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf)
  return isMap(value) ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copyOf(field)])) : value
}

/** Equal for equal values, whatever the order of their fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isMap(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  )
}
