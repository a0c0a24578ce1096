import type { Clock } from '@causeway/npamp/transports'
import type { PeerAssociation } from './peer-association.ts'

export interface RetirementOptions {
  readonly clock: Clock
  /** Whether calls have somewhere else to go, or nobody here could see to that. */
  readonly isReplaced: () => boolean
  /** Sessions that go on get their time, but nothing stays with an old key or address for longer than this. */
  readonly maxMs: number
}

/** Where nobody says it. */
export const MAX_RETIRING_MS = 60 * 60_000
const CHECK_MS = 1_000

/**
 * Associations of an earlier configuration: made with a key of ours, or dialled in a way, that is not the present one. What
 * is new goes elsewhere; each is asked to drain once nothing is on it that would be lost by that (CONTROL section 3).
 */
export class Retirement {
  readonly #options: RetirementOptions
  readonly #since = new Map<PeerAssociation, number>()
  #timer: unknown

  constructor(options: RetirementOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#since.size
  }

  add(association: PeerAssociation): void {
    if (association.retiring) return
    association.retiring = true
    this.#since.set(association, this.#options.clock.now())
    this.#arm()
  }

  /** It closed. */
  remove(association: PeerAssociation): void {
    if (this.#since.delete(association) && this.#since.size === 0) this.stop()
  }

  /** Something may have ended, or another association may have come. */
  check(): void {
    if (this.#since.size === 0) return
    const now = this.#options.clock.now()
    const replaced = this.#options.isReplaced()
    for (const [association, since] of this.#since) {
      const isOver = now - since >= this.#options.maxMs || (replaced && association.isLeft)
      if (!isOver) continue
      this.#since.delete(association)
      association.closeWhenIdle()
    }
    if (this.#since.size === 0) this.stop()
  }

  stop(): void {
    this.#options.clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #arm(): void {
    if (this.#timer !== undefined) return
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined
      this.check()
      if (this.#since.size > 0) this.#arm()
    }, CHECK_MS)
  }
}
