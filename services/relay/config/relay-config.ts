import type { ListenTlsMode } from '@causeway/npamp/transports'
import type { PeerConfig } from '../mesh/peer-config.ts'

/** One relay as it runs: plain tables made from its closure of validated resources, files read. */
export interface RelayConfig {
  /** `namespace/name`. */
  readonly name: string
  readonly replica: string | undefined
  readonly npamp: NpampListenerConfig | undefined
  readonly mcp: McpListenerConfig | undefined
  readonly admin: AddressConfig | undefined
  readonly limits: RelayLimits
  readonly peers: readonly PeerConfig[]
  readonly backends: readonly BackendConfig[]
  readonly routes: readonly RouteConfig[]
}

interface AddressConfig {
  readonly host: string
  readonly port: number
}

export interface NpampListenerConfig extends AddressConfig {
  readonly tls: ListenTlsMode
}

interface McpListenerConfig extends AddressConfig {
  readonly allowedOrigins: readonly string[]
  readonly allowedHosts: readonly string[]
}

export interface RelayLimits {
  readonly maxBodyOctets: number
  readonly maxHeaderOctets: number
  readonly maxReplyOctets: number
  readonly sessionsPerRoute: number
  readonly idleSessionMs: number
  readonly drainMs: number
  readonly halfOpenHandshakes: number
  readonly halfOpenPerSource: number
}

export interface BackendConfig {
  /** `namespace/name`. */
  readonly name: string
  /** What peers name it by. */
  readonly wireName: string
  readonly url: URL
  /** `namespace/name` of the peers that may reach it. */
  readonly peers: ReadonlySet<string>
  readonly acceptHeaders: readonly string[]
  readonly connectTimeoutMs: number | undefined
  readonly firstHeaderTimeoutMs: number | undefined
  readonly maxConcurrency: number | undefined
}

export interface RouteConfig {
  /** `namespace/name`. */
  readonly name: string
  readonly path: string
  readonly target: RouteTarget
  readonly requestTimeoutMs: number | undefined
  readonly maxBodyOctets: number | undefined
}

type RouteTarget =
  /** `namespace/name` of a MeshBackend. */
  | { readonly backend: string }
  /** `namespace/name` of a MeshPeer, and the target's name there. */
  | { readonly peer: string; readonly target: string | undefined }
