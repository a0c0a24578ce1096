import type { Clock } from '@causeway/npamp/transports'
import type { CallFailure, CallReply, CallSink } from '../exchanges/contract.ts'

/** CARRIAGE section 7: what one exchange may hold for a slow receiver, and how long that one may take nothing. */
export const MAX_HELD_OCTETS = 4 * 1024 * 1024
export const MAX_STALL_MS = 30_000

export interface DeliveryOptions {
  readonly clock: Clock
  /** Counts what is held, positive and negative. */
  readonly onHeld: (octets: number) => void
  /** The receiver is too slow: the exchange has to end, alone. Nothing is delivered any more. `lost`: notifications. */
  readonly onTooSlow: (why: 'overflow' | 'stall', lost: number) => void
}

/** Who is told; what belongs to no exchange has no end. */
export type DeliverySink = Pick<CallSink, 'notification'> & Partial<Pick<CallSink, 'reply' | 'fail'>>

/** Something other than a notification that must not overtake those that wait. Told one of both, once. */
export interface Turn {
  come(): void
  /** It will not come: the receiver is too slow, or gone. */
  lost(): void
}

type Held = Uint8Array | Turn

const NOTHING: Held[] = []
const COMPACT_FROM = 32

/**
 * The way of one exchange's notifications and its end to a sink that may be behind. Reading goes on meanwhile: other
 * exchanges share the association.
 */
export class Delivery {
  readonly #sink: DeliverySink
  readonly #options: DeliveryOptions
  #state: 'flowing' | 'behind' | 'over' = 'flowing'
  #held: Held[] = NOTHING
  /** How many of `#held` are gone already: taking from the front of a long array would copy the rest each time. */
  #taken = 0
  #heldOctets = 0
  #end: CallReply | CallFailure | undefined
  #stallTimer: unknown

  constructor(sink: DeliverySink, options: DeliveryOptions) {
    this.#sink = sink
    this.#options = options
  }

  get heldOctets(): number {
    return this.#heldOctets
  }

  notification(octets: Uint8Array): void {
    if (this.#state === 'flowing') this.#deliver(octets)
    else if (this.#state === 'behind') this.#hold(octets)
  }

  inTurn(turn: Turn): void {
    if (this.#state === 'flowing') turn.come()
    else if (this.#state === 'behind') this.#keep(turn)
    else turn.lost()
  }

  /** The one end of the exchange; it waits behind notifications that wait. */
  end(end: CallReply | CallFailure): void {
    if (this.#state === 'over' || this.#end !== undefined) return
    this.#end = end
    if (this.#state === 'flowing') this.#finish(end)
    else if ('octets' in end) this.#count(end.octets.length)
  }

  /** The sink takes again. */
  resume(): void {
    if (this.#state !== 'behind') return
    this.#state = 'flowing'
    this.#disarm()
    while (this.#isFlowing()) {
      const next = this.#take()
      if (next === undefined) break
      if ('come' in next) {
        next.come()
        continue
      }
      this.#count(-next.length)
      this.#deliver(next)
    }
    if (this.#isFlowing()) this.#letGo()
    if (this.#isFlowing() && this.#end !== undefined) this.#finish(this.#end)
  }

  /** Nobody wants the rest. Answers how many notifications were held. */
  drop(): number {
    this.#state = 'over'
    this.#disarm()
    const left = this.#held === NOTHING ? NOTHING : this.#held.slice(this.#taken)
    this.#letGo()
    this.#count(-this.#heldOctets)
    let notifications = 0
    for (const one of left) {
      if ('lost' in one) one.lost()
      else notifications += 1
    }
    return notifications
  }

  // The sink may end the exchange while it is being told something, which a type guard on the field would hide.
  #isFlowing(): boolean {
    return this.#state === 'flowing'
  }

  #deliver(octets: Uint8Array): void {
    if (this.#sink.notification(octets) === 'ok' || this.#state !== 'flowing') return
    this.#state = 'behind'
    this.#stallTimer = this.#options.clock.setTimeout(() => {
      this.#stallTimer = undefined
      this.#tooSlow('stall', 0)
    }, MAX_STALL_MS)
  }

  #hold(octets: Uint8Array): void {
    if (this.#heldOctets + octets.length > MAX_HELD_OCTETS) {
      this.#tooSlow('overflow', 1)
      return
    }
    this.#keep(octets)
    this.#count(octets.length)
  }

  #keep(one: Held): void {
    if (this.#held === NOTHING) this.#held = []
    this.#held.push(one)
  }

  /** A sink that never catches up for good keeps nothing of what it has been given already. */
  #take(): Held | undefined {
    if (this.#taken > COMPACT_FROM && this.#taken * 2 > this.#held.length) {
      this.#held = this.#held.slice(this.#taken)
      this.#taken = 0
    }
    return this.#held[this.#taken++]
  }

  #letGo(): void {
    this.#held = NOTHING
    this.#taken = 0
  }

  #finish(end: CallReply | CallFailure): void {
    this.drop()
    if ('octets' in end) this.#sink.reply?.(end)
    else this.#sink.fail?.(end)
  }

  #tooSlow(why: 'overflow' | 'stall', lost: number): void {
    this.#options.onTooSlow(why, this.drop() + lost)
  }

  #count(octets: number): void {
    if (octets === 0) return
    this.#heldOctets += octets
    this.#options.onHeld(octets)
  }

  #disarm(): void {
    if (this.#stallTimer === undefined) return
    this.#options.clock.clearTimeout(this.#stallTimer)
    this.#stallTimer = undefined
  }
}
