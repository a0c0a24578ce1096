import type { IdentityStatus, SlotKey } from './facts.ts'

/** `status.identity` after each step. Pure; `nowMs` is milliseconds since 1970. */
export function activeStatus(key: SlotKey, secretName: string, nowMs: number): IdentityStatus {
  return { state: 'Active', since: iso(nowMs), peerHandle: key.peerHandle, secretName }
}

export function announcedStatus(
  before: IdentityStatus,
  next: { readonly peerHandle: string; readonly secretName: string; readonly successor: string },
  nowMs: number,
): IdentityStatus {
  return {
    state: 'Announced',
    // A renewed statement does not begin the overlap anew.
    since: before.state === 'Announced' ? before.since : iso(nowMs),
    peerHandle: before.peerHandle,
    secretName: before.secretName,
    next: next.peerHandle,
    nextSecretName: next.secretName,
    successor: next.successor,
  }
}

/** Undefined when nothing is announced. */
export function switchedStatus(before: IdentityStatus, nowMs: number): IdentityStatus | undefined {
  const { next, nextSecretName } = before
  if (next === undefined || nextSecretName === undefined) return undefined
  return {
    state: 'Switched',
    since: iso(nowMs),
    peerHandle: next,
    secretName: nextSecretName,
    previous: before.peerHandle,
    previousSecretName: before.secretName,
  }
}

export function settledStatus(before: IdentityStatus, state: 'Active' | 'Retired', nowMs: number): IdentityStatus {
  const { peerHandle, secretName } = before
  return { state, since: iso(nowMs), peerHandle, secretName }
}

export function recountedStatus(before: IdentityStatus, nowMs: number): IdentityStatus {
  return { ...before, since: iso(nowMs) }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
