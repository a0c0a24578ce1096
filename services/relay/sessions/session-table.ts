import type { Clock } from '@causeway/npamp/transports'
import type { Route } from '../router/route.ts'
import { NorthboundSession, type SessionShared } from './northbound-session.ts'
import type { EventLimits } from './session-events.ts'

const KEY_OCTETS = 16
const EDGE_ID_OCTETS = 24
const MAX_SWEEP_MS = 15 * 60_000

/** What may change while sessions are open. */
export interface SessionTableLimits {
  /** Unless the route says less. */
  readonly sessionsPerRoute: number
  readonly sessionsPerPrincipal: number
  readonly idleMs: number
  /** What each session may hold for its client, and all of them together. */
  readonly events: EventLimits
  readonly eventOctets: number
}

export interface SessionTableOptions
  extends Pick<SessionTableLimits, 'sessionsPerRoute' | 'sessionsPerPrincipal' | 'idleMs'> {
  readonly clock: Clock
  /** Cryptographically strong. */
  readonly random: (octets: number) => Uint8Array
  /** A session went unused for `idleMs` and is about to be forgotten; its target has to be told. */
  readonly onIdle: (session: NorthboundSession) => void
  /** A session was forgotten, for whatever reason; called once for each. */
  readonly onForgotten: (session: NorthboundSession) => void
  readonly shared: SessionShared
}

/** Why `initialize` gets no session: all that there may be are open. */
export interface SessionsFull {
  /** route: the listener's limit of each route; ownLimit: that of this route. */
  readonly full: 'route' | 'ownLimit' | 'principal'
  readonly limit: number
}

/** The legacy sessions of one edge: bounded per route and per principal, forgotten when idle. */
export class SessionTable {
  #options: SessionTableOptions
  readonly #byEdgeId = new Map<string, NorthboundSession>()
  readonly #byKey = new Map<string, NorthboundSession>()
  readonly #perRoute = new Counts()
  readonly #perPrincipal = new Counts()
  #sweep: unknown

  constructor(options: SessionTableOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#byEdgeId.size
  }

  /** Sessions beyond lower limits go on. */
  setLimits({ events, eventOctets, ...limits }: SessionTableLimits): void {
    const { shared } = this.#options
    this.#options = { ...this.#options, ...limits }
    Object.assign(shared.events, events)
    shared.budget.setLimit(eventOctets)
    if (this.#byEdgeId.size === 0) return
    this.#disarmSweep()
    this.#armSweep()
  }

  /** Mints a session for `initialize`. */
  open(route: Route, principal: string): NorthboundSession | SessionsFull {
    const { clock, random, sessionsPerRoute, sessionsPerPrincipal, shared } = this.#options
    const { sessions = Number.POSITIVE_INFINITY } = route.limits
    const open = this.#perRoute.of(route.name)
    if (open >= sessions) return { full: 'ownLimit', limit: sessions }
    if (open >= sessionsPerRoute) return { full: 'route', limit: sessionsPerRoute }
    if (this.#perPrincipal.of(principal) >= sessionsPerPrincipal) {
      return { full: 'principal', limit: sessionsPerPrincipal }
    }
    const octets = random(KEY_OCTETS + EDGE_ID_OCTETS)
    const key = octets.subarray(0, KEY_OCTETS)
    const id = hex(key)
    const edgeId = hex(octets.subarray(KEY_OCTETS))
    const entry = new NorthboundSession({ edgeId, key, id, route, principal }, clock.now(), shared)
    this.#byEdgeId.set(edgeId, entry)
    this.#byKey.set(id, entry)
    this.#perRoute.add(route.name, 1)
    this.#perPrincipal.add(principal, 1)
    this.#armSweep()
    return entry
  }

  /** The session of this route and principal that the client names so; it counts as used. */
  find(edgeId: string, route: Route, principal: string): NorthboundSession | undefined {
    const entry = this.#byEdgeId.get(edgeId)
    // An id of another route is as unknown as any: a session never reaches a target that it was not opened with. Nor does it
    // serve anybody but who opened it.
    if (entry === undefined || entry.route.name !== route.name || entry.principal !== principal) return undefined
    const now = this.#options.clock.now()
    if (entry.isIdle(now, this.#options.idleMs)) {
      this.#expire(entry)
      return undefined
    }
    entry.lastUsedMs = now
    return entry
  }

  /** False when it was forgotten before. */
  forget(entry: NorthboundSession): boolean {
    if (!this.#byEdgeId.delete(entry.edgeId)) return false
    this.#byKey.delete(entry.session.id)
    this.#perRoute.add(entry.route.name, -1)
    this.#perPrincipal.add(entry.principal, -1)
    if (this.#byEdgeId.size === 0) this.#disarmSweep()
    this.#options.onForgotten(entry)
    entry.end()
    return true
  }

  /** By `Session.id`, as the target knows it. */
  forgetByKey(sessionId: string): boolean {
    const entry = this.#byKey.get(sessionId)
    return entry !== undefined && this.forget(entry)
  }

  /** Forgets those of some routes (`namespace/name`) and hands them over; their targets have to be told. */
  forgetOf(routes: ReadonlySet<string>): NorthboundSession[] {
    return this.#forgetAll([...this.#byEdgeId.values()].filter(({ route }) => routes.has(route.name)))
  }

  /** Forgets all of them and hands them over, for the end of the edge. */
  clear(): NorthboundSession[] {
    return this.#forgetAll([...this.#byEdgeId.values()])
  }

  #forgetAll(entries: NorthboundSession[]): NorthboundSession[] {
    for (const entry of entries) this.forget(entry)
    return entries
  }

  #expire(entry: NorthboundSession): void {
    // Its target first: what a server still asks then ends as part of the session.
    this.#options.onIdle(entry)
    this.forget(entry)
  }

  #armSweep(): void {
    if (this.#sweep !== undefined) return
    const { clock, idleMs } = this.#options
    this.#sweep = clock.setTimeout(
      () => {
        this.#sweep = undefined
        const now = clock.now()
        for (const entry of this.#byEdgeId.values()) if (entry.isIdle(now, idleMs)) this.#expire(entry)
        if (this.#byEdgeId.size > 0) this.#armSweep()
      },
      Math.min(Math.max(1, Math.ceil(idleMs / 4)), MAX_SWEEP_MS),
    )
  }

  #disarmSweep(): void {
    if (this.#sweep === undefined) return
    this.#options.clock.clearTimeout(this.#sweep)
    this.#sweep = undefined
  }
}

/** How often each name is in use; a name that is not takes no memory. */
class Counts {
  readonly #counts = new Map<string, number>()

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  add(name: string, change: number): void {
    const count = this.of(name) + change
    if (count > 0) this.#counts.set(name, count)
    else this.#counts.delete(name)
  }
}

function hex(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('hex')
}
