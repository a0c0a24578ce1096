import type { Resources } from '@causeway/mesh-api'
import type { Clock } from '@causeway/npamp/transports'
import type { Logger, Metrics, Readiness } from '@causeway/telemetry'
import type { LiveRelay } from './control/contract.ts'

/** What a relay is made with. It has no configuration then, listens nowhere, and is not ready. */
export interface CreateRelayOptions {
  /** `namespace/name` of the MeshRelay. */
  readonly name: string
  readonly logger: Logger
  /** What secrets are read from, and stdio servers inherit by name. Default: that of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Default: a registry of its own. */
  readonly metrics?: Metrics
  /** The folder that mounted files are under; absent: nothing is mounted. */
  readonly mounts?: string
  /** The folder for what the relay learns from its peers; absent: it is forgotten with the process. */
  readonly stateFolder?: string
  /** Unique among processes that share the identity, where the configuration does not say it. Default: random. */
  readonly replica?: string
  readonly clock?: Clock
  /** Milliseconds since 1970. */
  readonly wallClock?: () => number
}

/** A relay whose configuration is put into force, and changed, by `apply`. */
export interface Relay extends LiveRelay {
  /** `namespace/name`. */
  readonly name: string
  /** PeerHandle of the identity that signs; undefined before the first configuration. */
  readonly peerHandle: string | undefined
  /** Real addresses, also where port 0 was asked for. Absent: no such listener. They change with the configuration. */
  readonly addresses: RelayAddresses
  readonly metrics: Metrics
  /** Prometheus text format, with what is brought up to date only when it is asked for. */
  metricsText(): Promise<string>
}

/** What a relay is started from. Nothing here is kept by the process beyond the relay's own life. */
export interface RelayOptions {
  /** A validated set; the relay takes its own closure from it (CONTROL section 1). */
  readonly resources: Resources
  /** `name`, or `namespace/name` where the name alone is not unique. */
  readonly relayName: string
  readonly logger: Logger
  /** What secrets are read from, and stdio servers inherit by name. Default: that of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Default: a registry of its own, behind the relay's own admin listener. */
  readonly metrics?: Metrics
}

/** A relay whose listeners are open. */
export interface RunningRelay {
  /** `namespace/name`. */
  readonly name: string
  /** PeerHandle of this relay's identity: what its peers pin. */
  readonly peerHandle: string
  /** Real addresses, also where port 0 was asked for. Absent: no such listener. */
  readonly addresses: RelayAddresses
  readonly metrics: Metrics
  ready(): Readiness
  /**
   * Stops accepting, tells peers to open nothing new here, and waits for open exchanges, at most `limitMs` (default
   * `spec.limits.drain`); what is left then fails with delivery unknown. Ends with `stop`. Never rejects; a second call
   * returns the first one's promise.
   */
  drain(limitMs?: number): Promise<void>
  /** Ends everything now: CLOSE to peers, listeners and pools closed. Never rejects. */
  stop(): Promise<void>
  /**
   * Kills the processes of its stdio servers, and what they started, before it returns. For `process.on('exit')`: where the
   * process ends without `stop`, a server that ignores the end of its input would outlive it. Never throws.
   */
  killServers(): void
}

export interface RelayAddresses {
  readonly npamp?: ListenAddress
  readonly mcp?: ListenAddress
  readonly admin?: ListenAddress
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Why a relay could not be started: something about this machine, as the resources were valid. */
export class RelayStartError extends Error {
  readonly code: RelayStartCode
  /** The field that the cause stands in, as in `spec.identity.keyFile`. */
  readonly fieldPath: string

  constructor(code: RelayStartCode, fieldPath: string, message: string) {
    super(message)
    this.name = 'RelayStartError'
    this.code = code
    this.fieldPath = fieldPath
  }
}

export type RelayStartCode = 'NO_SUCH_RELAY' | 'KEY_FILE' | 'CERTIFICATE_FILE' | 'SECRET' | 'LISTEN' | 'CONFIGURATION'
