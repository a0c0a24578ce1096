import type { ConfigChannel } from '@causeway/rpc'
import { type BackoffLimits, backoffMs } from '../pacing/backoff.ts'

/** A change that waits for a control plane to come back is in force within half a minute of that. */
const BACKOFF: BackoffLimits = { firstMs: 500, maxMs: 10_000 }
/** A stream that lasted this long was no failure. */
const LASTING_MS = 30_000

/** Which control plane comes next, and after what time. */
export class Attempts {
  readonly #channels: readonly ConfigChannel[]
  readonly #random: () => number
  #next = 0
  #failures = 0

  /** In an order of its own for each relay, so that not all of them go to the same one. */
  constructor(channels: readonly ConfigChannel[], random: () => number) {
    if (channels.length === 0) throw new RangeError('there is no control plane to connect to')
    this.#channels = shuffled(channels, random)
    this.#random = random
  }

  /** Another one each time. */
  nextChannel(): ConfigChannel {
    const channel = this.#channels[this.#next % this.#channels.length]
    this.#next += 1
    if (channel === undefined) throw new RangeError('an index modulo the length is in a list')
    return channel
  }

  failed(): void {
    this.#failures += 1
  }

  /** A stream that had been good is over. */
  lost(lastedMs: number): void {
    this.#failures = lastedMs >= LASTING_MS ? 1 : this.#failures + 1
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures
  }

  /** Before the next attempt. */
  waitMs(): number {
    return backoffMs(this.#failures, this.#random(), BACKOFF)
  }
}

function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)
}
