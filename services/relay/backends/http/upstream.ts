import type { Dispatcher } from 'undici'
import type { BackoffLimits } from '../../pacing/backoff.ts'
import type { BackendClock } from '../contract.ts'
import type { ConcurrencyGate } from './concurrency-gate.ts'
import type { HttpTransport } from './contract.ts'
import type { BackendTelemetry } from './telemetry.ts'

/** What every exchange with one backend shares. */
export interface Upstream {
  readonly pools: { readonly newest: Dispatcher }
  /** `spec.mcp.url`. */
  readonly url: URL
  /** Path and query of it. */
  readonly path: string
  readonly transport: HttpTransport
  /** Names and values in turn, sent with every request; may be secret. */
  readonly headers: readonly string[]
  readonly acceptHeaders: ReadonlySet<string>
  readonly maxHeaderOctets: number
  readonly maxReplyOctets: number
  readonly maxBatchMessages: number
  readonly maxServerRequests: number
  /** Before a stream is opened again whose server names no time, and what that grows to while it fails. */
  readonly reopening: BackoffLimits
  /** From the first octet of a GET of HTTP+SSE to the event that says where to post. */
  readonly endpointLimitMs: number
  /** How long what is posted next waits for the status of a session's GET stream. */
  readonly listenLimitMs: number
  /** Uniform in [0, 1). */
  readonly random: () => number
  readonly gate: ConcurrencyGate
  readonly clock: BackendClock
  readonly telemetry: BackendTelemetry
}

/**
 * How long a response may go on after what it was opened for has come. Reading to its end keeps the connection for the next
 * request; a server that never ends it costs one connection for so long.
 */
export const LINGER_MS = 1_000

/**
 * How long a backend may take to give a notification or a response its status. Nobody waits for it, but the session's next
 * message does, and so does the end of a cancelled call: a backend that says nothing must not hold them for ever.
 */
export const STATUS_LIMIT_MS = 30_000
