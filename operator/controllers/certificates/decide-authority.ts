import { bundleDigest, bundleOf } from '../../pki/bundle.ts'
import type { CertificateFacts } from '../../pki/facts.ts'
import { type Lives, renewAtMs } from './lives.ts'

/** The authority's Secret, and during a rotation the one of its successor. */
export interface AuthorityFacts {
  readonly current: CertificateFacts | 'damaged' | undefined
  readonly next: NextAuthority | 'damaged' | undefined
  /** Somebody asked for a rotation. */
  readonly isRotationWanted: boolean
  /** SHA-256 of the bundle that each connected relay instance has read; undefined: it has not said. */
  readonly reports: readonly InstanceReport[]
  /** Certificates in use that `next` has not issued. */
  readonly leavesOfOthers: number
  readonly lives: Lives
  readonly nowMs: number
}

export interface NextAuthority {
  readonly facts: CertificateFacts
  /** Since when the bundle has it. */
  readonly publishedAtMs: number
  /** Since when it issues; undefined: it does not. */
  readonly issuesSinceMs: number | undefined
}

export interface InstanceReport {
  /** `namespace/instance`. */
  readonly instance: string
  readonly bundleSHA256: string | undefined
}

/** CONTROL section 2: publish old and new, wait for every instance, issue from the new, drop the old. */
export type AuthorityDecision =
  /** The first one of an installation. */
  | { readonly kind: 'create' }
  /** A Secret that holds no usable key; nothing is issued until somebody repairs or deletes it. */
  | { readonly kind: 'damaged'; readonly which: 'current' | 'next' }
  | { readonly kind: 'publishNext' }
  | { readonly kind: 'issueFromNext' }
  /** What `next` holds becomes the current one. */
  | { readonly kind: 'promoteNext' }
  /** The promotion is done; its Secret is left over. */
  | { readonly kind: 'removeNext' }
  | { readonly kind: 'steady'; readonly againAfterMs: number; readonly waitsFor?: string }

export function decideAuthority(facts: AuthorityFacts): AuthorityDecision {
  const { current, next, nowMs } = facts
  if (current === 'damaged') return { kind: 'damaged', which: 'current' }
  if (next === 'damaged') return { kind: 'damaged', which: 'next' }
  // The current one was deleted in the middle of a rotation: relays know the next one already.
  if (current === undefined) return next === undefined ? { kind: 'create' } : { kind: 'promoteNext' }
  if (next === undefined) {
    const dueMs = renewAtMs(current)
    if (facts.isRotationWanted || nowMs >= dueMs) return { kind: 'publishNext' }
    return { kind: 'steady', againAfterMs: dueMs - nowMs }
  }
  if (next.facts.fingerprint === current.fingerprint) return { kind: 'removeNext' }
  return next.issuesSinceMs === undefined
    ? whilePublished(facts, current, next)
    : whileIssuing(facts, next.issuesSinceMs)
}

/** Which authorities are trusted, in the order of the bundle, and which one issues. */
export function trustOf(
  current: CertificateFacts,
  next: NextAuthority | undefined,
): { readonly authorities: readonly CertificateFacts[]; readonly issuer: 'current' | 'next' } {
  if (next === undefined) return { authorities: [current], issuer: 'current' }
  return next.issuesSinceMs === undefined
    ? { authorities: [current, next.facts], issuer: 'current' }
    : { authorities: [next.facts, current], issuer: 'next' }
}

function whilePublished(
  { reports, lives, nowMs }: AuthorityFacts,
  current: CertificateFacts,
  next: NextAuthority,
): AuthorityDecision {
  const settled = settle(next.publishedAtMs, nowMs, lives)
  if (settled !== undefined) return settled
  const digest = bundleDigest(bundleOf([current, next.facts]))
  const behind = reports.filter(({ bundleSHA256 }) => bundleSHA256 !== digest).map(({ instance }) => instance)
  if (behind.length === 0) return { kind: 'issueFromNext' }
  return { kind: 'steady', againAfterMs: lives.settleMs, waitsFor: `${some(behind)} to read the new trust bundle` }
}

function whileIssuing({ leavesOfOthers, lives, nowMs }: AuthorityFacts, issuesSinceMs: number): AuthorityDecision {
  if (leavesOfOthers > 0) {
    return { kind: 'steady', againAfterMs: lives.settleMs, waitsFor: `${leavesOfOthers} certificates to be renewed` }
  }
  return settle(issuesSinceMs, nowMs, lives) ?? { kind: 'promoteNext' }
}

/** A clock that was set back makes it wait longer, never less than once. */
function settle(sinceMs: number, nowMs: number, { settleMs }: Lives): AuthorityDecision | undefined {
  const leftMs = Math.min(sinceMs + settleMs - nowMs, settleMs)
  if (leftMs <= 0) return undefined
  return { kind: 'steady', againAfterMs: leftMs, waitsFor: 'mounted files to follow' }
}

const NAMED = 3

function some(names: readonly string[]): string {
  const rest = names.length - NAMED
  return `${names.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
