import { type CertificateFacts, isIssuedBy } from '../../pki/facts.ts'
import { renewAtMs } from './lives.ts'

export interface LeafFacts {
  /** What the Secret holds: nothing, something that cannot be used, or a certificate with its key. */
  readonly held: CertificateFacts | 'damaged' | undefined
  /** Sorted. */
  readonly names: readonly string[]
  readonly issuer: CertificateFacts
  readonly nowMs: number
}

export type LeafDecision =
  | { readonly kind: 'issue'; readonly reason: LeafReason }
  | { readonly kind: 'keep'; readonly renewAtMs: number }

export type LeafReason = 'Missing' | 'Damaged' | 'OtherNames' | 'OtherAuthority' | 'NotYetValid' | 'RenewalDue'

/** Ordered: the first that holds is told. */
const CHECKS: readonly { readonly reason: LeafReason; readonly holds: (facts: Held, leaf: LeafFacts) => boolean }[] = [
  { reason: 'OtherNames', holds: ({ names }, leaf) => names.join() !== leaf.names.join() },
  { reason: 'OtherAuthority', holds: (held, { issuer }) => !isIssuedBy(held, issuer) },
  // Issued while our clock was ahead.
  { reason: 'NotYetValid', holds: ({ notBeforeMs }, { nowMs }) => nowMs < notBeforeMs },
  { reason: 'RenewalDue', holds: (held, { nowMs }) => nowMs >= renewAtMs(held) },
]

type Held = CertificateFacts

/** Whether a certificate has to be issued, and why; or until when the one that is there is good. */
export function decideLeaf(leaf: LeafFacts): LeafDecision {
  const { held } = leaf
  if (held === undefined) return { kind: 'issue', reason: 'Missing' }
  if (held === 'damaged') return { kind: 'issue', reason: 'Damaged' }
  const found = CHECKS.find(({ holds }) => holds(held, leaf))
  return found === undefined ? { kind: 'keep', renewAtMs: renewAtMs(held) } : { kind: 'issue', reason: found.reason }
}
