import type { AssociationCounters } from '@causeway/npamp'

/** The numbers of one association, or of many. */
export type Totals = {
  -readonly [Field in keyof AssociationCounters as AssociationCounters[Field] extends number ? Field : never]: number
}

/** Sums the counters of many associations, those that ended included; nothing is counted twice and nothing goes back. */
export class TrafficMeter {
  readonly #live = new Map<AssociationCounters, Readonly<Totals>>()
  readonly #ended = emptyTotals()

  /** Counts all that these counters hold and will hold; or, where another meter has counted so far, from here on. */
  attach(counters: AssociationCounters, from: 'start' | 'now'): void {
    this.#live.set(counters, from === 'start' ? NOTHING : totalsOf(counters))
  }

  /** What was counted so far stays counted. */
  detach(counters: AssociationCounters): void {
    const base = this.#live.get(counters)
    if (base === undefined) return
    this.#live.delete(counters)
    for (const field of FIELDS) this.#ended[field] += counters[field] - base[field]
  }

  read(field: keyof Totals): number {
    let sum = this.#ended[field]
    for (const [counters, base] of this.#live) sum += counters[field] - base[field]
    return sum
  }
}

function emptyTotals(): Totals {
  return {
    framesSent: 0,
    framesReceived: 0,
    octetsSent: 0,
    octetsReceived: 0,
    keyUpdatesSent: 0,
    keyUpdatesReceived: 0,
    ratchetsReceived: 0,
  }
}

const NOTHING: Readonly<Totals> = emptyTotals()

const FIELDS = Object.keys(emptyTotals()) as (keyof Totals)[]

function totalsOf(counters: AssociationCounters): Totals {
  const totals = emptyTotals()
  for (const field of FIELDS) totals[field] = counters[field]
  return totals
}
