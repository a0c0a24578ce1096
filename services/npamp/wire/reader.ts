import { type MalformedCode, MalformedError } from '../errors.ts'
import { strictUtf8 } from './utf8.ts'

/**
 * Reads big-endian fields from the front of `octets` and never past its end. `what` names the structure in messages.
 * Throws MalformedError: TRUNCATED and TRAILING_OCTETS, or `code` for both where a structure has a code of its own.
 * What it hands out are views of `octets`, not copies.
 */
export class Reader {
  readonly #octets: Uint8Array
  readonly #what: string
  readonly #code: MalformedCode | undefined
  #at = 0

  constructor(octets: Uint8Array, what: string, code?: MalformedCode) {
    this.#octets = octets
    this.#what = what
    this.#code = code
  }

  get remaining(): number {
    return this.#octets.length - this.#at
  }

  u8(): number {
    return this.#octet(this.#advance(1))
  }

  u16(): number {
    const at = this.#advance(2)
    return (this.#octet(at) << 8) | this.#octet(at + 1)
  }

  u32(): number {
    const at = this.#advance(4)
    return this.#octet(at) * 0x100_0000 + (this.#octet(at + 1) << 16) + (this.#octet(at + 2) << 8) + this.#octet(at + 3)
  }

  u64(): bigint {
    if (this.remaining < 8) throw this.#truncated(8)
    return (BigInt(this.u32()) << 32n) | BigInt(this.u32())
  }

  /** The next `count` octets. */
  take(count: number): Uint8Array {
    const at = this.#advance(count)
    return this.#octets.subarray(at, at + count)
  }

  /** `count` octets as UTF-8; invalid UTF-8 is malformed. */
  text(count: number): string {
    const text = strictUtf8(this.take(count))
    if (text === undefined) throw new MalformedError(this.#code ?? 'TLV_VALUE', `${this.#what} has invalid UTF-8`)
    return text
  }

  /** Everything that is left, possibly nothing. */
  rest(): Uint8Array {
    return this.take(this.remaining)
  }

  /** Octets left over are an error. */
  done(): void {
    if (this.remaining > 0)
      throw new MalformedError(this.#code ?? 'TRAILING_OCTETS', `${this.#what} has ${this.remaining} octets too many`)
  }

  #advance(count: number): number {
    if (count > this.remaining) throw this.#truncated(count)
    const at = this.#at
    this.#at += count
    return at
  }

  #truncated(count: number): MalformedError {
    return new MalformedError(
      this.#code ?? 'TRUNCATED',
      `${this.#what} ends ${count - this.remaining} octets early, at ${this.#octets.length}`,
    )
  }

  #octet(at: number): number {
    return this.#octets[at] as number
  }
}
