import { NOT_BEFORE_BACK_MS } from '../../pki/authority.ts'

/** How long certificates live (CONTROL section 2); a test shortens them. */
export interface Lives {
  readonly authorityMs: number
  readonly leafMs: number
  /**
   * How long a change of a Secret or ConfigMap takes until every process that mounts it has read it; for those that report
   * nothing, such as the control plane.
   */
  readonly settleMs: number
}

const HOUR_MS = 3_600_000

export const LIVES: Lives = {
  authorityMs: 2 * 365 * 24 * HOUR_MS,
  leafMs: 24 * HOUR_MS,
  // The kubelet looks every minute, behind a cache of a minute.
  settleMs: 150_000,
}

/** Renewal at two thirds of a life, counted from when it was issued. */
export function renewAtMs({ notBeforeMs, notAfterMs }: { notBeforeMs: number; notAfterMs: number }): number {
  const issuedAtMs = notBeforeMs + NOT_BEFORE_BACK_MS
  return issuedAtMs + ((notAfterMs - issuedAtMs) * 2) / 3
}
