import type { Clock } from '@causeway/kube'
import type { Source } from '../sources/source.ts'

/**
 * Between two lists that one relay has asked for: so many times what the last one took, and at most so long. Whoever has
 * the certificate of a relay may claim what it likes, again and again; an API server lists no more often for it.
 */
const MIN_PAUSE_MS = 1_000
const PAUSE_RATIO = 4
const MAX_PAUSE_MS = 10_000

/** An ask of which the list has not begun. */
type Waiting = ReturnType<typeof Promise.withResolvers<void>>

/**
 * Fresh lists for relays that need one before they are told more. Whoever asks gets a list that begins after it asked, as
 * soon as none is running; all who wait by then get the same one. Only a relay that had one just now is made to wait, and
 * no other relay with it.
 */
export class Relister {
  readonly #source: Pick<Source, 'relist'>
  readonly #clock: Clock
  readonly #signal: AbortSignal
  /** By relay. */
  #waiting = new Map<string, Waiting>()
  readonly #pausedUntilMs = new Map<string, number>()
  #isListing = false
  #timer: unknown

  /** `signal`: ends all of it. */
  constructor(source: Pick<Source, 'relist'>, clock: Clock, signal: AbortSignal) {
    this.#source = source
    this.#clock = clock
    this.#signal = signal
    signal.addEventListener('abort', () => this.#begin(), { once: true })
  }

  /** Resolves when everything that differs has been told. Rejects only when the source is closed. */
  list(relay: string): Promise<void> {
    const found = this.#waiting.get(relay)
    if (found !== undefined) return found.promise
    const waiting: Waiting = Promise.withResolvers()
    this.#waiting.set(relay, waiting)
    this.#begin()
    return waiting.promise
  }

  #begin(): void {
    this.#clock.clearTimeout(this.#timer)
    if (this.#isListing || this.#waiting.size === 0) return
    const waitMs = this.#signal.aborted ? 0 : this.#firstEndMs() - this.#clock.now()
    if (waitMs > 0) this.#timer = this.#clock.setTimeout(() => this.#begin(), waitMs)
    else void this.#run()
  }

  /** When the first of those that wait may have its list. */
  #firstEndMs(): number {
    const nowMs = this.#clock.now()
    return Math.min(...[...this.#waiting.keys()].map((relay) => this.#pausedUntilMs.get(relay) ?? nowMs))
  }

  async #run(): Promise<void> {
    const served = this.#waiting
    this.#waiting = new Map()
    this.#isListing = true
    const beganMs = this.#clock.now()
    try {
      await this.#source.relist({ consistent: true, signal: this.#signal })
      for (const { resolve } of served.values()) resolve()
    } catch (error) {
      for (const { reject } of served.values()) reject(error)
    }
    this.#isListing = false
    this.#pause(served.keys(), this.#clock.now() - beganMs)
    this.#begin()
  }

  #pause(relays: Iterable<string>, tookMs: number): void {
    const nowMs = this.#clock.now()
    for (const [relay, endMs] of this.#pausedUntilMs) if (endMs <= nowMs) this.#pausedUntilMs.delete(relay)
    const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, PAUSE_RATIO * tookMs))
    for (const relay of relays) this.#pausedUntilMs.set(relay, nowMs + pauseMs)
  }
}
