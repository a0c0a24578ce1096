import type { SigningKey } from '@causeway/npamp'
import type { ListenTlsMode } from '@causeway/npamp/transports'

/** What concerns a relay as a whole, files read. */
export interface RelaySettings {
  readonly identity: IdentitySettings
  readonly replica: string | undefined
  readonly npamp: NpampListenerConfig | undefined
  readonly mcp: McpListenerSettings | undefined
  readonly admin: AddressConfig | undefined
  readonly limits: RelayLimits
}

export interface IdentitySettings {
  /** Who signs; undefined: a key that is made in memory. */
  readonly current: OwnKey | undefined
  /** From the announcement of the next key on, until the old one is retired. */
  readonly successor: { readonly peerHandle: string; readonly statement: Uint8Array } | undefined
}

export interface OwnKey {
  readonly key: SigningKey
  readonly peerHandle: string
  /** What is odd about its file but no reason to refuse it, each a sentence. */
  readonly warnings: readonly string[]
}

export interface McpListenerSettings extends AddressConfig {
  readonly tls: McpTlsMaterial | undefined
  readonly publicUrl: URL | undefined
  /** `address/prefix length`. */
  readonly trustedProxies: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly allowedHosts: readonly string[]
}

export interface AddressConfig {
  readonly host: string
  readonly port: number
}

export interface NpampListenerConfig extends AddressConfig {
  readonly tls: ListenTlsMode
}

/** PEM. */
interface McpTlsMaterial {
  readonly cert: Uint8Array
  readonly key: Uint8Array
  readonly clientCa?: Uint8Array
}

export interface RelayLimits {
  readonly maxBodyOctets: number
  readonly maxHeaderOctets: number
  readonly maxReplyOctets: number
  readonly sessionsPerRoute: number
  readonly sessionsPerPrincipal: number
  readonly streamsPerSession: number
  /** Of one session. */
  readonly eventStoreEvents: number
  readonly eventStoreOctets: number
  readonly eventStoreTotalOctets: number
  readonly idleSessionMs: number
  readonly drainMs: number
  readonly halfOpenHandshakes: number
  readonly halfOpenPerSource: number
}

export type BackendConfig = HttpBackendConfig | StdioBackendConfig

interface AnyBackendConfig {
  /** `namespace/name`. */
  readonly name: string
  /** What peers name it by. */
  readonly wireName: string
  /** `namespace/name` of the peers that may reach it. */
  readonly peers: ReadonlySet<string>
}

export interface HttpBackendConfig extends AnyBackendConfig {
  readonly kind: 'http'
  readonly url: URL
  readonly transport: 'streamableHttp' | 'httpSse'
  /** Secret. Lower-case names. */
  readonly headers: ReadonlyMap<string, string>
  readonly acceptHeaders: readonly string[]
  readonly connectTimeoutMs: number | undefined
  readonly firstHeaderTimeoutMs: number | undefined
  readonly maxConcurrency: number | undefined
}

export interface StdioBackendConfig extends AnyBackendConfig {
  readonly kind: 'stdio'
  readonly command: string
  /** Secret, as people put keys there; and so is `env`. */
  readonly args: readonly string[]
  readonly env: ReadonlyMap<string, string>
  /** Names. */
  readonly inheritEnv: readonly string[]
  readonly cwd: string | undefined
  readonly maxProcesses: number
  /** Of one client or peer. */
  readonly maxSessionProcesses: number
  readonly maxQueued: number
}

export interface RouteConfig {
  /** `namespace/name`. */
  readonly name: string
  readonly path: string
  readonly target: RouteTarget
  readonly trustAnnotations: boolean
  readonly forwardHeaders: readonly string[]
  readonly cors: { readonly allowedOrigins: readonly string[]; readonly maxAgeSeconds: number } | undefined
  readonly requestTimeoutMs: number | undefined
  readonly maxBodyOctets: number | undefined
  readonly sessions: number | undefined
}

type RouteTarget =
  /** `namespace/name` of a MeshBackend. */
  | { readonly backend: string }
  /** `namespace/name` of a MeshPeer, and the target's name there. */
  | { readonly peer: string; readonly target: string | undefined }
