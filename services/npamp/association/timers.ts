/** Every deadline of an association, one row each; none is armed twice. */
export const TIMER = {
  /** Established must be reached (digest 02 section 10). */
  HANDSHAKE: 0,
  /** The peer's HELLO must come (CARRIAGE section 1). */
  HELLO: 1,
  /** Silence: send PING, or give up after one (CARRIAGE section 7). */
  LIVENESS: 2,
  /** A frame that began must progress (CARRIAGE section 7). */
  STALL: 3,
  /** CLOSE must leave, then be acknowledged (digest 01 9.2). */
  CLOSING: 4,
  /** Nothing to do but `transmit` again: another KEY_UPDATE is allowed now. */
  KEY_PACE: 5,
} as const
export type Timer = (typeof TIMER)[keyof typeof TIMER]

const TIMERS: readonly Timer[] = Object.values(TIMER)

/** Absolute deadlines in monotonic milliseconds. */
export class Timers {
  readonly #due: number[] = [Infinity, Infinity, Infinity, Infinity, Infinity, Infinity]

  arm(timer: Timer, at: number): void {
    this.#due[timer] = at
  }

  /** Leaves an earlier deadline as it is. */
  armNoLater(timer: Timer, at: number): void {
    if (at < (this.#due[timer] ?? Infinity)) this.#due[timer] = at
  }

  disarm(timer: Timer): void {
    this.#due[timer] = Infinity
  }

  disarmAll(): void {
    this.#due.fill(Infinity)
  }

  next(): number | undefined {
    let next = Infinity
    for (const at of this.#due) if (at < next) next = at
    return next === Infinity ? undefined : next
  }

  /** Disarms and returns the first timer that is due, by deadline; undefined when none is. */
  takeDue(now: number): Timer | undefined {
    let due: Timer | undefined
    let earliest = Infinity
    for (const timer of TIMERS) {
      const at = this.#due[timer] ?? Infinity
      if (at <= now && at < earliest) {
        due = timer
        earliest = at
      }
    }
    if (due !== undefined) this.disarm(due)
    return due
  }
}
