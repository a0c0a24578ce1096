import { durationMs, parseDuration } from '../fields/duration.ts'
import type { Rule } from './kind.ts'

/**
 * A rule that bounds a duration; absent ones satisfy it, and so does a text that the schema has refused already. `least`
 * and `most` are durations themselves.
 */
export function durationWithin<Object>(
  fieldPath: `spec.${string}`,
  field: (object: Object) => string | undefined,
  least: string,
  most: string,
): Rule<Object> {
  const [minMs, maxMs] = [durationMs(least), durationMs(most)]
  return {
    id: 'DurationBounds',
    message: `must be between ${least} and ${most}`,
    fieldPath,
    cluster: { cel: within(fieldPath.split('.').slice(1), least, most) },
    holds: (object) => {
      const text = field(object)
      const ms = text === undefined ? undefined : parseDuration(text)
      return ms === undefined || (ms >= minMs && ms <= maxMs)
    },
  }
}

function within(steps: readonly string[], least: string, most: string): string {
  const absent = steps.map((_, index) => `!has(self.${steps.slice(0, index + 1).join('.')})`)
  const length = `duration(self.${steps.join('.')})`
  return `${absent.join(' || ')} || (${length} >= duration('${least}') && ${length} <= duration('${most}'))`
}
