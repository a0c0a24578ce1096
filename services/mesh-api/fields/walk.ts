import { z } from 'zod'
import { FIELD_FACTS, type FieldFacts } from './facts.ts'

export type Schema = z.core.$ZodType

/** The schema inside `optional`, `default` and `prefault`. */
export function unwrap(schema: Schema): Schema {
  const wraps = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
  return wraps ? unwrap(schema.unwrap()) : schema
}

/** A copy of a validated value in which every field with facts is what `change` makes of it. */
export function mapFields(
  schema: Schema,
  value: unknown,
  change: (facts: FieldFacts, value: unknown) => unknown,
): unknown {
  const inner = unwrap(schema)
  const facts = FIELD_FACTS.get(inner)
  if (facts !== undefined) return change(facts, value)
  if (inner instanceof z.ZodObject) {
    const fields = Object.entries(value as Record<string, unknown>).map(([name, field]): [string, unknown] => {
      const fieldSchema: Schema | undefined = inner.shape[name]
      return [name, fieldSchema === undefined || field === undefined ? field : mapFields(fieldSchema, field, change)]
    })
    return Object.fromEntries(fields)
  }
  if (inner instanceof z.ZodArray) return (value as unknown[]).map((entry) => mapFields(inner.element, entry, change))
  return value
}
