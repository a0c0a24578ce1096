import { z } from 'zod'
import { type Schema, unwrap } from '../fields/walk.ts'

/** What a field says of itself where a value is wrong; undefined where the general words do. */
export interface Words {
  /** What its pattern asks for. */
  readonly form?: string
  /** What it says to a value of another type. */
  readonly type?: string
}

/** The words of every string below a schema. Paths as in `spec.relayRefs[].name`, and `spec.labels{}` for values of maps. */
export function formsOf(schema: Schema, at: string): ReadonlyMap<string, Words> {
  return new Map(forms(schema, at))
}

function forms(schema: Schema, at: string): [string, Words][] {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodObject) {
    return Object.entries(inner.shape).flatMap(([name, field]) => forms(field, `${at}.${name}`))
  }
  if (inner instanceof z.ZodArray) return forms(inner.element, `${at}[]`)
  if (inner instanceof z.ZodRecord) return forms(inner.valueType, `${at}{}`)
  if (!(inner instanceof z.ZodString)) return []
  const form = (inner.def.checks ?? [])
    .map(({ _zod: { def } }) => def as z.core.$ZodCheckDef & { pattern?: RegExp })
    .flatMap(({ error, pattern }) => (pattern === undefined ? [] : [said(error)]))
    .find((message) => message !== undefined)
  const type = said(inner.def.error)
  return [[at, { ...(form === undefined ? {} : { form }), ...(type === undefined ? {} : { type }) }]]
}

function said(error: z.core.$ZodErrorMap<never> | undefined): string | undefined {
  const message = error?.({ code: 'invalid_format', input: '' } as never)
  return typeof message === 'string' ? message : message?.message
}
