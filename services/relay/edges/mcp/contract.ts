import type { Clock } from '@causeway/npamp/transports'
import type { Logger, Metrics } from '@causeway/telemetry'
import type { ToolFacts } from '../../exchanges/tool-facts.ts'
import type { RouteTable } from '../../router/route-table.ts'

/**
 * What clients of a relay see: MCP Streamable HTTP at the path of each route, transparent. Sessions and open exchanges
 * belong to it and not to a listener, of which there may be several while one takes the place of another.
 */
export interface McpEdge {
  /** Exchanges whose client has no answer yet. */
  readonly openExchanges: number
  readonly openSessions: number
  /**
   * The target lost or ended a session (`Session.id`): later requests on it are answered 404, so that the client starts
   * anew. The target is not told. An unknown id is ignored.
   */
  forgetSession(sessionId: string): void
  /**
   * From the next request on. The sessions of the routes in `ended` (`namespace/name`) end: their clients get 404, their
   * targets are told once nothing is open in them, after `drainMs` at the latest.
   */
  setRoutes(routes: RouteTable, ended: ReadonlySet<string>, drainMs: number): void
  /** From the next request, stream and session on. `maxHeaderOctets` is of listeners that are opened after it. */
  setLimits(limits: Partial<EdgeLimits>): void
  /** CONTROL section 3: the configuration is too old, and nothing is served but what is read_only. */
  denyUnlessReadOnly(denied: boolean): void
  /**
   * Opens a listener; rejects with the system's error when the address cannot be had, with OpenSSL's when certificate or key
   * are none, and with RangeError where a trusted proxy is no CIDR.
   */
  listen(options: McpListenerOptions): Promise<McpListener>
  /**
   * Stops accepting, lets open exchanges end for at most `drainMs`, fails what is left with delivery `unknown`, and closes
   * every connection. New requests on open connections get 503 with Retry-After. Never rejects; a second call shortens
   * the first.
   */
  stop(drainMs: number): Promise<void>
}

/** Where clients connect. */
export interface McpListener {
  /** Where it listens; the port is the real one when 0 was asked for. */
  readonly address: { readonly host: string; readonly port: number }
  /** New handshakes get these certificates. Throws what OpenSSL says of them, and keeps the last ones then. */
  renewTls(tls: EdgeTls): void
  /** Throws RangeError where a trusted proxy is no CIDR. */
  setDoor(door: McpDoor): void
  /**
   * Stops accepting, at once. What is open on its connections may end by itself for `limitMs`; then they are closed. Sessions
   * stay. Resolves when nothing listens there any more.
   */
  leave(limitMs: number): Promise<void>
}

export interface McpListenerOptions extends McpDoor {
  readonly host: string
  readonly port: number
  /** Serves HTTPS instead of HTTP. */
  readonly tls?: EdgeTls | undefined
  /** All headers of one request; beyond it 431. Default: that of the edge. */
  readonly maxHeaderOctets?: number
}

/** Who may come in. */
export interface McpDoor {
  /** `host` (any port) or `host:port`: served besides the local host and the address listened on. */
  readonly allowedHosts?: readonly string[]
  /** Whole origins, `https://app.example`: served besides those of the local host. */
  readonly allowedOrigins?: readonly string[]
  /** By which clients know the listener: its host and origin are served too. */
  readonly publicUrl?: URL | undefined
  /** CIDRs. Only of proxies there do X-Forwarded-For, X-Forwarded-Host and X-Forwarded-Proto count. */
  readonly trustedProxies?: readonly string[]
}

export interface McpEdgeOptions {
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

export interface EdgeTls {
  /** PEM. */
  readonly cert: string | Uint8Array
  readonly key: string | Uint8Array
  /** With it, only clients are served whose certificate it has signed; its subject is their principal. */
  readonly clientCa?: string | Uint8Array | undefined
}

export interface EdgeLimits {
  /** One request body; beyond it 413. */
  readonly maxBodyOctets: number
  /** Request bodies of all connections and open calls; beyond it 503. */
  readonly maxHeldBodyOctets: number
  /** All headers of one request; beyond it 431. */
  readonly maxHeaderOctets: number
  /** Within which the whole of a request must have come; nothing limits an answer. */
  readonly requestArrivalMs: number
  readonly sessionsPerRoute: number
  /** Of one client certificate's subject, or of all clients without one. */
  readonly sessionsPerPrincipal: number
  /** Connections that the client of one session opened by GET and that have not ended; beyond it 503. */
  readonly streamsPerSession: number
  /** Requests of the server that the client of one session has not answered. */
  readonly serverRequestsPerSession: number
  /** What one session holds for a client that may come back (CARRIAGE section 9); beyond it the oldest goes. */
  readonly eventStoreEvents: number
  readonly eventStoreOctets: number
  /** Of all sessions together. */
  readonly eventStoreTotalOctets: number
  /** A session without any request for so long ends. */
  readonly sessionIdleMs: number
  /** Events that wait for a slow client, per exchange (CARRIAGE section 7). */
  readonly maxBufferedOctets: number
  /** A client that takes nothing for so long loses its exchange. */
  readonly stallMs: number
  /** Silence after which a stream gets a comment line, and after which one is opened at all. */
  readonly keepAliveMs: number
  /** So long a call may take before its answer becomes a stream that its client can come back to. */
  readonly streamAfterMs: number
}

export const DEFAULT_EDGE_LIMITS: EdgeLimits = {
  maxBodyOctets: 4 * 1024 * 1024,
  maxHeldBodyOctets: 256 * 1024 * 1024,
  maxHeaderOctets: 16 * 1024,
  requestArrivalMs: 300_000,
  sessionsPerRoute: 10_000,
  sessionsPerPrincipal: 5_000,
  streamsPerSession: 16,
  serverRequestsPerSession: 64,
  eventStoreEvents: 1_000,
  eventStoreOctets: 1024 * 1024,
  eventStoreTotalOctets: 64 * 1024 * 1024,
  sessionIdleMs: 60 * 60_000,
  maxBufferedOctets: 4 * 1024 * 1024,
  stallMs: 30_000,
  keepAliveMs: 15_000,
  streamAfterMs: 1_000,
}
