import { z } from 'zod'
import { type Schema, unwrap } from '../fields/walk.ts'

/**
 * For every string with a pattern what its pattern asks for, in words: the field's own message. Paths as in
 * `spec.relayRefs[].name`.
 */
export function formsOf(schema: Schema, at: string): ReadonlyMap<string, string> {
  return new Map(forms(schema, at))
}

function forms(schema: Schema, at: string): [string, string][] {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodObject) {
    return Object.entries(inner.shape).flatMap(([name, field]) => forms(field, `${at}.${name}`))
  }
  if (inner instanceof z.ZodArray) return forms(inner.element, `${at}[]`)
  if (!(inner instanceof z.ZodString)) return []
  const messages = (inner.def.checks ?? []).flatMap((check) => {
    const { error, pattern } = check._zod.def as z.core.$ZodCheckDef & { pattern?: RegExp }
    const said = pattern === undefined ? undefined : error?.({ code: 'invalid_format', input: '' } as never)
    const message = typeof said === 'string' ? said : said?.message
    return message === undefined ? [] : [message]
  })
  return messages.map((message) => [at, message])
}
