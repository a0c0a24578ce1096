import type { Dispatcher } from 'undici'
import type { BackendClock } from '../contract.ts'
import type { ConcurrencyGate } from './concurrency-gate.ts'
import type { BackendTelemetry } from './telemetry.ts'

/** What every exchange with one backend shares. */
export interface Upstream {
  readonly pool: Dispatcher
  /** Path and query of `spec.mcp.url`. */
  readonly path: string
  readonly acceptHeaders: ReadonlySet<string>
  readonly maxReplyOctets: number
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
