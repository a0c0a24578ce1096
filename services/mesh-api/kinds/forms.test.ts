import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Words } from '../schema/forms.ts'
import type { Node } from '../validate/plan.ts'
import { planFor } from '../validate/validate.ts'
import { KIND_NAMES, KINDS } from './all-kinds.ts'
import { metadataSchema } from './metadata.ts'

/**
 * CONTROL section 1: schemas use only forms that have a one-to-one structural image, every string, list and map has a
 * bound, every field a description. What this walk does not know, it refuses.
 */
describe.each([
  ...KIND_NAMES.map((name) => [name, KINDS[name].spec] as const),
  ...KIND_NAMES.map((name) => [`status of ${name}`, KINDS[name].status] as const),
  ['metadata', metadataSchema] as const,
])('the schema of %s', (name, schema) => {
  it('uses only allowed forms, bounded and described', () => {
    expect(faults(schema, name)).toEqual([])
  })

  it('has a structural image', () => {
    expect(() => z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', unrepresentable: 'throw' })).not.toThrow()
  })
})

describe.each(KIND_NAMES)('what %s says to a text of the wrong form', (name) => {
  it('is what is allowed, and an example that is', () => {
    const wrong = textsWithPatterns(planFor(name).node, name).filter(({ pattern, words }) => {
      const example = / such as (.+?)(, .*| or .*)?$/.exec(words.form ?? '')?.[1] ?? ''
      // A public key has more than one line: it is said how to get one.
      return !pattern.test(example) && !example.includes('openssl')
    })
    expect(wrong.map(({ at, words }) => `${at}: ${words.form}`)).toEqual([])
  })
})

it('the walk finds what it is for', () => {
  const bad = z.object({
    open: z.string().describe('x'),
    undescribed: z.int().min(0).max(1),
    refined: z
      .string()
      .max(3)
      .refine((text) => text !== 'no')
      .describe('x'),
    list: z.array(z.string().max(3).describe('x')).describe('x'),
    union: z.union([z.string(), z.int()]).describe('x'),
    transformed: z.string().max(3).transform(Number).describe('x'),
    lookahead: z
      .string()
      .max(3)
      .regex(/^(?!a)b/)
      .describe('x'),
    anything: z.any().describe('x'),
  })
  expect(faults(bad, 'bad').map((fault) => fault.split(':')[0])).toEqual([
    'bad',
    'bad.open',
    'bad.undescribed',
    'bad.refined',
    'bad.list',
    'bad.union',
    'bad.transformed',
    'bad.lookahead',
    'bad.anything',
  ])
})

function faults(schema: z.core.$ZodType, at: string): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return faults(schema.unwrap(), at)
  }
  if (schema instanceof z.ZodObject) return objectFaults(schema, at)
  if (schema instanceof z.ZodArray) {
    const bounded = checksOf(schema).includes('max_length')
    return [...(bounded ? [] : [`${at}: list without a bound`]), ...faults(schema.element, `${at}[]`)]
  }
  if (schema instanceof z.ZodRecord) {
    const bounded = schema.meta()?.maxProperties !== undefined
    return [
      // A CRD has no bound for keys; no rule reads them.
      ...(bounded ? [] : [`${at}: map without a bound`]),
      ...faults(schema.valueType, at),
    ]
  }
  if (schema instanceof z.ZodString) return stringFaults(schema, at)
  if (schema instanceof z.ZodNumber) {
    const { minValue, maxValue } = schema
    const bounded = Number(maxValue) < Number.MAX_SAFE_INTEGER && Number(minValue) > Number.MIN_SAFE_INTEGER
    return bounded ? [] : [`${at}: number without bounds`]
  }
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodBoolean) return []
  return [`${at}: ${schema._zod.def.type} is not an allowed form`]
}

function objectFaults(schema: z.ZodObject, at: string): string[] {
  const found: string[] = schema._zod.def.catchall instanceof z.ZodNever ? [] : [`${at}: not strict`]
  for (const [name, field] of Object.entries(schema.shape)) {
    const inner = faults(field, `${at}.${name}`)
    found.push(...inner)
    if (inner.length === 0 && description(field) === undefined) found.push(`${at}.${name}: no description`)
  }
  return found
}

function description(schema: z.core.$ZodType): string | undefined {
  const own = z.globalRegistry.get(schema)?.description
  if (own !== undefined) return own
  const wraps = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
  return wraps ? description(schema.unwrap()) : undefined
}

function stringFaults(schema: z.ZodString, at: string): string[] {
  const checks = checksOf(schema)
  const allowed = ['max_length', 'min_length', 'string_format']
  const found = checks.filter((check) => !allowed.includes(check)).map((check) => `${at}: check ${check}`)
  if (!checks.includes('max_length')) found.push(`${at}: string without a bound`)
  for (const check of schema.def.checks ?? []) {
    const { pattern } = check._zod.def as { pattern?: RegExp }
    if (pattern !== undefined && /\(\?[=!<]|\\[1-9]/.test(pattern.source)) found.push(`${at}: look-around or reference`)
  }
  return found
}

function checksOf(schema: z.ZodString | z.ZodArray): string[] {
  return (schema.def.checks ?? []).map((check) => check._zod.def.check)
}

function textsWithPatterns(node: Node, at: string): { at: string; pattern: RegExp; words: Words }[] {
  switch (node.type) {
    case 'object':
      return [...node.fields].flatMap(([name, field]) => textsWithPatterns(field, `${at}.${name}`))
    case 'list':
      return textsWithPatterns(node.entry, `${at}[]`)
    case 'map':
      return textsWithPatterns(node.value, `${at}{}`)
    case 'string':
      return node.pattern === undefined ? [] : [{ at, pattern: node.pattern, words: node.words }]
    default:
      return []
  }
}
