import { FrameProgress } from './frame-progress.ts'
import { Liveness, type LivenessVerdict } from './liveness.ts'
import { TIMER, type Timers } from './timers.ts'

/** Keeps the two deadlines that the peer's octets move: LIVENESS and STALL. */
export class PeerWatch {
  readonly #timers: Timers
  readonly #liveness: Liveness
  readonly #progress = new FrameProgress()
  #paused = false

  constructor(timers: Timers, now: number) {
    this.#timers = timers
    this.#liveness = new Liveness(now)
    this.#armLiveness()
  }

  octetsArrived(now: number): void {
    // No later only: on a busy line the deadline would move with every frame, and the driver's timer with it.
    if (this.#liveness.octetsArrived(now)) this.#timers.armNoLater(TIMER.LIVENESS, this.#liveness.deadline())
  }

  octetsLeft(): void {
    this.#liveness.octetsLeft()
  }

  /** See FrameProgress.observe. */
  inputConsumed(heldOctets: number, completed: boolean, now: number): void {
    this.#progress.observe(heldOctets, completed, now)
    this.#armStall()
  }

  setBusy(busy: boolean): void {
    if (this.#liveness.setBusy(busy)) this.#armLiveness()
  }

  setPaused(paused: boolean, heldOctets: number, now: number): void {
    if (this.#paused === paused) return
    this.#paused = paused
    this.#liveness.setPaused(paused, now)
    if (!paused) this.#progress.restart(heldOctets, now)
    this.#armLiveness()
    this.#armStall()
  }

  pingLeft(now: number): void {
    this.#liveness.pingLeft(now)
    this.#armLiveness()
  }

  /** At LIVENESS. A dead peer has no further deadline: it would be due for ever. */
  checkLiveness(now: number): LivenessVerdict {
    const verdict = this.#liveness.check(now)
    if (verdict !== 'dead') this.#armLiveness()
    return verdict
  }

  /** At STALL: whether the unfinished frame goes on; one that does not has no further deadline either. */
  checkProgress(heldOctets: number, now: number): boolean {
    const progressing = this.#progress.check(heldOctets, now)
    if (progressing) this.#armStall()
    return progressing
  }

  #armLiveness(): void {
    this.#timers.arm(TIMER.LIVENESS, this.#liveness.deadline())
  }

  #armStall(): void {
    this.#timers.arm(TIMER.STALL, this.#paused ? Infinity : this.#progress.deadline())
  }
}
