import { mapFields } from './fields/walk.ts'
import { type AnyResource, KINDS } from './kinds/all-kinds.ts'

const REDACTED = '[redacted]'

/** A copy of a validated resource that may be printed or logged. */
export function redacted<Object extends AnyResource>(resource: Object): Object {
  const spec = mapFields(KINDS[resource.kind].spec, resource.spec, (facts, value) => {
    if (facts.secret === true) return REDACTED
    return facts.secretQuery === true && typeof value === 'string' ? withoutQuery(value) : value
  })
  return { ...resource, spec } as Object
}

function withoutQuery(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? url : `${url.slice(0, start)}?${REDACTED}`
}
