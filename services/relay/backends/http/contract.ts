import type { Logger, Metrics } from '@causeway/telemetry'
import type { BackendClock } from '../contract.ts'

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
