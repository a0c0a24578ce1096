import type { Rule } from './kind.ts'

/** A rule that bounds a duration; an absent one satisfies it. `least` and `most` are durations themselves. */
export function durationWithin(fieldPath: `spec.${string}`, least: string, most: string): Rule {
  const steps = fieldPath.split('.').slice(1)
  const absent = steps.map((_, index) => `!has(self.${steps.slice(0, index + 1).join('.')})`)
  const length = `duration(self.${steps.join('.')})`
  return {
    id: 'DurationBounds',
    message: `must be between ${least} and ${most}`,
    fieldPath,
    cel: `${absent.join(' || ')} || (${length} >= duration('${least}') && ${length} <= duration('${most}'))`,
  }
}
