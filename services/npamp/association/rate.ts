/** Counts events in windows that begin with their first event. */
export class Rate {
  readonly #limit: number
  readonly #windowMs: number
  #startedAt = -Infinity
  #count = 0

  constructor(limit: number, windowMs: number) {
    this.#limit = limit
    this.#windowMs = windowMs
  }

  /** Counts one event at `now`; false when it is one too many. */
  allow(now: number): boolean {
    if (now - this.#startedAt >= this.#windowMs) {
      this.#startedAt = now
      this.#count = 0
    }
    this.#count += 1
    return this.#count <= this.#limit
  }

  /** When `allow` may be asked again with success, or `now` when it may be asked at once. */
  readyAt(now: number): number {
    const end = this.#startedAt + this.#windowMs
    return this.#count < this.#limit || now >= end ? now : end
  }
}
