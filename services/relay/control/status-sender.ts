import { toBinary } from '@bufbuild/protobuf'
import type { Clock } from '@causeway/npamp/transports'
import { type InstanceStatus, InstanceStatusSchema } from '@causeway/rpc'

/** proto/causeway/status/v1: sent when it has changed, at most once a second. */
const INTERVAL_MS = 1_000

export interface StatusReceiver {
  sendStatus(status: InstanceStatus): void
}

/** Tells whoever receives it the status of this instance, coalesced. */
export class StatusSender {
  readonly #current: () => InstanceStatus
  readonly #clock: Clock
  #receiver: StatusReceiver | undefined
  #lastSent: Uint8Array | undefined
  #lastSentAt = Number.NEGATIVE_INFINITY
  #timer: unknown

  constructor(current: () => InstanceStatus, clock: Clock) {
    this.#current = current
    this.#clock = clock
  }

  /** Whom to tell from now on: everything at once, as a new receiver knows nothing. */
  setReceiver(receiver: StatusReceiver | undefined): void {
    if (receiver === this.#receiver) return
    this.#receiver = receiver
    this.#lastSent = undefined
    this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
    if (receiver !== undefined) this.#send()
  }

  /** It may have changed. */
  changed(): void {
    if (this.#receiver === undefined || this.#timer !== undefined) return
    const waitMs = this.#lastSentAt + INTERVAL_MS - this.#clock.now()
    // Even then in a moment: what changes together is told together.
    this.#timer = this.#clock.setTimeout(() => this.#send(), Math.max(0, waitMs))
  }

  #send(): void {
    this.#timer = undefined
    const status = this.#current()
    const octets = toBinary(InstanceStatusSchema, status)
    if (this.#lastSent !== undefined && Buffer.compare(octets, this.#lastSent) === 0) return
    this.#lastSent = octets
    this.#lastSentAt = this.#clock.now()
    this.#receiver?.sendStatus(status)
  }
}
