import type { Logger, Metrics } from '@causeway/telemetry'
import type { CallTarget, SessionEndReason } from '../../exchanges/contract.ts'

/**
 * An MCP server behind this relay, spoken to over Streamable HTTP in both eras. Built by `createHttpBackend` of
 * `backend.ts`; one per MeshBackend with `mcp.url`.
 */
export interface HttpBackend {
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
  /**
   * Fails what has not been sent yet with outcome 0, ends all sessions (DELETE, best effort, at most 5 s), then fails what
   * is still open with outcome 1 and closes every connection. New calls fail as not sent from the first moment on. Never
   * rejects.
   */
  close(): Promise<void>
}

export type SessionLostCallback = (sessionId: string, reason: 'backend' | 'unknown') => void

/** A caller's view: what an edge route or an inbound association calls. */
export interface BackendScope extends CallTarget {
  /** The caller is gone (its association ended): ends every session of this scope. */
  end(reason: SessionEndReason): void
}

export interface HttpBackendOptions {
  /** `backend/namespace/name`. */
  readonly name: string
  /** `spec.mcp.url`: http or https. */
  readonly url: URL
  /** Lower-case names that the caller may set on requests, from `spec.acceptHeaders`; never the forbidden ones. */
  readonly acceptHeaders: readonly string[]
  readonly limits: HttpBackendLimits
  readonly clock: BackendClock
  readonly logger: Logger
  readonly metrics: Metrics
  /** PEM bundle for https backends; the system's store when absent. */
  readonly ca?: string
}

interface HttpBackendLimits {
  /** None when absent: CARRIAGE section 4. */
  readonly connectTimeoutMs?: number
  /** From the first octet of the request to the first header of the answer; none when absent. */
  readonly firstHeaderTimeoutMs?: number
  /** Requests in flight; unbounded when absent. As many again may wait, at least 16; beyond that QuotaExceeded, not sent. */
  readonly maxConcurrency?: number
  /** All headers of one answer; default 16 KiB. */
  readonly maxHeaderOctets?: number
  /** One reply or one event; default 16 MiB. */
  readonly maxReplyOctets?: number
  /** Messages of one session that wait for their turn; default 1,024. */
  readonly maxQueuedPerSession?: number
  /** Sessions over all scopes, `limits.sessionsPerRoute` of the relay; default 10,000. */
  readonly maxSessions?: number
}

/** Monotonic milliseconds and timers; the driver's clock of the transports fits. */
export interface BackendClock {
  now(): number
  setTimeout(callback: () => void, delayMs: number): unknown
  clearTimeout(handle: unknown): void
}
