import type { IdentityDecision } from './decision.ts'
import type { IdentityFacts, IdentityStatus, SlotKey } from './facts.ts'

/** How often something that others must do is looked at again, besides whenever it changes. */
const LOOK_AGAIN_MS = 60_000

/** When the next rotation begins; undefined: not by itself. A clock that was set back never makes a period longer. */
export function rotationDueMs(
  { everyMs, algorithm, isRotationWanted, nowMs }: IdentityFacts,
  { since }: IdentityStatus,
  current: SlotKey,
): number | undefined {
  if (isRotationWanted || current.algorithm !== algorithm) return nowMs
  return everyMs === undefined ? undefined : Math.min(Date.parse(since), nowMs) + everyMs
}

export function steady(againAfterMs: number, waitsFor?: string): IdentityDecision {
  return { kind: 'steady', againAfterMs, ...(waitsFor === undefined ? {} : { waitsFor }) }
}

export function waiting(waitsFor: string): IdentityDecision {
  return steady(LOOK_AGAIN_MS, waitsFor)
}
