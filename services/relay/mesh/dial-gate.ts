/** At most 16 dials at a time per relay (CARRIAGE section 7); the others wait their turn, first come, first served. */
export const MAX_DIALS = 16

export class DialGate {
  #running = 0
  readonly #limit: number
  readonly #waiting = new Set<() => void>()

  constructor(limit: number = MAX_DIALS) {
    this.#limit = limit
  }

  /** Calls `start` now or later, once. Returns what ends the wait or the dial; calling it again does nothing. */
  enter(start: () => void): () => void {
    let state: 'waiting' | 'running' | 'left' = 'waiting'
    const begin = (): void => {
      state = 'running'
      this.#running++
      start()
    }
    if (this.#running < this.#limit) begin()
    else this.#waiting.add(begin)
    return () => {
      const was = state
      state = 'left'
      if (was === 'waiting') this.#waiting.delete(begin)
      if (was === 'running') this.#left()
    }
  }

  get running(): number {
    return this.#running
  }

  #left(): void {
    this.#running--
    const [next] = this.#waiting
    if (next === undefined) return
    this.#waiting.delete(next)
    next()
  }
}
