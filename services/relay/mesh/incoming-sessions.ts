import type { Session, SessionEndReason } from '../exchanges/contract.ts'
import type { LocalTarget, TargetScope } from './local-targets.ts'

export interface IncomingSession {
  readonly session: Session
  readonly scope: TargetScope
}

export interface IncomingSessionsOptions {
  readonly maxSessions: number
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

  constructor(options: IncomingSessionsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#sessions.size
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

  /** Undefined when the association has as many as it may have, or the key is another target's. */
  open(key: Uint8Array, scope: TargetScope): IncomingSession | undefined {
    const id = hex(key)
    if (this.#sessions.size >= this.#options.maxSessions || this.#sessions.has(id)) return undefined
    const opened: IncomingSession = { session: { key, id }, scope }
    this.#sessions.set(id, opened)
    this.#options.onOpened()
    return opened
  }

  /** Forgets it; the target knows already. Undefined when it was unknown. */
  forget(id: string, reason: SessionEndReason | 'refused'): IncomingSession | undefined {
    const known = this.#sessions.get(id)
    if (known === undefined) return undefined
    this.#sessions.delete(id)
    this.#options.onEnded(reason)
    return known
  }

  /** The peer ended it: the target hears of it. False when it was unknown. */
  end(key: Uint8Array, reason: SessionEndReason): boolean {
    const known = this.forget(hex(key), reason)
    known?.scope.endSession(known.session, reason)
    return known !== undefined
  }

  /** The association ended, and with it every session (MCP-021). */
  endAll(): void {
    for (const id of [...this.#sessions.keys()]) this.forget(id, 'client')
    for (const scope of this.#scopes.values()) scope.end('client')
    this.#scopes.clear()
  }
}

export function hex(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('hex')
}
