import type { Clock } from '@causeway/npamp/transports'
import type { Session } from '../exchanges/contract.ts'
import type { Route } from '../router/route.ts'
import { NorthboundSession } from './northbound-session.ts'

const KEY_OCTETS = 16
const EDGE_ID_OCTETS = 24
const MAX_SWEEP_MS = 15 * 60_000

export interface SessionTableOptions {
  readonly sessionsPerRoute: number
  readonly idleMs: number
  readonly clock: Clock
  /** Cryptographically strong. */
  readonly random: (octets: number) => Uint8Array
  /** A session went unused for `idleMs` and is forgotten; its target has to be told. */
  readonly onIdle: (session: NorthboundSession) => void
}

/** The legacy sessions of one edge: bounded per route, forgotten when idle. */
export class SessionTable {
  readonly #options: SessionTableOptions
  readonly #byEdgeId = new Map<string, NorthboundSession>()
  readonly #byKey = new Map<string, NorthboundSession>()
  readonly #perRoute = new Map<string, number>()
  #sweep: unknown

  constructor(options: SessionTableOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#byEdgeId.size
  }

  /** Mints a session for `initialize`; undefined when the route has all that it may have. */
  open(route: Route): NorthboundSession | undefined {
    const { clock, random, sessionsPerRoute } = this.#options
    const open = this.#perRoute.get(route.name) ?? 0
    if (open >= sessionsPerRoute) return undefined
    const octets = random(KEY_OCTETS + EDGE_ID_OCTETS)
    const session = mintSession(octets.subarray(0, KEY_OCTETS))
    const entry = new NorthboundSession(hex(octets.subarray(KEY_OCTETS)), session, route, clock.now())
    this.#byEdgeId.set(entry.edgeId, entry)
    this.#byKey.set(session.id, entry)
    this.#perRoute.set(route.name, open + 1)
    this.#armSweep()
    return entry
  }

  /** The session of this route that the client names so; it counts as used. */
  find(edgeId: string, route: Route): NorthboundSession | undefined {
    const entry = this.#byEdgeId.get(edgeId)
    // An id of another route is as unknown as any: a session never reaches a target that it was not opened with.
    if (entry === undefined || entry.route.name !== route.name) return undefined
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
    const left = (this.#perRoute.get(entry.route.name) ?? 1) - 1
    if (left === 0) this.#perRoute.delete(entry.route.name)
    else this.#perRoute.set(entry.route.name, left)
    if (this.#byEdgeId.size === 0) this.#disarmSweep()
    return true
  }

  /** By `Session.id`, as the target knows it. */
  forgetByKey(sessionId: string): boolean {
    const entry = this.#byKey.get(sessionId)
    return entry !== undefined && this.forget(entry)
  }

  /** Forgets all of them and hands them over, for the end of the edge. */
  clear(): NorthboundSession[] {
    const entries = [...this.#byEdgeId.values()]
    for (const entry of entries) this.forget(entry)
    return entries
  }

  #expire(entry: NorthboundSession): void {
    if (this.forget(entry)) this.#options.onIdle(entry)
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

function mintSession(key: Uint8Array): Session {
  return { key, id: hex(key) }
}

function hex(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('hex')
}
