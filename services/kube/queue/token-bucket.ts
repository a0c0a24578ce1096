import { type Clock, delay } from '../clock.ts'

export interface TokenBucketOptions {
  readonly clock: Clock
  readonly perSecond: number
  /** How many may go at once after a pause. */
  readonly burst: number
}

/** Lets `burst` through at once and then `perSecond`, in the order in which they ask. */
export class TokenBucket {
  readonly #options: TokenBucketOptions
  /** The time at which the bucket is full again, as if nobody asked any more. */
  #fullAtMs: number

  constructor(options: TokenBucketOptions) {
    this.#options = options
    this.#fullAtMs = options.clock.now()
  }

  /** Resolves when it is the caller's turn, or at once when `signal` is aborted: the caller looks at the signal. */
  async take(signal: AbortSignal): Promise<void> {
    const { clock, perSecond, burst } = this.#options
    const nowMs = clock.now()
    this.#fullAtMs = Math.max(this.#fullAtMs, nowMs) + 1_000 / perSecond
    const waitMs = this.#fullAtMs - nowMs - (burst * 1_000) / perSecond
    if (waitMs > 0) await delay(clock, waitMs, signal)
  }
}
