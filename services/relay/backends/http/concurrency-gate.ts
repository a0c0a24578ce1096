/**
 * Bounds how many requests are at a backend at a time. Those that wait do so in the order they came, and as many may wait as
 * may run, at least 16: more are refused while nothing of them has been sent.
 */
export class ConcurrencyGate {
  #limit: number
  #running = 0
  #admitting = false
  #waiting: (() => void)[] = []

  /** @param limit at least 1; Infinity for no bound. */
  constructor(limit: number) {
    this.#limit = limit
  }

  get limit(): number {
    return this.#limit
  }

  /** Those that run beyond a lower limit run on; a higher one lets others go. */
  setLimit(limit: number): void {
    this.#limit = limit
    this.#admit()
  }

  /** Calls `start` now or when its turn comes; false: refused, `start` is never called. Each start needs one `leave`. */
  enter(start: () => void): boolean {
    if (this.#running < this.#limit) {
      this.#running += 1
      start()
      return true
    }
    if (this.#waiting.length >= Math.max(this.#limit, LEAST_WAITING)) return false
    this.#waiting.push(start)
    return true
  }

  /** Takes back a start that has not been called; false when it has. */
  withdraw(start: () => void): boolean {
    const at = this.#waiting.indexOf(start)
    if (at === -1) return false
    this.#waiting.splice(at, 1)
    return true
  }

  leave(): void {
    this.#running -= 1
    this.#admit()
  }

  #admit(): void {
    // A start that leaves at once is met by the loop of the outer call.
    if (this.#admitting) return
    this.#admitting = true
    while (this.#running < this.#limit) {
      const next = this.#waiting.shift()
      if (next === undefined) break
      this.#running += 1
      next()
    }
    this.#admitting = false
  }
}

const LEAST_WAITING = 16
