import type { FileIr, KeyPairIr } from './file.ts'

/** What concerns one relay as a whole. */
export interface RelayIr {
  readonly kind: 'relay'
  readonly identity: RelayIdentityIr
  /** Undefined: made up by each instance. */
  readonly replica: string | undefined
  readonly npamp: NpampListenerIr | undefined
  readonly mcp: McpListenerIr | undefined
  /** Undefined on a cluster, where the process is told its address. */
  readonly admin: { readonly host: string; readonly port: number } | undefined
  readonly limits: RelayLimitsIr
  readonly staleness: StalenessIr
}

/** Without a key one is made in memory. */
export interface RelayIdentityIr {
  readonly key: FileIr | undefined
  readonly successor: SuccessorIr | undefined
}

interface SuccessorIr {
  readonly key: FileIr
  readonly peerHandle: string
  /** Signed by both keys. */
  readonly statement: Uint8Array
}

export interface NpampListenerIr {
  readonly host: string
  readonly port: number
  /** Undefined: made in memory. */
  readonly certificate: KeyPairIr | undefined
}

export interface McpListenerIr {
  readonly host: string
  readonly port: number
  /** Undefined: plain HTTP. */
  readonly certificate: KeyPairIr | undefined
  /** Undefined: clients need no certificate. */
  readonly clientCa: FileIr | undefined
  readonly publicUrl: string | undefined
  /** `address/prefix length`. */
  readonly trustedProxies: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly allowedHosts: readonly string[]
}

export interface RelayLimitsIr {
  readonly maxBodyOctets: number
  readonly maxHeaderOctets: number
  readonly maxReplyOctets: number
  readonly sessionsPerRoute: number
  readonly sessionsPerPrincipal: number
  readonly streamsPerSession: number
  readonly eventStoreEvents: number
  readonly eventStoreOctets: number
  readonly eventStoreTotalOctets: number
  readonly idleSessionMs: number
  readonly drainMs: number
  readonly halfOpenHandshakes: number
  readonly halfOpenPerSource: number
}

interface StalenessIr {
  /** Undefined: however old the configuration is, it is served. */
  readonly maxStalenessMs: number | undefined
  readonly denyUnlessReadOnly: boolean
}
