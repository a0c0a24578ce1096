import type { Clock } from '@causeway/kube'
import type { ObjectKey } from '../snapshot/object-key.ts'

/** How late a nearing end may be told. */
const LOOK_EVERY_MS = 60 * 60_000

/** Peers whose pinned identity ends at some time: they are judged anew as that time comes near. */
export class IdentityEnds {
  readonly #clock: Clock
  readonly #aheadMs: number
  readonly #onNear: (keys: readonly ObjectKey[]) => void
  /** Unix milliseconds; only ends that are not near yet. */
  readonly #ends = new Map<ObjectKey, number>()
  #timer: unknown

  /** `aheadMs`: how near is near. */
  constructor(clock: Clock, aheadMs: number, onNear: (keys: readonly ObjectKey[]) => void) {
    this.#clock = clock
    this.#aheadMs = aheadMs
    this.#onNear = onNear
  }

  /** `endMs`: Unix milliseconds; undefined: no end is known. */
  set(key: ObjectKey, endMs: number | undefined): void {
    if (endMs === undefined || this.#isNear(endMs)) this.#ends.delete(key)
    else this.#ends.set(key, endMs)
    if (this.#ends.size > 0) this.#timer ??= this.#clock.setTimeout(() => this.#look(), LOOK_EVERY_MS)
  }

  close(): void {
    this.#clock.clearTimeout(this.#timer)
  }

  #look(): void {
    this.#timer = undefined
    const near = [...this.#ends].filter(([, endMs]) => this.#isNear(endMs)).map(([key]) => key)
    for (const key of near) this.#ends.delete(key)
    if (near.length > 0) this.#onNear(near)
    if (this.#ends.size > 0) this.#timer ??= this.#clock.setTimeout(() => this.#look(), LOOK_EVERY_MS)
  }

  #isNear(endMs: number): boolean {
    return endMs - this.#clock.wallNow() < this.#aheadMs
  }
}
