/** Exponential backoff with jitter: the delay before attempt n + 1 after n failures in a row. */
export interface BackoffLimits {
  readonly firstMs: number
  readonly maxMs: number
}

export const DIAL_BACKOFF: BackoffLimits = { firstMs: 200, maxMs: 30_000 }

/**
 * Longest wait while a request is waiting for the dial: demand pulls a far-off attempt forward, so that a peer that came
 * back serves the next caller within that caller's 5 s.
 */
export const DEMAND_BACKOFF_MS = 2_000

/**
 * Half of the delay is fixed and half is random, so that relays that lost the same peer do not come back in step.
 * `random` is uniform in [0, 1).
 */
export function backoffMs(failures: number, random: number, limits: BackoffLimits = DIAL_BACKOFF): number {
  if (failures <= 0) return 0
  const full = Math.min(limits.maxMs, limits.firstMs * 2 ** Math.min(failures - 1, 30))
  return full / 2 + (full / 2) * random
}
