import type { Entry } from '../fixtures/recorder/entries.ts'

/** One JSON-RPC text as the recorder on one side saw it, and as the other did. */
export interface Pair {
  readonly side: Entry['side']
  readonly kind: Entry['kind']
  readonly method?: string
  /** Octets and SHA-256 between client and edge. */
  readonly north: Sighting
  /** The same between tools and server; undefined: never came by. */
  readonly south: Sighting | undefined
  readonly equal: boolean
}

interface Sighting {
  readonly octets: number
  readonly sha256: string
}

/**
 * Puts what both recorders saw side by side, HTTP exchange by HTTP exchange in the order in which they began. Valid as long as
 * one client at a time was at work. Streams that a GET opened are no exchanges of both sides: each relay
 * opens its own.
 */
export function pairUp(north: readonly Entry[], south: readonly Entry[]): Pair[] {
  const southern = exchanges(south)
  return exchanges(north).flatMap((exchange, i) => exchange.map((entry, j) => pair(entry, southern[i]?.[j])))
}

function exchanges(entries: readonly Entry[]): Entry[][] {
  const grouped = Map.groupBy(entries, ({ exchange }) => exchange)
  return [...grouped.values()].filter(([first]) => first?.side === 'request')
}

function pair(north: Entry, south: Entry | undefined): Pair {
  const { side, kind, method } = north
  const equal = south !== undefined && south.sha256 === north.sha256 && south.side === side
  return {
    side,
    kind,
    ...(method === undefined ? {} : { method }),
    north: sighting(north),
    south: south && sighting(south),
    equal,
  }
}

function sighting({ octets, sha256 }: Entry): Sighting {
  return { octets, sha256 }
}
