import type { SeededRandom } from './random.ts'

/** How octets travel one way. */
export interface PipeOptions {
  /** Least and most delay of a slice; slices never overtake each other. */
  readonly delayMs?: readonly [number, number]
  /** Least and most octets of a slice as it arrives; default: as written. */
  readonly slice?: readonly [number, number]
  /** From this many octets under way the writer is asked to wait; default 256 KiB. */
  readonly capacityOctets?: number
  /** A slow reader: at most one slice in this time. */
  readonly readEveryMs?: number
}

const NEVER = Number.POSITIVE_INFINITY

/** One direction of a connection: ordered, reliable, until it is cut. */
export class Pipe {
  /** May change while it runs; holds for what is written and read from then on. */
  options: PipeOptions
  readonly #random: SeededRandom
  readonly #slices: { octets: Uint8Array; dueAt: number }[] = []
  #octets = 0
  #carried = 0
  #lastDueAt = 0
  #nextReadAt = 0
  /** Octets to carry before the connection is lost. */
  cutAt: number = NEVER
  /** The writer will write no more. */
  ended = false

  constructor(options: PipeOptions, random: SeededRandom) {
    this.options = options
    this.#random = random
  }

  /** True when the writer should wait. */
  get full(): boolean {
    return this.#octets >= (this.options.capacityOctets ?? 256 * 1024)
  }

  /** Octets that were written since the beginning. */
  get carriedOctets(): number {
    return this.#carried
  }

  write(octets: Uint8Array, now: number): void {
    const room = Math.max(0, this.cutAt - this.#carried)
    for (let rest = octets.subarray(0, room); rest.length > 0; ) {
      const slice = rest.subarray(0, this.#sliceLength(rest.length))
      rest = rest.subarray(slice.length)
      this.#lastDueAt = Math.max(this.#lastDueAt, now + this.#delay())
      this.#slices.push({ octets: slice, dueAt: this.#lastDueAt })
      this.#octets += slice.length
    }
    this.#carried += Math.min(octets.length, room)
  }

  /** When the next slice can be read. */
  nextAt(): number {
    const first = this.#slices[0]
    return first === undefined ? NEVER : Math.max(first.dueAt, this.#nextReadAt)
  }

  /** The next slice, in an array of its own, as a socket would give it. */
  read(now: number): Uint8Array | undefined {
    if (now < this.nextAt()) return undefined
    const slice = this.#slices.shift()
    if (slice === undefined) return undefined
    this.#octets -= slice.octets.length
    this.#nextReadAt = now + (this.options.readEveryMs ?? 0)
    return slice.octets.slice()
  }

  /** What the reader notices once everything under way was read: nothing, an orderly end, or a loss. */
  get ending(): 'none' | 'clean' | 'lost' {
    if (this.#slices.length > 0) return 'none'
    if (this.#carried >= this.cutAt) return 'lost'
    return this.ended ? 'clean' : 'none'
  }

  #sliceLength(available: number): number {
    const range = this.options.slice
    return range === undefined ? available : Math.min(available, this.#random.integer(range[0], range[1]))
  }

  #delay(): number {
    const range = this.options.delayMs
    return range === undefined ? 0 : this.#random.integer(range[0], range[1])
  }
}
