import type { Clock } from '@causeway/npamp/transports'

const LINES_PER_SECOND = 10
const SECOND_MS = 1_000

/** Keeps what strangers can cause at will from filling the log: so many lines a second, then one that counts the others. */
export class LineLimit {
  readonly #clock: Clock
  readonly #onLeftOut: (count: number) => void
  readonly #linesPerSecond: number
  #secondEndsAt = Number.NEGATIVE_INFINITY
  #lines = 0
  #leftOut = 0

  /** `onLeftOut` is called at the end of a second in which lines were left out. */
  constructor(clock: Clock, onLeftOut: (count: number) => void, linesPerSecond: number = LINES_PER_SECOND) {
    this.#clock = clock
    this.#onLeftOut = onLeftOut
    this.#linesPerSecond = linesPerSecond
  }

  /** Whether this line may be written. */
  admit(): boolean {
    const now = this.#clock.now()
    if (now >= this.#secondEndsAt) {
      this.#secondEndsAt = now + SECOND_MS
      this.#lines = 0
    }
    this.#lines += 1
    if (this.#lines <= this.#linesPerSecond) return true
    if (this.#leftOut === 0) this.#clock.setTimeout(() => this.#tell(), Math.ceil(this.#secondEndsAt - now))
    this.#leftOut += 1
    return false
  }

  #tell(): void {
    const count = this.#leftOut
    this.#leftOut = 0
    this.#onLeftOut(count)
  }
}
