import type { Clock } from '@causeway/npamp/transports'
import type { PeerCall } from './peer-call.ts'

/** As much as a send queue may hold; an empty list takes any call. */
const MAX_WAITING_OCTETS = 8 * 1024 * 1024

/** Calls that no association takes yet, in order of arrival, each until its own deadline (CARRIAGE section 1). */
export class WaitingCalls {
  readonly #clock: Clock
  readonly #onExpired: (call: PeerCall) => void
  readonly #timers = new Map<PeerCall, unknown>()
  #octets = 0
  #unnamed = 0

  constructor(clock: Clock, onExpired: (call: PeerCall) => void) {
    this.#clock = clock
    this.#onExpired = onExpired
  }

  get size(): number {
    return this.#timers.size
  }

  /** How many of them name no target. */
  get unnamed(): number {
    return this.#unnamed
  }

  /** A copy, so that calls may leave while it is walked. */
  all(): PeerCall[] {
    return [...this.#timers.keys()]
  }

  /** False when too much waits already. */
  add(call: PeerCall): boolean {
    const octets = call.request.octets.length
    if (this.#octets > 0 && this.#octets + octets > MAX_WAITING_OCTETS) return false
    this.#octets += octets
    if (call.targetName === undefined) this.#unnamed++
    const delayMs = Math.max(Math.ceil(call.placementEndsAt - this.#clock.now()), 0)
    const timer = this.#clock.setTimeout(() => {
      if (this.remove(call)) this.#onExpired(call)
    }, delayMs)
    this.#timers.set(call, timer)
    return true
  }

  /** False when it did not wait. */
  remove(call: PeerCall): boolean {
    if (!this.#timers.has(call)) return false
    this.#clock.clearTimeout(this.#timers.get(call))
    this.#timers.delete(call)
    this.#octets -= call.request.octets.length
    if (call.targetName === undefined) this.#unnamed--
    return true
  }
}
