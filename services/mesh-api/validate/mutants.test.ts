import { describe, expect, it } from 'vitest'
import { BROKEN } from '../fixtures/broken/all.ts'
import { boundRows } from '../fixtures/rows/bounds.ts'
import { randomOf } from '../fixtures/rows/random.ts'
import { textsOf } from '../fixtures/rows/texts-of.ts'
import { type Place, placesOf, type SchemaPath } from '../fixtures/rows/tree.ts'
import { KIND_NAMES, KINDS } from '../kinds/all-kinds.ts'
import type { Node, StringNode } from './plan.ts'
import { isTransition, planRules } from './rules.ts'
import { type Plan, planFor, validateWith } from './validate.ts'

const ANYTHING = Number.POSITIVE_INFINITY

/** A validator that lacks one rule, or one thing that a schema says, is found by at least one of the rows. */
describe.each(KIND_NAMES)('dropping anything that is said of %s is noticed', (kind) => {
  const plan = planFor(kind)
  const rows = boundRows(kind, randomOf(1))
  const byPlace = Map.groupBy(rows, ({ about = [] }) => about.join('.'))

  it.each(
    KINDS[kind].rules
      .filter((rule) => !isTransition(rule))
      .map((rule) => [`${rule.id} ${rule.fieldPath}`, rule] as const),
  )('rule %s', (_, dropped) => {
    const without = { ...plan, rules: planRules(KINDS[kind].rules.filter((rule) => rule !== dropped)) }
    const objects = (BROKEN[kind][dropped.id] ?? []).map(([object]) => object)
    expect(objects.some((object) => verdict(plan, object) !== verdict(without, object))).toBe(true)
  })

  it('of bounds, forms, words, required fields and entries that are alike', () => {
    const places = placesOf(plan.node).filter(({ path }) => path[0] === 'spec')
    const unnoticed = places.flatMap((place) =>
      mutantsOf(place).flatMap(({ what, node }) => {
        const without = { ...plan, node: withNodeAt(plan.node, place.path, node) }
        const near = byPlace.get(place.path.join('.')) ?? []
        const isNoticed = near.some(({ object }) => verdict(plan, object) !== verdict(without, object))
        return isNoticed ? [] : [`${place.path.join('.')}: ${what}`]
      }),
    )
    expect(unnoticed).toEqual([])
  })
})

function verdict(plan: Plan, object: unknown): string {
  const validated = validateWith(plan, object)
  if ('resource' in validated) return 'accepted'
  return JSON.stringify(validated.faults.map(({ path, message }) => [path, message]))
}

interface Mutant {
  readonly what: string
  readonly node: Node
}

/** A part of a schema without one of the things that it says, but for those that follow from the others. */
function mutantsOf({ node }: Place): Mutant[] {
  switch (node.type) {
    case 'string':
      return stringMutants(node)
    case 'integer':
      return [
        { what: 'no least', node: { ...node, min: -ANYTHING } },
        { what: 'no most', node: { ...node, max: ANYTHING } },
      ]
    case 'list': {
      // No more words than there are can differ.
      const isImplied =
        node.keys !== undefined && node.entry.type === 'string' && (node.entry.values?.length ?? ANYTHING) <= node.max
      return [
        ...(node.min === 0 ? [] : [{ what: 'no fewest entries', node: { ...node, min: 0 } }]),
        ...(isImplied ? [] : [{ what: 'no most entries', node: { ...node, max: ANYTHING } }]),
        ...(node.keys === undefined ? [] : [{ what: 'entries alike', node: { ...node, keys: undefined } }]),
      ]
    }
    case 'map':
      return [{ what: 'no most entries', node: { ...node, maxEntries: ANYTHING } }]
    case 'object':
      return node.required.map((name) => ({
        what: `${name} not required`,
        node: { ...node, required: node.required.filter((one) => one !== name) },
      }))
    case 'boolean':
      return []
  }
}

function stringMutants(node: StringNode): Mutant[] {
  if (node.values !== undefined) return [{ what: 'any word', node: { ...node, values: undefined } }]
  const texts = textsOf(node, node.max + 1)
  const isPossible = (length: number): boolean => length >= 0 && texts.lengths(length, length).length > 0
  return [
    ...(isPossible(node.min - 1) ? [{ what: 'no fewest characters', node: { ...node, min: 0 } }] : []),
    ...(isPossible(node.max + 1) ? [{ what: 'no most characters', node: { ...node, max: ANYTHING } }] : []),
    ...(node.pattern === undefined ? [] : [{ what: 'any form', node: { ...node, pattern: undefined } }]),
  ]
}

function withNodeAt(node: Node, [step, ...rest]: SchemaPath, wanted: Node): Node {
  if (step === undefined) return wanted
  switch (node.type) {
    case 'list':
      return { ...node, entry: withNodeAt(node.entry, rest, wanted) }
    case 'map':
      return { ...node, value: withNodeAt(node.value, rest, wanted) }
    case 'object': {
      const field = node.fields.get(step)
      if (field === undefined) throw new TypeError(`no field ${step}`)
      return { ...node, fields: new Map(node.fields).set(step, withNodeAt(field, rest, wanted)) }
    }
    default:
      throw new TypeError(`nothing below a ${node.type}`)
  }
}
