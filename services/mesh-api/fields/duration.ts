import { z } from 'zod'

/**
 * A length of time as text, `500ms`, `30s`, `1h30m`: the Gateway API's form (GEP-2257), which Kubernetes users know, Go
 * prints and CEL's `duration()` reads.
 */
export const duration = () =>
  z
    // A bare number is what people write who do not know that the unit is theirs to say.
    .string({ error: ({ input }) => (input === undefined ? undefined : NO_DURATION) })
    .min(2)
    .max(32)
    .regex(new RegExp(DURATION_FORM), NO_DURATION)

/** RE2, and the dialect of JavaScript. */
export const DURATION_FORM = '^([0-9]{1,5}(h|m|s|ms)){1,4}$'

const NO_DURATION = 'must be a duration such as 500ms, 30s or 1h30m'

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }

/** Milliseconds of a text that `duration` accepts; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  if (text.length > 32 || !new RegExp(DURATION_FORM).test(text)) return undefined
  let totalMs = 0
  for (const [, amount, unit] of text.matchAll(/([0-9]+)(ms|[hms])/g)) {
    totalMs += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0)
  }
  return totalMs
}

/** As `parseDuration`, for a field of a validated resource. */
export function durationMs(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new TypeError('not a duration; the resource was not validated')
  return ms
}
