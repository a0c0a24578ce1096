/** Whose event it is: told when it is no longer held, so that nobody waits for what the client can never get. */
export interface EventOwner {
  dropped(sequence: number): void
}

export interface HeldEvent {
  readonly owner: EventOwner
  /** Ascending within its owner. */
  readonly sequence: number
  /** One JSON text, a copy. */
  readonly octets: Uint8Array
}

/** They may change while events are held: the next event of a session finds them as they are then. */
export interface EventLimits {
  /** Of one session. */
  events: number
  /** Of one session, in octets of JSON text; a larger event is not held at all. */
  octets: number
}

interface Node extends HeldEvent {
  readonly events: SessionEvents
  older: Node | undefined
  newer: Node | undefined
}

/** What a held event takes besides its text: many small ones must not take many times what the limit says. */
export const EVENT_COST_OCTETS = 256

/**
 * What the sessions of one edge hold together, and what holding it takes. Beyond the limit the oldest event goes, whichever
 * session has it.
 */
export class EventBudget {
  #limitOctets: number
  #octets = 0
  #oldest: Node | undefined
  #newest: Node | undefined

  constructor(limitOctets: number) {
    this.#limitOctets = limitOctets
  }

  get limitOctets(): number {
    return this.#limitOctets
  }

  setLimit(limitOctets: number): void {
    this.#limitOctets = limitOctets
    this.trim()
  }

  get octets(): number {
    return this.#octets
  }

  add(node: Node): void {
    node.older = this.#newest
    if (this.#newest === undefined) this.#oldest = node
    else this.#newest.newer = node
    this.#newest = node
    this.#octets += costOf(node.octets)
  }

  /** Events are in one order here and in their session, so the oldest of all is the oldest of its own. */
  trim(): void {
    while (this.#octets > this.limitOctets && this.#oldest !== undefined) this.#oldest.events.dropOldest()
  }

  remove(node: Node): void {
    if (node.older === undefined) this.#oldest = node.newer
    else node.older.newer = node.newer
    if (node.newer === undefined) this.#newest = node.older
    else node.newer.older = node.older
    // Whoever still has this one must not have all that came behind it, too.
    node.older = undefined
    node.newer = undefined
    this.#octets -= costOf(node.octets)
  }
}

/** Events of one session that its client may ask for again, or has not been shown yet. Beyond the limits the oldest goes. */
export class SessionEvents {
  readonly #limits: EventLimits
  readonly #budget: EventBudget
  readonly #onDropped: () => void
  #nodes: (Node | undefined)[] = []
  /** Where the oldest stands in `#nodes`. */
  #first = 0
  #octets = 0

  /** `onDropped` counts events that went because of a limit. */
  constructor(limits: EventLimits, budget: EventBudget, onDropped: () => void) {
    this.#limits = limits
    this.#budget = budget
    this.#onDropped = onDropped
  }

  get size(): number {
    return this.#nodes.length - this.#first
  }

  /** Keeps a copy of `octets`. False: it is larger than all that may be held. */
  add(owner: EventOwner, sequence: number, octets: Uint8Array): boolean {
    const { events, octets: limitOctets } = this.#limits
    if (events === 0 || octets.length > limitOctets || costOf(octets) > this.#budget.limitOctets) {
      this.#onDropped()
      return false
    }
    const copy = new Uint8Array(octets)
    const node: Node = { owner, sequence, octets: copy, events: this, older: undefined, newer: undefined }
    this.#nodes.push(node)
    this.#octets += copy.length
    this.#budget.add(node)
    while (this.size > events || this.#octets > limitOctets) this.dropOldest()
    this.#budget.trim()
    return true
  }

  /** What is held of `owner` behind `sequence`, in order. */
  *after(owner: EventOwner, sequence: number): Generator<HeldEvent> {
    for (let index = this.#first; index < this.#nodes.length; index++) {
      const node = this.#nodes[index]
      if (node?.owner === owner && node.sequence > sequence) yield node
    }
  }

  dropOldest(): void {
    const node = this.#nodes[this.#first]
    if (node === undefined) return
    this.#nodes[this.#first++] = undefined
    if (this.#first > COMPACT_FROM && this.#first * 2 > this.#nodes.length) {
      this.#nodes = this.#nodes.slice(this.#first)
      this.#first = 0
    }
    this.#octets -= node.octets.length
    this.#budget.remove(node)
    this.#onDropped()
    node.owner.dropped(node.sequence)
  }

  /** The session has ended; nobody is told. */
  clear(): void {
    for (let index = this.#first; index < this.#nodes.length; index++) {
      const node = this.#nodes[index]
      if (node !== undefined) this.#budget.remove(node)
    }
    this.#nodes = []
    this.#first = 0
    this.#octets = 0
  }
}

function costOf(octets: Uint8Array): number {
  return octets.length + EVENT_COST_OCTETS
}

const COMPACT_FROM = 32
