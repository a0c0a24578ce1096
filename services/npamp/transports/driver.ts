import type { AssociationCore, AssociationEvent } from '../association/contract.ts'
import type { Transport, TransportReceiver } from './contract.ts'

/** Monotonic milliseconds and timers of the same clock. */
export interface Clock {
  now(): number
  setTimeout(callback: () => void, ms: number): unknown
  clearTimeout(handle: unknown): void
}

export interface Connection {
  readonly association: AssociationCore
  readonly transport: Transport
  /**
   * Call it after anything was asked of the association (send, close, sendLink ...): what was asked for within one turn
   * of the event loop leaves in one write.
   */
  flush(): void
}

export interface DriverOptions {
  /** Runs a callback once the current turn is over; default `setImmediate`. */
  readonly defer?: (callback: () => void) => void
  /** After octets were received, and what they gave was delivered; not after the end. */
  readonly onReceived?: () => void
}

/**
 * The only pump between an association and its transport: octets and timers in, octets and events out. Reading never
 * waits for writing (CARRIAGE section 7); the owner pauses reading on the transport itself. After the `closed` event it
 * writes what is left, ends the transport and touches the association no more.
 */
export function connect(
  association: AssociationCore,
  transport: Transport,
  clock: Clock,
  onEvent: (event: AssociationEvent) => void,
  options: DriverOptions = {},
): Connection {
  const driver = new Driver(association, transport, clock, onEvent, options)
  driver.start()
  return driver
}

/** Sealed ahead of the socket at most, give or take a frame: Control frames never wait behind more than this. */
const TRANSMIT_OCTETS = 256 * 1024
/** Beyond it Node's timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** It is the transport's receiver itself, so that an idle connection holds no closures for that. */
class Driver implements Connection, TransportReceiver {
  readonly association: AssociationCore
  readonly transport: Transport
  readonly #clock: Clock
  readonly #onEvent: (event: AssociationEvent) => void
  readonly #defer: (callback: () => void) => void
  readonly #onReceived: (() => void) | undefined
  #flushScheduled = false
  #transportFull = false
  #closed = false
  #delivering = false
  #timer: unknown
  #timerFiresAt = Infinity

  constructor(
    association: AssociationCore,
    transport: Transport,
    clock: Clock,
    onEvent: (event: AssociationEvent) => void,
    options: DriverOptions,
  ) {
    this.association = association
    this.transport = transport
    this.#clock = clock
    this.#onEvent = onEvent
    this.#defer = options.defer ?? setImmediate
    this.#onReceived = options.onReceived
  }

  start(): void {
    this.transport.start(this)
    this.flush()
  }

  onOctets(octets: Uint8Array): void {
    if (this.#closed) return
    this.association.receive(octets, this.#clock.now())
    this.#afterInput()
    if (!this.#closed) this.#onReceived?.()
  }

  onWritable(): void {
    this.#transportFull = false
    this.flush()
  }

  onEnd(clean: boolean): void {
    if (this.#closed) return
    this.association.transportEnded(clean, this.#clock.now())
    this.#afterInput()
  }

  flush(): void {
    if (this.#flushScheduled || this.#closed) return
    this.#flushScheduled = true
    this.#defer(this.#flushNow)
  }

  readonly #flushNow = (): void => {
    this.#flushScheduled = false
    if (!this.#closed) this.#pump()
  }

  readonly #onTimer = (): void => {
    this.#timerFiresAt = Infinity
    if (this.#closed) return
    this.association.handleTimeout(this.#clock.now())
    this.#afterInput()
  }

  #afterInput(): void {
    this.#deliverEvents()
    this.flush()
  }

  #pump(): void {
    // Events first: what handlers ask for leaves with this write.
    this.#deliverEvents()
    this.#transmit()
    this.#deliverEvents()
    this.#armTimer()
  }

  #deliverEvents(): void {
    // A handler may end up here again through the transport; the loop below it goes on.
    if (this.#delivering) return
    this.#delivering = true
    try {
      while (!this.#closed) {
        const event = this.association.nextEvent()
        if (event === undefined) return
        if (event.type === 'closed') this.#end(event)
        else this.#onEvent(event)
      }
    } finally {
      this.#delivering = false
    }
  }

  #end(event: AssociationEvent): void {
    this.#closed = true
    this.#disarmTimer()
    try {
      this.#onEvent(event)
    } finally {
      const pieces = this.association.transmit(this.#clock.now(), Number.POSITIVE_INFINITY)
      if (pieces.length > 0) this.transport.write(pieces)
      this.transport.end()
    }
  }

  #transmit(): void {
    while (!this.#transportFull && !this.#closed) {
      const pieces = this.association.transmit(this.#clock.now(), TRANSMIT_OCTETS)
      if (pieces.length === 0) return
      this.#transportFull = !this.transport.write(pieces)
    }
  }

  #armTimer(): void {
    const due = this.#closed ? undefined : this.association.nextTimeout()
    if (due === undefined) {
      this.#disarmTimer()
      return
    }
    const now = this.#clock.now()
    // Rounded up, because a timer that fires a fraction early finds nothing due and has to be set again.
    const delayMs = Math.min(Math.max(Math.ceil(due - now), 0), MAX_TIMER_MS)
    // A timer that fires too early costs one look; setting a new one for every frame would cost more.
    if (this.#timerFiresAt <= now + delayMs) return
    this.#disarmTimer()
    this.#timerFiresAt = now + delayMs
    this.#timer = this.#clock.setTimeout(this.#onTimer, delayMs)
  }

  #disarmTimer(): void {
    if (this.#timerFiresAt !== Infinity) this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
    this.#timerFiresAt = Infinity
  }
}
