import type { Clock } from '@causeway/npamp/transports'
import type { Logger, Metrics } from '@causeway/telemetry'
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
  /**
   * The longest that a connection to a peer made with an earlier key or address is kept for the sessions on it. Default:
   * an hour.
   */
  readonly maxRetiringMs?: number
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

export interface RelayAddresses {
  readonly npamp?: ListenAddress
  readonly mcp?: ListenAddress
  readonly admin?: ListenAddress
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
}
