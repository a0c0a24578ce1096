/** A frame that has begun must grow by this much, or end, in each window (CARRIAGE section 7). */
const PROGRESS_OCTETS = 64 * 1024
const PROGRESS_WINDOW_MS = 10_000

/** Watches the one frame that is partly received, so that nobody holds our memory by stopping in the middle. */
export class FrameProgress {
  #base = 0
  #deadline = Infinity

  /**
   * After every input.
   *
   * @param heldOctets octets of the unfinished frame; 0 when there is none.
   * @param completed whether a frame was finished by this input, so that the unfinished one is a new one.
   */
  observe(heldOctets: number, completed: boolean, now: number): void {
    if (heldOctets === 0) this.#deadline = Infinity
    else if (completed || this.#deadline === Infinity) this.#begin(heldOctets, now)
  }

  deadline(): number {
    return this.#deadline
  }

  /** At the deadline: false when the frame stalled, else the next window has begun. */
  check(heldOctets: number, now: number): boolean {
    if (now < this.#deadline) return true
    if (heldOctets - this.#base < PROGRESS_OCTETS) return false
    this.#begin(heldOctets, now)
    return true
  }

  /** Time that passed while we did not read is not held against the peer. */
  restart(heldOctets: number, now: number): void {
    if (this.#deadline !== Infinity) this.#begin(heldOctets, now)
  }

  #begin(heldOctets: number, now: number): void {
    this.#base = heldOctets
    this.#deadline = now + PROGRESS_WINDOW_MS
  }
}
