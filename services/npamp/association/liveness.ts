/** Silence after which a PING is sent while exchanges are open, and while none are (CARRIAGE section 7). */
const SILENCE_BUSY_MS = 5_000
const SILENCE_IDLE_MS = 30_000
/** No octet for this long after a PING: the peer is dead. */
const DEAD_AFTER_PING_MS = 10_000
/**
 * Ours: an end that still hears octets this long after the first one that it did not answer, and answers nothing in
 * `SPEAK_GRACE_MS` either, sends a PING. The PING of a peer that sends a long frame over a slow line is stuck behind that
 * frame; it must hear from us all the same, or take us for dead.
 */
const SPEAK_AFTER_MS = 4_000
const SPEAK_GRACE_MS = 500

export type LivenessVerdict = 'alive' | 'ping' | 'dead'

/**
 * Whether the peer is still there. It counts octets, not frames: a long frame that trickles in keeps an association
 * alive. The deadline is lazy: most octets only note the time, and a deadline that comes too early moves on by itself.
 */
export class Liveness {
  #lastOctetAt: number
  #pingAt: number | undefined
  /** When the first octet came since we last said something. */
  #unansweredSince: number | undefined
  /** When to say something, because the peer goes on and on. */
  #speakAt = Infinity
  #busy = false
  #paused = false

  constructor(now: number) {
    this.#lastOctetAt = now
  }

  /** True when the deadline may have come nearer. */
  octetsArrived(now: number): boolean {
    const answered = this.#pingAt !== undefined
    this.#lastOctetAt = now
    this.#pingAt = undefined
    this.#unansweredSince ??= now
    if (this.#speakAt !== Infinity || now - this.#unansweredSince < SPEAK_AFTER_MS) return answered
    this.#speakAt = now + SPEAK_GRACE_MS
    return true
  }

  octetsLeft(): void {
    this.#unansweredSince = undefined
    this.#speakAt = Infinity
  }

  /** True when the deadline may have come nearer. */
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
    return Math.min(this.#speakAt, this.#lastOctetAt + (this.#busy ? SILENCE_BUSY_MS : SILENCE_IDLE_MS))
  }

  /** What to do at `now`; `ping` is said once, then the wait for an answer begins. */
  check(now: number): LivenessVerdict {
    if (now < this.deadline()) return 'alive'
    if (this.#pingAt !== undefined) return 'dead'
    this.#pingAt = now
    this.octetsLeft()
    return 'ping'
  }
}
