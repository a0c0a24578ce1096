/** What decides whether an object is held back (CONTROL section 6). */
export interface ProtectionFacts {
  readonly hasFinalizer: boolean
  /** Milliseconds since 1970; undefined: nobody deletes it. */
  readonly deletedAtMs: number | undefined
  readonly isReleased: boolean
  readonly isNamespaceGoing: boolean
  /** How many use it and are not themselves going. */
  readonly users: number
  readonly holdMs: number
  readonly nowMs: number
}

export type ProtectionDecision =
  | { readonly kind: 'hold' }
  | { readonly kind: 'free'; readonly reason: FreeReason }
  | { readonly kind: 'leave'; readonly againAfterMs?: number }

type FreeReason = 'Released' | 'NamespaceGoing' | 'Unused' | 'HoldElapsed'

/** Ordered: the first that holds frees it. */
const REASONS: readonly { readonly reason: FreeReason; readonly holds: (facts: ProtectionFacts) => boolean }[] = [
  { reason: 'Unused', holds: ({ users }) => users === 0 },
  { reason: 'Released', holds: ({ isReleased }) => isReleased },
  { reason: 'NamespaceGoing', holds: ({ isNamespaceGoing }) => isNamespaceGoing },
  {
    reason: 'HoldElapsed',
    holds: ({ deletedAtMs, holdMs, nowMs }) => deletedAtMs !== undefined && nowMs >= deletedAtMs + holdMs,
  },
]

/** The finalizer is present only while a user that is not itself going exists. */
export function decideProtection(facts: ProtectionFacts): ProtectionDecision {
  const { hasFinalizer, deletedAtMs, holdMs, nowMs } = facts
  const freed = REASONS.find(({ holds }) => holds(facts))
  if (freed !== undefined) return hasFinalizer ? { kind: 'free', reason: freed.reason } : { kind: 'leave' }
  if (deletedAtMs === undefined) return hasFinalizer ? { kind: 'leave' } : { kind: 'hold' }
  // An object that is going takes no finalizer any more.
  if (!hasFinalizer) return { kind: 'leave' }
  return { kind: 'leave', againAfterMs: Math.min(deletedAtMs + holdMs - nowMs, holdMs) }
}
