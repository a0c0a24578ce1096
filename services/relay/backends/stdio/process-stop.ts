import type { BackendClock } from '../contract.ts'
import { signalGroup } from './process-group.ts'

export interface ProcessStopOptions {
  /** Absent where nothing was started. */
  readonly leader: number | undefined
  /** For each step. */
  readonly graceMs: number
  readonly clock: BackendClock
  /** Once: neither the process nor anything in its group is left, or nothing more can be done. */
  readonly gone: () => void
}

/**
 * The end of a process group: after its standard input was closed it has a while to go by itself, then it gets SIGTERM,
 * then SIGKILL. What the leader leaves behind is ended in the same way, so that there is no orphan.
 */
export class ProcessStop {
  readonly #options: ProcessStopOptions
  #step: 'none' | 'asked' | 'terminated' | 'killed' = 'none'
  #timer: unknown
  #poll: unknown
  #leaderRuns = true
  #over = false

  constructor(options: ProcessStopOptions) {
    this.#options = options
  }

  /** Its standard input was closed. */
  begin(): void {
    if (this.#step !== 'none' || this.#over) return
    this.#step = 'asked'
    this.#next(() => this.#terminate())
  }

  kill(): void {
    if (this.#over || this.#step === 'killed') return
    this.#step = 'killed'
    this.#options.clock.clearTimeout(this.#timer)
    this.#signal('SIGKILL')
    // Of the others nobody tells us when they are gone.
    if (!this.#leaderRuns) this.#allGone()
  }

  leaderExited(): void {
    this.#leaderRuns = false
    if (this.#over) return
    // A group keeps its number as long as somebody is in it: the signals can only meet its own.
    if (this.#step === 'killed' || !this.#signal(0)) this.#allGone()
    else {
      if (this.#step !== 'terminated') this.#terminate()
      this.#watch()
    }
  }

  #terminate(): void {
    this.#step = 'terminated'
    this.#signal('SIGTERM')
    this.#next(() => this.kill())
  }

  #watch(): void {
    if (this.#over) return
    this.#poll = this.#options.clock.setTimeout(() => {
      if (this.#signal(0)) this.#watch()
      else this.#allGone()
    }, POLL_MS)
  }

  #next(step: () => void): void {
    const { clock, graceMs } = this.#options
    clock.clearTimeout(this.#timer)
    this.#timer = clock.setTimeout(step, graceMs)
  }

  #signal(signal: NodeJS.Signals | 0): boolean {
    const { leader } = this.#options
    return leader !== undefined && signalGroup(leader, signal)
  }

  #allGone(): void {
    if (this.#over) return
    this.#over = true
    const { clock, gone } = this.#options
    clock.clearTimeout(this.#timer)
    clock.clearTimeout(this.#poll)
    gone()
  }
}

const POLL_MS = 20
