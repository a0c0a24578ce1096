import { parseDuration } from '../fields/duration.ts'
import type { Rule } from './kind.ts'

/** A rule that bounds a duration; absent ones satisfy it, and so does a text that the schema has refused already. */
export function durationWithin<Object>(
  fieldPath: string,
  field: (object: Object) => string | undefined,
  minMs: number,
  maxMs: number,
  bounds: string,
): Rule<Object> {
  return {
    id: 'DurationBounds',
    message: `must be between ${bounds}`,
    fieldPath,
    holds: (object) => {
      const text = field(object)
      const ms = text === undefined ? undefined : parseDuration(text)
      return ms === undefined || (ms >= minMs && ms <= maxMs)
    },
  }
}
