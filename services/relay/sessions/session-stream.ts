import type { EventOwner, HeldEvent } from './session-events.ts'

/** One response that shows a stream's events to the client. */
export interface StreamView {
  /** `id` is what the client may ask to go on after. 'overflow': too much waits for it already, and this was not taken. */
  event(octets: Uint8Array, id: string): 'ok' | 'wait' | 'overflow'
  /** The event behind which nothing comes; `release` is called once its octets are needed no more. */
  last(octets: Uint8Array, id: string, release: (() => void) | undefined): void
  /** An event without data, which lets the client go on after it when it has seen no other. */
  prime(id: string): void
  end(): void
  /** Breaks the connection: the client has taken nothing for too long. */
  abandon(): void
}

/** What a stream needs of its session. */
export interface StreamHost {
  /** Its streams open with an event without data (revision 2025-11-25). */
  readonly primes: boolean
  /** False: it cannot be held. */
  hold(stream: SessionStream, sequence: number, octets: Uint8Array): boolean
  heldAfter(stream: SessionStream, sequence: number): Iterable<HeldEvent>
  /** Nothing more comes in the stream, not even a last event. */
  endedSilently(stream: SessionStream): void
  /** Nothing more comes in the stream, and nothing of it is held. */
  forget(stream: SessionStream): void
}

/**
 * The events of one stream of a session: the answer to one POST, or what belongs to no request. It outlives the
 * connection that shows it, as in the legacy era a disconnect is no cancel: what comes meanwhile is held, and a client that
 * names the last event it saw goes on behind it (CARRIAGE section 9).
 */
export class SessionStream implements EventOwner {
  readonly number: number
  readonly #host: StreamHost
  readonly #onRoom: () => void
  #sequence = 0
  /** The last event that any view was given. */
  #shown = 0
  #held = 0
  #complete = false
  #view: StreamView | undefined
  /** For events that have been shown to nobody: told if they never will be. */
  #onLost: Map<number, () => void> | undefined

  /** `onRoom`: whoever was told 'wait' may go on, as the client took everything, or is gone. */
  constructor(number: number, host: StreamHost, onRoom: () => void) {
    this.number = number
    this.#host = host
    this.#onRoom = onRoom
  }

  /** Nothing more comes in it. */
  get complete(): boolean {
    return this.#complete
  }

  /** What shows it now. */
  get view(): StreamView | undefined {
    return this.#view
  }

  /** `onLost` is called if the event can never be shown. */
  event(octets: Uint8Array, onLost?: () => void): 'ok' | 'wait' {
    if (this.#complete) {
      onLost?.()
      return 'ok'
    }
    const sequence = ++this.#sequence
    if (onLost !== undefined) this.#rememberLoss(sequence, onLost)
    const held = this.#hold(sequence, octets)
    const pushed = this.#view?.event(octets, this.#id(sequence))
    if (pushed === 'ok' || pushed === 'wait') {
      this.#shown = sequence
      this.#onLost?.delete(sequence)
      return pushed
    }
    // A client this slow may come back and go on behind the last event it took.
    if (pushed === 'overflow') this.abandonView()
    if (!held) this.#tellLoss(sequence)
    return 'ok'
  }

  /** The last event. */
  last(octets: Uint8Array, release?: () => void): void {
    if (this.#complete) return
    const sequence = ++this.#sequence
    this.#hold(sequence, octets)
    this.#complete = true
    const view = this.#view
    this.#view = undefined
    if (view === undefined) release?.()
    else {
      this.#shown = sequence
      view.last(octets, this.#id(sequence), release)
    }
    this.#forgetIfDone()
  }

  /** Nothing more comes, and there is no last event. */
  end(): void {
    if (this.#complete) return
    this.#complete = true
    this.#view?.end()
    this.#view = undefined
    this.#host.endedSilently(this)
    this.#forgetIfDone()
  }

  /** What follows for a client that saw event `sequence` last; 'lost': something did that is held no more, or it saw none. */
  follows(sequence: number): 'something' | 'nothing' | 'lost' {
    if (sequence > this.#sequence) return 'lost'
    if (!this.#complete) return 'something'
    for (const _ of this.#host.heldAfter(this, sequence)) return 'something'
    return sequence === this.#sequence ? 'nothing' : 'lost'
  }

  /**
   * From now on `view` shows the stream, in place of the one before it. `after`: the last event that the client saw; absent:
   * it begins behind what was shown before.
   */
  attach(view: StreamView, after: number | undefined): void {
    const before = this.#view
    this.#view = undefined
    before?.end()
    let replayed = 0
    for (const { octets, sequence } of [...this.#host.heldAfter(this, after ?? this.#shown)]) {
      if (view.event(octets, this.#id(sequence)) === 'overflow') {
        view.end()
        return
      }
      replayed++
      this.#shown = Math.max(this.#shown, sequence)
      this.#onLost?.delete(sequence)
    }
    if (this.#complete) view.end()
    else {
      this.#view = view
      if (replayed === 0 && after === undefined && this.#host.primes) view.prime(this.#id(++this.#sequence))
    }
  }

  /** The view's connection is gone. */
  detach(view: StreamView): void {
    if (this.#view !== view) return
    this.#view = undefined
    this.#onRoom()
  }

  /** The view's client has caught up. */
  relieved(view: StreamView): void {
    if (this.#view === view) this.#onRoom()
  }

  /** Ends what shows it; the stream goes on, and its client may come back. */
  hangUp(): void {
    const view = this.#view
    if (view === undefined) return
    this.detach(view)
    view.end()
  }

  abandonView(): void {
    const view = this.#view
    if (view === undefined) return
    this.detach(view)
    view.abandon()
  }

  // --- EventOwner ---

  dropped(sequence: number): void {
    this.#held--
    this.#tellLoss(sequence)
    this.#forgetIfDone()
  }

  #hold(sequence: number, octets: Uint8Array): boolean {
    this.#held++
    if (this.#host.hold(this, sequence, octets)) return true
    this.#held--
    return false
  }

  #rememberLoss(sequence: number, onLost: () => void): void {
    this.#onLost ??= new Map()
    this.#onLost.set(sequence, onLost)
  }

  #tellLoss(sequence: number): void {
    const onLost = this.#onLost?.get(sequence)
    this.#onLost?.delete(sequence)
    onLost?.()
  }

  #forgetIfDone(): void {
    if (this.#complete && this.#held === 0) this.#host.forget(this)
  }

  /** Unique in the session, and says which stream it is of. */
  #id(sequence: number): string {
    return `${this.number}-${sequence}`
  }
}

/** What an event id names; undefined for what no stream gave. */
export function parseEventId(id: string): { readonly stream: number; readonly sequence: number } | undefined {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(id)
  return match === null ? undefined : { stream: Number(match[1]), sequence: Number(match[2]) }
}
