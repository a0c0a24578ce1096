/** Silence after which a PING is sent while exchanges are open, and while none are (CARRIAGE section 7). */
export const SILENCE_BUSY_MS = 5_000
export const SILENCE_IDLE_MS = 30_000
/** No octet for this long after a PING: the peer is dead. */
export const DEAD_AFTER_PING_MS = 10_000

export type LivenessVerdict = 'alive' | 'ping' | 'dead'

/**
 * Whether the peer is still there. It counts octets, not frames: a long frame that trickles in keeps an association
 * alive. The deadline is lazy: octets only note the time, and a deadline that comes too early moves on by itself.
 */
export class Liveness {
  #lastOctetAt: number
  #pingAt: number | undefined
  #busy = false
  #paused = false

  constructor(now: number) {
    this.#lastOctetAt = now
  }

  /** True when the deadline must be read anew: an answered PING brings it forward. */
  octetsArrived(now: number): boolean {
    this.#lastOctetAt = now
    if (this.#pingAt === undefined) return false
    this.#pingAt = undefined
    return true
  }

  /** True when the deadline must be read anew. */
  setBusy(busy: boolean): boolean {
    if (this.#busy === busy) return false
    this.#busy = busy
    return true
  }

  /** While reading is paused here, silence is our own doing. */
  setPaused(paused: boolean, now: number): void {
    if (this.#paused === paused) return
    this.#paused = paused
    this.#lastOctetAt = now
    this.#pingAt = undefined
  }

  /** A PING that waited behind a slow transport starts its time when it leaves. */
  pingLeft(now: number): void {
    if (this.#pingAt !== undefined) this.#pingAt = now
  }

  deadline(): number {
    if (this.#paused) return Infinity
    if (this.#pingAt !== undefined) return this.#pingAt + DEAD_AFTER_PING_MS
    return this.#lastOctetAt + (this.#busy ? SILENCE_BUSY_MS : SILENCE_IDLE_MS)
  }

  /** What to do at `now`; `ping` is said once, then the wait for an answer begins. */
  check(now: number): LivenessVerdict {
    if (now < this.deadline()) return 'alive'
    if (this.#pingAt !== undefined) return 'dead'
    this.#pingAt = now
    return 'ping'
  }
}
