import type { Clock } from '@causeway/npamp/transports'

/** What Node's timers can wait; anything longer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Calls back each time nothing was touched for `idleMs`. A touch is an assignment: the timer looks again when it is due. */
export class IdleTimer {
  readonly #clock: Clock
  readonly #idleMs: number
  readonly #onIdle: () => void
  #touchedMs: number
  #timer: unknown

  constructor(clock: Clock, idleMs: number, onIdle: () => void) {
    this.#clock = clock
    this.#idleMs = idleMs
    this.#onIdle = onIdle
    this.#touchedMs = clock.now()
    this.#arm(idleMs)
  }

  touch(): void {
    this.#touchedMs = this.#clock.now()
  }

  /** Idempotent. */
  stop(): void {
    if (this.#timer === undefined) return
    this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #arm(delayMs: number): void {
    this.#timer = this.#clock.setTimeout(this.#onDue, Math.min(Math.max(1, delayMs), MAX_TIMER_MS))
  }

  readonly #onDue = (): void => {
    const leftMs = this.#touchedMs + this.#idleMs - this.#clock.now()
    const isIdle = leftMs <= 0
    if (isIdle) this.touch()
    // Armed first, so that the callback may stop it.
    this.#arm(isIdle ? this.#idleMs : leftMs)
    if (isIdle) this.#onIdle()
  }
}
