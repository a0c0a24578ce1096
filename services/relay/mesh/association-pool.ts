import type { Session } from '../exchanges/contract.ts'
import type { PeerAssociation } from './peer-association.ts'
import type { PeerCall } from './peer-call.ts'

/** The associations with one peer, whoever dialled them, and which sessions are pinned to which (MCP-019). */
export class AssociationPool {
  readonly #associations = new Set<PeerAssociation>()
  readonly #pins = new Map<string, PeerAssociation>()

  get size(): number {
    return this.#associations.size
  }

  get sessions(): number {
    return this.#pins.size
  }

  /** Those that calls may start on, without those that they should leave. */
  get usable(): number {
    let count = 0
    for (const association of this.#associations) if (association.takesNew) count++
    return count
  }

  [Symbol.iterator](): IterableIterator<PeerAssociation> {
    return this.#associations.values()
  }

  add(association: PeerAssociation): void {
    this.#associations.add(association)
  }

  /** Forgets it; the answer is the sessions that were pinned to it: they are over (MCP-021). */
  remove(association: PeerAssociation): readonly string[] {
    this.#associations.delete(association)
    const sessions = [...association.sessions]
    for (const id of sessions) this.unpin(id)
    return sessions
  }

  /**
   * The one with the shortest queue among those that may take this call, none of its session's being pinned. `apart`: calls
   * that hear notifications of a peer that cannot say whose they are share no association. One that is retiring is chosen
   * only while there is no other: a change is made before it is broken (CONTROL section 3).
   */
  choose(call: PeerCall, apart: boolean): PeerAssociation | undefined {
    const onlyNew = this.usable > 0
    let best: PeerAssociation | undefined
    for (const association of this.#associations) {
      if (onlyNew && association.retiring) continue
      if (!takes(association, call) || (apart && !association.keepsApart(call))) continue
      if (best === undefined || association.isShorterThan(best)) best = association
    }
    return best
  }

  /** Any that may carry a notification without a session. */
  chooseForNotification(targetName: string | undefined): PeerAssociation | undefined {
    for (const association of this.#associations) {
      if (association.usable && (targetName === undefined || association.carriesRouteContext)) return association
    }
    return undefined
  }

  /** Whether every usable association is with an implementation that cannot be told a target. */
  get cannotNameTargets(): boolean {
    let seen = false
    for (const association of this.#associations) {
      if (!association.usable) continue
      if (association.carriesRouteContext) return false
      seen = true
    }
    return seen
  }

  pinnedTo(sessionId: string): PeerAssociation | undefined {
    return this.#pins.get(sessionId)
  }

  /** Without a target to name, the peer cannot be told the session either: it has the association to itself. */
  pin(session: Session, association: PeerAssociation, targetName: string | undefined): void {
    this.#pins.set(session.id, association)
    association.pinSession(session, targetName)
    if (targetName !== undefined) return
    association.unnamedSession = session.id
    association.carriedUnnamed = true
  }

  unpin(sessionId: string): PeerAssociation | undefined {
    const association = this.#pins.get(sessionId)
    this.#pins.delete(sessionId)
    association?.unpinSession(sessionId)
    if (association?.unnamedSession === sessionId) association.unnamedSession = undefined
    return association
  }
}

function takes(association: PeerAssociation, call: PeerCall): boolean {
  if (!association.usable || association.unnamedSession !== undefined) return false
  if (call.targetName !== undefined) return association.carriesRouteContext
  // CARRIAGE section 1: one association per session, and no two open requests with one id.
  return call.opensSession ? association.unused : !association.hasOpenId(call.request.idToken)
}
