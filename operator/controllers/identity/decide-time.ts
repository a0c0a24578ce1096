import type { IdentityDecision } from './decision.ts'
import type { IdentityFacts, IdentityStatus, SlotKey } from './facts.ts'

/** How often something that others must do is looked at again, besides whenever it changes. */
const LOOK_AGAIN_MS = 60_000

/** Clocks of two operators differ by less. */
const SKEW_MS = 60_000

/** Otherwise a period would last until a clock that was set back has come to its beginning again. */
export function recount({ nowMs }: IdentityFacts, { since }: IdentityStatus): IdentityDecision | undefined {
  return Date.parse(since) - nowMs > SKEW_MS ? { kind: 'recount' } : undefined
}

/** When the next rotation begins; undefined: not by itself. */
export function rotationDueMs(
  { everyMs, algorithm, isRotationWanted, nowMs }: IdentityFacts,
  { since }: IdentityStatus,
  current: SlotKey,
): number | undefined {
  if (isRotationWanted || current.algorithm !== algorithm) return nowMs
  return everyMs === undefined ? undefined : Math.min(Date.parse(since), nowMs) + everyMs
}

/** Somebody has to look why the next key is not accepted everywhere: it takes more than twice as long as it may. */
export function isOverdue({ status, overlapMs, nowMs }: IdentityFacts): boolean {
  return status?.state === 'Announced' && nowMs - Date.parse(status.since) > 2 * overlapMs
}

export function steady(againAfterMs: number, waitsFor?: string): IdentityDecision {
  return { kind: 'steady', againAfterMs, ...(waitsFor === undefined ? {} : { waitsFor }) }
}

export function waiting(waitsFor: string): IdentityDecision {
  return steady(LOOK_AGAIN_MS, waitsFor)
}
