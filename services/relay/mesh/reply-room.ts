import { ASSOCIATION_BUDGET_OCTETS, type ProcessBudget } from './read-budget.ts'

export interface ReplyRoomOptions {
  readonly process: ProcessBudget
  readonly limitOctets?: number
  /** Whether the association has as much to send as it may have. */
  readonly queueFull: () => boolean
  /** Answers that had to wait may be read on. */
  readonly onRoom: () => void
}

/**
 * The octets of answers that are read from targets for one peer, from their arrival until they are sealed (CARRIAGE section
 * 7: replies wait, and their source is not read). Beyond the limit of the association or of the process only the answer
 * that was begun first is read on: what is held stays bounded, and still one of them always comes to its end.
 */
export class ReplyRoom<Call> {
  readonly #options: ReplyRoomOptions
  readonly #limitOctets: number
  #heldOctets = 0
  /** Octets of answers that are not complete yet, in the order in which they were begun. */
  readonly #arriving = new Map<Call, number>()
  #closed = false

  constructor(options: ReplyRoomOptions) {
    this.#options = options
    this.#limitOctets = options.limitOctets ?? ASSOCIATION_BUDGET_OCTETS
  }

  get heldOctets(): number {
    return this.#heldOctets
  }

  /** So many octets of the call's answer have arrived by now. False: read no more of it before `onRoom`. */
  arrived(call: Call, octets: number): boolean {
    const change = octets - (this.#arriving.get(call) ?? 0)
    if (octets > 0) this.#arriving.set(call, octets)
    else this.#arriving.delete(call)
    if (change < 0) this.#release(-change)
    else this.#change(change)
    if (this.mayRead(call)) return true
    if (this.#options.process.exhausted) this.#options.process.paused(this, true)
    return false
  }

  mayRead(call: Call): boolean {
    if (this.#options.queueFull()) return false
    return !this.#over || this.#arriving.size === 0 || this.#arriving.keys().next().value === call
  }

  /** The answer is complete, and waits to be sealed until the function that this returns is called. */
  queued(call: Call, octets: number): () => void {
    this.#change(octets - (this.#arriving.get(call) ?? 0))
    this.#arriving.delete(call)
    let waits = true
    return () => {
      if (!waits) return
      waits = false
      this.#release(octets)
    }
  }

  /** The call is over: what arrived of its answer, and was not queued, is gone. */
  forget(call: Call): void {
    const octets = this.#arriving.get(call)
    if (octets === undefined) return
    this.#arriving.delete(call)
    this.#release(octets)
  }

  /** For ProcessBudget: it has room again. */
  review(): void {
    this.#options.process.paused(this, false)
    this.#options.onRoom()
  }

  /** The association ended: what was queued is gone. */
  close(): void {
    this.#options.process.paused(this, false)
    this.#change(-this.#heldOctets)
    this.#arriving.clear()
    this.#closed = true
  }

  get #over(): boolean {
    return this.#heldOctets > this.#limitOctets || this.#options.process.exhausted
  }

  #release(octets: number): void {
    this.#change(-octets)
    if (!this.#closed && !this.#options.queueFull()) this.#options.onRoom()
  }

  #change(octets: number): void {
    if (this.#closed || octets === 0) return
    this.#heldOctets += octets
    this.#options.process.change(octets)
  }
}
