import type { CallFailure } from '../../exchanges/contract.ts'
import { backoffMs } from '../../pacing/backoff.ts'
import type { BackendClock } from '../contract.ts'
import { backingOff } from './failures.ts'

/**
 * When a server may be started. One that ends before it has said anything is broken, and is tried again after growing
 * waits; one that ends later took a call amiss, which must not keep others from it.
 */
export class StartPolicy {
  readonly #clock: BackendClock
  readonly #random: () => number
  #failures = 0
  #notBefore = 0
  #reason = ''

  constructor(clock: BackendClock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  /** Why it may not be started now. */
  refusal(): CallFailure | undefined {
    if (this.#failures === 0) return undefined
    const waitMs = this.#notBefore - this.#clock.now()
    return waitMs > 0 ? backingOff(waitMs, this.#reason) : undefined
  }

  /** @param reason a sentence for a person, without anything that the server wrote. */
  failed(reason: string): void {
    this.#failures += 1
    this.#reason = reason
    this.#notBefore = this.#clock.now() + backoffMs(this.#failures, this.#random(), LIMITS)
  }

  succeeded(): void {
    this.#failures = 0
  }
}

const LIMITS = { firstMs: 200, maxMs: 30_000 }
