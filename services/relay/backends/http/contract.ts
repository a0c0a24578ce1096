import type { Logger, Metrics } from '@causeway/telemetry'
import type { Backend, BackendClock } from '../contract.ts'

export interface HttpBackendOptions extends HttpBackendSettings {
  /** `backend/namespace/name`. */
  readonly name: string
  /** `spec.mcp.url`: http or https. */
  readonly url: URL
  /** Default Streamable HTTP. */
  readonly transport?: HttpTransport
  readonly clock: BackendClock
  readonly logger: Logger
  readonly metrics: Metrics
  /** PEM bundle for https backends; the system's store when absent. */
  readonly ca?: string
  /** Uniform in [0, 1), for the jitter of waits; default `Math.random`. */
  readonly random?: () => number
  /** `Backend.health` is another one. */
  readonly onHealthChanged?: () => void
}

/** What may change while a backend runs. */
export interface HttpBackendSettings {
  /** Lower-case names and values that go with every request, from `spec.mcp.headers`. Secret: never logged, never passed on. */
  readonly headers?: ReadonlyMap<string, string>
  /** Lower-case names that the caller may set on requests, from `spec.acceptHeaders`; never the forbidden ones. */
  readonly acceptHeaders: readonly string[]
  readonly limits: HttpBackendLimits
}

export interface HttpBackend extends Backend {
  /** From the next request on, in open sessions too. What is open goes on as it began. */
  update(settings: HttpBackendSettings): void
}

/** `httpSse`: HTTP+SSE of revision 2024-11-05; sessions only, one stream for all that the backend says. */
export type HttpTransport = 'streamableHttp' | 'httpSse'

interface HttpBackendLimits {
  /** None when absent: CARRIAGE section 4. */
  readonly connectTimeoutMs?: number
  /**
   * From the first octet of the request to the first header of the answer; none when absent. Over HTTP+SSE it also bounds the
   * opening of a session, by default with 30 s.
   */
  readonly firstHeaderTimeoutMs?: number
  /** Requests in flight; unbounded when absent. As many again may wait, at least 16; beyond that QuotaExceeded, not sent. */
  readonly maxConcurrency?: number
  /** All headers of one answer; default 16 KiB. */
  readonly maxHeaderOctets?: number
  /** One reply or one event; default 16 MiB. */
  readonly maxReplyOctets?: number
  /** Messages of one session that wait for their turn; default 1,024. */
  readonly maxQueuedPerSession?: number
  /** Messages of one batch (2025-03-26) that are taken apart; a larger one is dropped; default 1,000. */
  readonly maxBatchMessages?: number
  /** Requests of the server's in one session that wait for the client's answer; default 256. */
  readonly maxServerRequests?: number
  /**
   * How long what is posted after `notifications/initialized` waits until the backend has said whether it has a GET stream: a
   * server may be slow to say so, or say it only with the first event; default 300 ms.
   */
  readonly listenLimitMs?: number
  /** Before a stream is opened again whose server names no time (`retry`); default 1 s. */
  readonly reopenDelayMs?: number
  /** What that wait grows to while opening fails; default 30 s. */
  readonly maxReopenDelayMs?: number
  /** Sessions over all scopes, `limits.sessionsPerRoute` of the relay; default 10,000. */
  readonly maxSessions?: number
}
