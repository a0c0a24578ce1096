import { type CloseCause, ClosedError, type Transport } from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import { backoffMs, DEMAND_BACKOFF_MS } from '../pacing/backoff.ts'
import { type DialFailure, failureAfterHandshake, failureOfClose, failureOfError } from './dial-failure.ts'
import type { DialGate } from './dial-gate.ts'
import type { PeerAssociation } from './peer-association.ts'
import type { PeerAddress } from './peer-config.ts'

export interface DiallerOptions {
  readonly addresses: readonly PeerAddress[]
  readonly clock: Clock
  /** Uniform in [0, 1). */
  readonly random: () => number
  readonly gate: DialGate
  /** TCP and TLS. Rejects with an NpampError. */
  readonly connect: (address: PeerAddress, signal: AbortSignal) => Promise<Transport>
  /** An association, not opened yet; what becomes of it is told by `settled`. Throws an NpampError where it cannot be. */
  readonly create: (address: PeerAddress) => PeerAssociation
  /** All addresses were tried in vain. `failures`: how often in a row by now. */
  readonly onFailed: (failure: DialFailure, failures: number) => void
  /** One address was tried in vain. */
  readonly onAddressFailed: (address: PeerAddress, failure: DialFailure) => void
  /** The backoff is over. */
  readonly onRetry: () => void
}

/**
 * Dials one peer: its addresses in order, each up to HELLO; exponential backoff with jitter between rounds that failed.
 * How many associations are wanted is the pool's business.
 */
export class Dialler {
  readonly #options: DiallerOptions
  readonly #abort = new AbortController()
  /** Associations from the start of their handshake to HELLO. */
  readonly #unsettled = new Map<PeerAssociation, Shaking>()
  #running = 0
  #failures = 0
  #failedAt = 0
  #delayMs = 0
  #retry: { readonly handle: unknown; readonly at: number } | undefined
  #lastFailure: DialFailure | undefined
  #stopped = false

  constructor(options: DiallerOptions) {
    this.#options = options
  }

  /** Whether there is anything to dial. */
  get canDial(): boolean {
    return !this.#stopped && this.#options.addresses.length > 0
  }

  /** Why the last round failed; undefined after one that did not. */
  get lastFailure(): DialFailure | undefined {
    return this.#lastFailure
  }

  /**
   * Brings the dials under way up to `count`, or sets a timer to come back when the backoff is over. `urgent`: a caller
   * waits, which shortens a long backoff. After a failure one dial at a time finds out whether the peer is back.
   */
  ensure(count: number, urgent: boolean): void {
    if (!this.canDial) return
    const wanted = this.#failures > 0 ? Math.min(count, 1) : count
    if (this.#running >= wanted) return
    const now = this.#options.clock.now()
    const at = this.#failedAt + (urgent ? Math.min(this.#delayMs, DEMAND_BACKOFF_MS) : this.#delayMs)
    if (this.#failures > 0 && at > now) {
      this.#retryAt(at, now)
      return
    }
    this.#cancelRetry()
    while (this.#running < wanted) this.#dial()
  }

  /**
   * What became of an association that `create` made: undefined when it carries calls, else how it closed. False when that
   * was settled before, or is about another association.
   */
  settled(association: PeerAssociation, cause: CloseCause | undefined): boolean {
    const shaking = this.#unsettled.get(association)
    if (shaking === undefined) return false
    this.#unsettled.delete(association)
    if (cause === undefined) {
      this.#failures = 0
      this.#lastFailure = undefined
      // Now and not with the promise: whoever counts dials next must not count this one.
      shaking.leave()
    }
    const failed = association.core.established === undefined ? failureOfClose : failureAfterHandshake
    shaking.resolve(cause && failed(cause))
    return true
  }

  /** An association that had just been dialled was lost at once: that is a failure too, or a relay would dial in a loop. */
  flapped(cause: CloseCause): void {
    this.#failed(failureOfClose(cause))
  }

  /** `why`: the relay is stopping, or dials in another way from now on. */
  stop(why: string): void {
    this.#stopped = true
    this.#cancelRetry()
    this.#abort.abort()
    for (const [association, shaking] of [...this.#unsettled]) {
      if (association.core.established === undefined) association.abort(new ClosedError('CLOSED', why))
      else {
        // It has an owner already, who closes it in words or keeps it.
        this.#unsettled.delete(association)
        shaking.leave()
        shaking.resolve(undefined)
      }
    }
  }

  #dial(): void {
    this.#running++
    let running = true
    const leave = (): void => {
      if (!running) return
      running = false
      this.#running--
      leaveGate()
    }
    const leaveGate = this.#options.gate.enter(() => {
      void this.#tryAddresses(leave).then((failure) => {
        leave()
        if (failure !== undefined && !this.#stopped) this.#failed(failure)
      })
    })
  }

  async #tryAddresses(leave: () => void): Promise<DialFailure | undefined> {
    let failure: DialFailure | undefined
    for (const address of this.#options.addresses) {
      failure = await this.#tryAddress(address, leave)
      if (failure === undefined || this.#stopped) return failure
      this.#options.onAddressFailed(address, failure)
    }
    return failure
  }

  async #tryAddress(address: PeerAddress, leave: () => void): Promise<DialFailure | undefined> {
    try {
      const transport = await this.#options.connect(address, this.#abort.signal)
      if (this.#stopped) {
        transport.destroy()
        return undefined
      }
      const association = this.#options.create(address)
      return await new Promise((resolve) => {
        // Before anything can happen to it.
        this.#unsettled.set(association, { resolve, leave })
        association.open(transport)
      })
    } catch (error) {
      return failureOfError(error)
    }
  }

  #failed(failure: DialFailure): void {
    const { clock, random, onFailed } = this.#options
    this.#failures++
    this.#failedAt = clock.now()
    this.#delayMs = backoffMs(this.#failures, random())
    this.#lastFailure = failure
    onFailed(failure, this.#failures)
  }

  #retryAt(at: number, now: number): void {
    if (this.#retry !== undefined && this.#retry.at <= at) return
    this.#cancelRetry()
    const handle = this.#options.clock.setTimeout(
      () => {
        this.#retry = undefined
        this.#options.onRetry()
      },
      Math.ceil(at - now),
    )
    this.#retry = { handle, at }
  }

  #cancelRetry(): void {
    if (this.#retry !== undefined) this.#options.clock.clearTimeout(this.#retry.handle)
    this.#retry = undefined
  }
}

interface Shaking {
  readonly resolve: (failure: DialFailure | undefined) => void
  readonly leave: () => void
}
