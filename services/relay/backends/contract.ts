import type { CallTarget, SessionEndReason } from '../exchanges/contract.ts'

/** An MCP server behind this relay, whatever it is spoken to over; one per MeshBackend. */
export interface Backend {
  /** `backend/namespace/name`, for logs and errors. */
  readonly name: string
  /**
   * A view of the backend for one caller. Sessions of different scopes never meet, even with equal session keys: use one
   * scope for the routes of this relay and one for each (peer, association).
   *
   * @param onSessionLost the backend ended a session, or a message came for one that is unknown here; the caller ends it on
   *   its side too (CARRIAGE section 1, LINK op 1 with reason 1 or 2). Not called when a failed call says so itself.
   */
  scope(onSessionLost?: SessionLostCallback): BackendScope
  /** Open exchanges over all scopes, for drain and metrics. */
  readonly openExchanges: number
  /** Southbound sessions over all scopes. */
  readonly openSessions: number
  /** As far as calls have shown it. */
  readonly health: BackendHealth
  /**
   * Another backend takes its place: a session in which nothing is open is lost to its caller now, any other once nothing is
   * open in it any more; what is open may end by itself for `limitMs`. Then as `close`. Open nothing new here meanwhile.
   */
  retire(limitMs: number): Promise<void>
  /**
   * Fails what has not been sent yet with outcome 0, ends all sessions (best effort, within 5 s), then fails what is still
   * open with outcome 1 and lets go of every connection and process. New calls fail as not sent from the first moment on. Never
   * rejects.
   */
  close(): Promise<void>
  /**
   * Kills every process of the backend, with what it started, before it returns; for when the relay's own process ends at
   * once. No new one is started.
   */
  kill(): void
}

/** What is known of the server; undefined: nothing was asked of it yet. */
export interface BackendHealth {
  readonly reachable: boolean | undefined
  /** Why it is not reachable; empty otherwise. */
  readonly message: string
  readonly authorized: boolean | undefined
}

export type SessionLostCallback = (sessionId: string, reason: 'backend' | 'unknown') => void

/** A caller's view: what an edge route or an inbound association calls. */
export interface BackendScope extends CallTarget {
  /** Whether a session of this scope has this `Session.id`. */
  knows(sessionId: string): boolean
  /** The caller is gone (its association ended): ends every session of this scope. */
  end(reason: SessionEndReason): void
}

/** Monotonic milliseconds and timers; the driver's clock of the transports fits. */
export interface BackendClock {
  now(): number
  setTimeout(callback: () => void, delayMs: number): unknown
  clearTimeout(handle: unknown): void
}
