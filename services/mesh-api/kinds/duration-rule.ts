import { DURATION_FORM } from '../fields/duration.ts'
import type { Rule } from './kind.ts'

/** A rule that bounds a duration; an absent one satisfies it. `least` and `most` are durations themselves. */
export function durationWithin(fieldPath: `spec.${string}`, least: string, most: string): Rule {
  const steps = fieldPath.split('.').slice(1)
  const absent = steps.map((_, index) => `!has(self.${steps.slice(0, index + 1).join('.')})`)
  return {
    id: 'DurationBounds',
    message: `must be between ${least} and ${most}`,
    fieldPath,
    cel: `${absent.join(' || ')} || ${isWithin(`self.${steps.join('.')}`, least, most)}`,
  }
}

/** CEL: a text that is there is within bounds, or is no duration, which its schema refuses already. */
export function isWithin(text: string, least: string, most: string): string {
  const length = `duration(${text})`
  return `${isNone(text)} || (${length} >= duration('${least}') && ${length} <= duration('${most}'))`
}

/** CEL: `duration()` would fail, and an API server say so instead of what is wrong. */
export function isNone(text: string): string {
  return `!${text}.matches('${DURATION_FORM}')`
}
