import type { Clock } from '@causeway/npamp/transports'
import type { Logger, Metrics } from '@causeway/telemetry'
import type { ToolFacts } from '../../exchanges/tool-facts.ts'
import type { RouteTable } from '../../router/route-table.ts'

/** An `mcp` listener of a MeshRelay: MCP Streamable HTTP at the path of each route, transparent. Opened by `listenMcp`. */
export interface McpEdge {
  /** Where it listens; the port is the real one when 0 was asked for. */
  readonly address: { readonly host: string; readonly port: number }
  /** Exchanges whose client has no answer yet. */
  readonly openExchanges: number
  readonly openSessions: number
  /**
   * The target lost or ended a session (`Session.id`): later requests on it are answered 404, so that the client starts
   * anew. The target is not told. An unknown id is ignored.
   */
  forgetSession(sessionId: string): void
  /**
   * Stops accepting, lets open exchanges end for at most `drainMs`, fails what is left with delivery `unknown`, and closes
   * every connection. New requests on open connections get 503 with Retry-After. Never rejects; a second call shortens
   * the first.
   */
  stop(drainMs: number): Promise<void>
}

export interface McpEdgeOptions {
  readonly host: string
  readonly port: number
  /** `host` (any port) or `host:port`: served besides the local host and the address listened on. */
  readonly allowedHosts?: readonly string[]
  /** Whole origins, `https://app.example`: served besides those of the local host. */
  readonly allowedOrigins?: readonly string[]
  readonly routes: RouteTable
  readonly limits?: Partial<EdgeLimits>
  readonly clock: Clock
  /** Milliseconds since 1970, for the UUIDv7 of a request. */
  readonly wallClock: () => number
  /** Cryptographically strong. */
  readonly random: (octets: number) => Uint8Array
  /** What labels of `tools/call` rest on; without it nothing is known of any tool. */
  readonly facts?: ToolFacts
  readonly logger: Logger
  readonly metrics: Metrics
}

export interface EdgeLimits {
  /** One request body; beyond it 413. */
  readonly maxBodyOctets: number
  /** Request bodies of all connections and open calls; beyond it 503. */
  readonly maxHeldBodyOctets: number
  /** All headers of one request; beyond it 431. */
  readonly maxHeaderOctets: number
  readonly sessionsPerRoute: number
  /** A session without any request for so long ends. */
  readonly sessionIdleMs: number
  /** Events that wait for a slow client, per exchange (CARRIAGE section 7). */
  readonly maxBufferedOctets: number
  /** A client that takes nothing for so long loses its exchange. */
  readonly stallMs: number
  /** Silence after which a stream gets a comment line, and after which one is opened at all. */
  readonly keepAliveMs: number
}

export const DEFAULT_EDGE_LIMITS: EdgeLimits = {
  maxBodyOctets: 4 * 1024 * 1024,
  maxHeldBodyOctets: 256 * 1024 * 1024,
  maxHeaderOctets: 16 * 1024,
  sessionsPerRoute: 10_000,
  sessionIdleMs: 60 * 60_000,
  maxBufferedOctets: 4 * 1024 * 1024,
  stallMs: 30_000,
  keepAliveMs: 15_000,
}
