import type { Bridge } from '../bridge/bridge.ts'
import type { BridgeEvent } from '../bridge/events.ts'
import type { Clock } from './driver.ts'

const MAX_TIMER_MS = 2 ** 31 - 1

/** Runs the deadlines of one bridge. Most bridges have none most of the time. */
export class BridgeTimer {
  readonly #clock: Clock
  readonly #bridge: Bridge
  readonly #onEvents: (events: readonly BridgeEvent[]) => void
  #armed: { readonly handle: unknown; readonly firesAt: number } | undefined

  constructor(clock: Clock, bridge: Bridge, onEvents: (events: readonly BridgeEvent[]) => void) {
    this.#clock = clock
    this.#bridge = bridge
    this.#onEvents = onEvents
  }

  /** To be called after anything that may have changed a deadline. A timer that fires too early costs one look. */
  arm(): void {
    const due = this.#bridge.nextTimeout()
    if (due === undefined) return
    if (this.#armed !== undefined && this.#armed.firesAt <= due) return
    this.disarm()
    const delayMs = Math.min(Math.max(Math.ceil(due - this.#clock.now()), 0), MAX_TIMER_MS)
    const handle = this.#clock.setTimeout(() => {
      this.#armed = undefined
      this.#onEvents(this.#bridge.handleTimeout(this.#clock.now()))
      this.arm()
    }, delayMs)
    this.#armed = { handle, firesAt: due }
  }

  disarm(): void {
    if (this.#armed !== undefined) this.#clock.clearTimeout(this.#armed.handle)
    this.#armed = undefined
  }
}
