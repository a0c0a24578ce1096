import type { Clock } from '@causeway/npamp/transports'

/** Octets that may wait in this process for slow receivers, over all associations: a quarter of its memory. */
export class ProcessBudget {
  readonly limitOctets: number
  #heldOctets = 0
  readonly #paused = new Set<Reviewed>()

  constructor(limitOctets: number) {
    this.limitOctets = limitOctets
  }

  get heldOctets(): number {
    return this.#heldOctets
  }

  get exhausted(): boolean {
    return this.#heldOctets > this.limitOctets
  }

  /** For ReadBudget and ReplyRoom only. */
  change(octets: number): void {
    const wasExhausted = this.exhausted
    this.#heldOctets += octets
    if (wasExhausted && !this.exhausted) for (const budget of [...this.#paused]) budget.review()
  }

  /** For ReadBudget and ReplyRoom only: whom to tell when there is room again. */
  paused(who: Reviewed, paused: boolean): void {
    if (paused) this.#paused.add(who)
    else this.#paused.delete(who)
  }
}

interface Reviewed {
  review(): void
}

export const ASSOCIATION_BUDGET_OCTETS = 64 * 1024 * 1024
/** A longer pause would keep PONG from getting through. */
export const MAX_PAUSE_MS = 5_000

export interface ReadBudgetOptions {
  readonly process: ProcessBudget
  readonly clock: Clock
  readonly limitOctets?: number
  readonly onPause: (paused: boolean) => void
  /** Ends the exchange that holds most, alone, and so releases what it held. */
  readonly failLargest: () => void
}

/**
 * What one association holds for slow receivers (CARRIAGE section 7). Only beyond its limit, or the process's, is the
 * socket not read; after 5 s of that the exchange that holds most fails, and reading goes on.
 */
export class ReadBudget {
  readonly #options: ReadBudgetOptions
  readonly #limitOctets: number
  #heldOctets = 0
  #pauseTimer: unknown

  constructor(options: ReadBudgetOptions) {
    this.#options = options
    this.#limitOctets = options.limitOctets ?? ASSOCIATION_BUDGET_OCTETS
  }

  get heldOctets(): number {
    return this.#heldOctets
  }

  hold(octets: number): void {
    this.#change(octets)
  }

  release(octets: number): void {
    this.#change(-octets)
  }

  /** Whether `octets` more stay inside both limits, for what can be refused. */
  admits(octets: number): boolean {
    const { process } = this.#options
    return this.#heldOctets + octets <= this.#limitOctets && process.heldOctets + octets <= process.limitOctets
  }

  /** Whether it holds anything beyond its limit or the process's. */
  get over(): boolean {
    return this.#heldOctets > 0 && (this.#heldOctets > this.#limitOctets || this.#options.process.exhausted)
  }

  /** Pauses or resumes reading, whichever is due. */
  review(): void {
    const { over } = this
    if (over === (this.#pauseTimer !== undefined)) return
    if (over) this.#pause()
    else this.#resume()
  }

  /** The association ended: what it held is gone. */
  close(): void {
    this.#options.process.change(-this.#heldOctets)
    this.#heldOctets = 0
    this.#disarm()
  }

  #change(octets: number): void {
    this.#heldOctets += octets
    this.#options.process.change(octets)
    this.review()
  }

  #pause(): void {
    const { clock, process, onPause, failLargest } = this.#options
    this.#pauseTimer = clock.setTimeout(() => {
      this.#resume()
      failLargest()
    }, MAX_PAUSE_MS)
    process.paused(this, true)
    onPause(true)
  }

  #resume(): void {
    this.#disarm()
    this.#options.onPause(false)
  }

  #disarm(): void {
    if (this.#pauseTimer === undefined) return
    this.#options.clock.clearTimeout(this.#pauseTimer)
    this.#pauseTimer = undefined
    this.#options.process.paused(this, false)
  }
}
