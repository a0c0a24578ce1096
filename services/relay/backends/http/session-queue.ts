/** One message of a session that waits to be posted. */
export interface Posting {
  /** What of it is held while it waits. */
  readonly octets: number
  /** Posts it; `release` lets the next one go and may be called at once, later, or never again after the first time. */
  run(release: () => void): void
  /** Never run: the session is over. */
  dropped(): void
}

/**
 * The order of CARRIAGE section 6: messages of one session are posted in the order they came, and a notification or response
 * has its status before the next one is posted. A request releases the queue as soon as it is on its way.
 */
export class SessionQueue {
  readonly #limit: number
  readonly #limitOctets: number
  #waiting: Posting[] = []
  #waitingOctets = 0
  #busy = false
  #advancing = false
  #closed = false

  /** @param limitOctets over all that wait; one posting alone may be larger. */
  constructor(limit: number, limitOctets: number) {
    this.#limit = limit
    this.#limitOctets = limitOctets
  }

  get length(): number {
    return this.#waiting.length
  }

  /** False when the queue is full or closed: the posting was not taken and nothing of it is called. */
  add(posting: Posting): boolean {
    if (this.#closed || !this.#hasRoomFor(posting)) return false
    this.#push(posting)
    return true
  }

  /** Takes one before all that wait and beyond the limit, unless the queue is closed. */
  addFirst(posting: Posting): void {
    if (this.#closed) return
    this.#waiting.unshift(posting)
    this.#waitingOctets += posting.octets
    this.#advance()
  }

  /** Takes one more posting, behind the others and beyond the limit, and nothing after it. */
  addLast(posting: Posting): void {
    if (this.#closed) return
    this.#closed = true
    this.#push(posting)
  }

  /** Removes a posting that has not run; false when it has. */
  withdraw(posting: Posting): boolean {
    const at = this.#waiting.indexOf(posting)
    if (at === -1) return false
    this.#waiting.splice(at, 1)
    this.#waitingOctets -= posting.octets
    return true
  }

  /** Drops what waits and takes nothing more. */
  clear(): void {
    this.#closed = true
    const dropped = this.#waiting
    this.#waiting = []
    this.#waitingOctets = 0
    for (const posting of dropped) posting.dropped()
  }

  #hasRoomFor({ octets }: Posting): boolean {
    const waiting = this.#waiting.length
    return waiting < this.#limit && (waiting === 0 || this.#waitingOctets + octets <= this.#limitOctets)
  }

  #push(posting: Posting): void {
    this.#waiting.push(posting)
    this.#waitingOctets += posting.octets
    this.#advance()
  }

  #advance(): void {
    // A posting that releases at once must not advance from inside its own turn: the stack would grow with the queue.
    if (this.#advancing) return
    this.#advancing = true
    for (let posting = this.#next(); posting !== undefined; posting = this.#next()) {
      this.#busy = true
      let released = false
      posting.run(() => {
        if (released) return
        released = true
        this.#busy = false
        this.#advance()
      })
    }
    this.#advancing = false
  }

  #next(): Posting | undefined {
    if (this.#busy) return undefined
    const posting = this.#waiting.shift()
    if (posting !== undefined) this.#waitingOctets -= posting.octets
    return posting
  }
}
