import { Rate } from './rate.ts'

/** What is counted per time: events allowed and window in milliseconds. */
const RATES = {
  /** Digest 01 9.1: further PINGs are dropped. */
  ping: [10, 1_000],
  pathChallenge: [10, 1_000],
  /** ERROR frames of ours. */
  error: [10, 1_000],
  /** CARRIAGE section 7: then CLOSE 3. */
  keyUpdate: [10, 1_000],
  masterRatchet: [10, 1_000],
  /** Digest 03 section 8: one per 10 s, else ERROR 7 and CLOSE 3. */
  rekem: [1, 10_000],
  /** Half of what a peer must take, so that a delay on the way cannot turn ours into a flood. */
  ownKeyUpdate: [5, 1_000],
} as const satisfies Record<string, readonly [number, number]>
export type RateName = keyof typeof RATES

/** The rate limits of one association; each exists from its first event on. */
export class Rates {
  readonly #rates: Partial<Record<RateName, Rate>> = {}

  /** Counts one event; false when it is one too many. */
  allow(name: RateName, now: number): boolean {
    return this.#rate(name).allow(now)
  }

  /** When one more is allowed. */
  readyAt(name: RateName, now: number): number {
    return this.#rate(name).readyAt(now)
  }

  #rate(name: RateName): Rate {
    const [limit, windowMs] = RATES[name]
    this.#rates[name] ??= new Rate(limit, windowMs)
    return this.#rates[name]
  }
}
