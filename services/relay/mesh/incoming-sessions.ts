import type { RouteContext } from '@causeway/npamp'
import type { Session, SessionEndReason } from '../exchanges/contract.ts'
import type { FarClient } from './far-client.ts'
import type { LocalTarget, TargetScope } from './local-targets.ts'

export interface IncomingSession {
  readonly session: Session
  readonly client: FarClient
  readonly scope: TargetScope
}

export interface IncomingSessionsOptions {
  readonly maxSessions: () => number
  /** Whoever hears what the server says in a session that begins; `route`: undefined where the peer cannot be told it. */
  readonly clientOf: (route: RouteContext | undefined) => FarClient
  readonly onOpened: () => void
  /** A target ended a session, or does not know it. */
  readonly onSessionLost: (sessionId: string, reason: 'backend' | 'unknown') => void
  readonly onEnded: (reason: SessionEndReason | 'refused') => void
}

/** The sessions that a peer's clients hold with targets of this relay, over one association, by session key. */
export class IncomingSessions {
  readonly #options: IncomingSessionsOptions
  readonly #sessions = new Map<string, IncomingSession>()
  readonly #scopes = new Map<LocalTarget, TargetScope>()
  /** The session of a peer that cannot name one: an association has one at a time (CARRIAGE section 1). */
  #unnamed: IncomingSession | undefined

  constructor(options: IncomingSessionsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#sessions.size
  }

  /** A copy, so that sessions may end while it is walked. */
  all(): IncomingSession[] {
    return [...this.#sessions.values()]
  }

  /** The one scope of this association at a target. */
  scopeOf(target: LocalTarget): TargetScope {
    const known = this.#scopes.get(target)
    if (known !== undefined) return known
    const scope = target.scope(this.#options.onSessionLost)
    this.#scopes.set(target, scope)
    return scope
  }

  /** The session of this key at this target; one of another target is unknown here. */
  find(key: Uint8Array, scope: TargetScope): IncomingSession | undefined {
    const known = this.#sessions.get(hex(key))
    return known?.scope === scope ? known : undefined
  }

  /** The session of this id, at whatever target. */
  byId(id: string): IncomingSession | undefined {
    return this.#sessions.get(id)
  }

  ofClient(client: object): IncomingSession | undefined {
    for (const one of this.#sessions.values()) if (one.client === client) return one
    return undefined
  }

  get unnamed(): IncomingSession | undefined {
    return this.#unnamed
  }

  unnamedAt(scope: TargetScope): IncomingSession | undefined {
    return this.#unnamed?.scope === scope ? this.#unnamed : undefined
  }

  /** A peer that initializes again on the same association has ended what it had there. `key`: nobody else sees it. */
  openUnnamed(key: Uint8Array, scope: TargetScope): IncomingSession | undefined {
    if (this.#unnamed !== undefined) this.end(this.#unnamed.session.key, 'client')
    this.#unnamed = this.open(key, scope, undefined)
    return this.#unnamed
  }

  /** Undefined when the association has as many as it may have, or the key is another target's. */
  open(key: Uint8Array, scope: TargetScope, route: RouteContext | undefined): IncomingSession | undefined {
    const id = hex(key)
    if (this.#sessions.size >= this.#options.maxSessions() || this.#sessions.has(id)) return undefined
    const client = this.#options.clientOf(route)
    const opened: IncomingSession = { session: { key, id, client }, client, scope }
    this.#sessions.set(id, opened)
    this.#options.onOpened()
    return opened
  }

  /** Forgets it; the target knows already. Undefined when it was unknown. */
  forget(id: string, reason: SessionEndReason | 'refused'): IncomingSession | undefined {
    const known = this.#sessions.get(id)
    if (known === undefined) return undefined
    this.#remove(id, reason)
    known.client.end()
    return known
  }

  /** The peer ended it: the target hears of it. False when it was unknown. */
  end(key: Uint8Array, reason: SessionEndReason): boolean {
    const id = hex(key)
    const known = this.#sessions.get(id)
    if (known === undefined) return false
    this.#remove(id, reason)
    // First: once it knows, it says nothing more to its server, not even that nobody will answer.
    known.scope.endSession(known.session, reason)
    known.client.end()
    return true
  }

  /** The association ended, and with it every session (MCP-021). */
  endAll(): void {
    for (const id of [...this.#sessions.keys()]) this.forget(id, 'client')
    for (const scope of this.#scopes.values()) scope.end('client')
    this.#scopes.clear()
  }

  #remove(id: string, reason: SessionEndReason | 'refused'): void {
    if (this.#unnamed?.session.id === id) this.#unnamed = undefined
    this.#sessions.delete(id)
    this.#options.onEnded(reason)
  }
}

export function hex(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('hex')
}
