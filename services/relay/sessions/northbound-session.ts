import type { Session } from '../exchanges/contract.ts'
import type { Route } from '../router/route.ts'

/** One legacy MCP session as the edge knows it: what the client names it by, what crosses, and which ids are open in it. */
export class NorthboundSession {
  /** What the client sends as Mcp-Session-Id: unguessable, and never the key that crosses the mesh. */
  readonly edgeId: string
  readonly session: Session
  readonly route: Route
  lastUsedMs: number
  readonly #openIds = new Set<string>()

  constructor(edgeId: string, session: Session, route: Route, nowMs: number) {
    this.edgeId = edgeId
    this.session = session
    this.route = route
    this.lastUsedMs = nowMs
  }

  /** False when a request with an equal id is still open in this session (CARRIAGE section 2); `idKey` of the id's token. */
  takeId(idKey: string): boolean {
    if (this.#openIds.has(idKey)) return false
    this.#openIds.add(idKey)
    return true
  }

  releaseId(idKey: string, nowMs: number): void {
    this.#openIds.delete(idKey)
    this.lastUsedMs = nowMs
  }

  /** A session with an open request is in use, however long that takes. */
  isIdle(nowMs: number, idleMs: number): boolean {
    return this.#openIds.size === 0 && nowMs - this.lastUsedMs >= idleMs
  }
}
