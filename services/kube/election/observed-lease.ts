import type { LeaseSpec } from './lease.ts'

/**
 * When somebody else's lease ends, judged by when it was seen to change here: the times inside it come from the clock of
 * another machine, which may be wrong (CONTROL section 4).
 */
export class ObservedLease {
  #record = ''
  #changedAtMs = 0

  /** Whether the holder has let the lease run out, `nowMs` being the monotonic time of this look. */
  isExpired(spec: LeaseSpec, leaseDurationMs: number, nowMs: number): boolean {
    const record = JSON.stringify([spec.holderIdentity, spec.renewTime, spec.acquireTime, spec.leaseTransitions])
    if (record !== this.#record) {
      this.#record = record
      this.#changedAtMs = nowMs
    }
    const theirDurationMs = (spec.leaseDurationSeconds ?? 0) * 1_000
    return nowMs - this.#changedAtMs >= Math.max(leaseDurationMs, theirDurationMs)
  }
}
