export interface BackoffOptions {
  readonly initialMs: number
  readonly maxMs: number
  /** In [0, 1): half of each wait is drawn, so that those who failed together do not come back together. */
  readonly random: () => number
}

/** Exponential backoff of base 2 with jitter: the n-th wait is in [d/2, d) with d = min(maxMs, initialMs * 2^n). */
export class Backoff {
  readonly #options: BackoffOptions
  #failures = 0

  constructor(options: BackoffOptions) {
    this.#options = options
  }

  get failures(): number {
    return this.#failures
  }

  /** How long to wait after one more failure; never less than the server asked for. */
  next(retryAfterMs = 0): number {
    return Math.max(retryAfterMs, backoffMs(this.#options, this.#failures++))
  }

  reset(): void {
    this.#failures = 0
  }
}

/** The wait after `failures` failures before this one. */
export function backoffMs({ initialMs, maxMs, random }: BackoffOptions, failures: number): number {
  const fullMs = Math.min(maxMs, initialMs * 2 ** Math.min(failures, 30))
  return fullMs / 2 + (random() * fullMs) / 2
}
