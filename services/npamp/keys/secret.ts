import { ClosedError } from '../errors.ts'

/**
 * One secret of the key schedule and its end: after `wipe` every use fails, so that a stage which was consumed cannot be
 * used by mistake. Wiping is best effort: it overwrites these octets, not what the runtime may have copied (HS-053).
 */
export class Secret {
  #octets: Uint8Array | undefined

  /** Takes ownership: the caller must not use `octets` afterwards. */
  constructor(octets: Uint8Array) {
    this.#octets = octets
  }

  /** A view, valid until `wipe`. Throws ClosedError WIPED afterwards. */
  get octets(): Uint8Array {
    if (this.#octets === undefined) throw new ClosedError('WIPED', 'this secret was wiped')
    return this.#octets
  }

  get wiped(): boolean {
    return this.#octets === undefined
  }

  wipe(): void {
    this.#octets?.fill(0)
    this.#octets = undefined
  }
}
