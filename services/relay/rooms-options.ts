import type { CryptoProvider } from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import type { Logger, Metrics, Readiness } from '@causeway/telemetry'
import type { OwnKey } from './config/relay-config.ts'
import type { SuccessorStore } from './mesh/successor-store.ts'

/** What the rooms of a relay are given, besides its configuration. */
export interface RoomsOptions {
  readonly provider: CryptoProvider
  /** The key of a relay that has none configured: always the same one. */
  readonly mintedKey: () => OwnKey
  /** Unique among processes that share the key, where the configuration does not say it. */
  readonly replica: string
  /** What stdio servers inherit by name. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly successorStore: SuccessorStore | undefined
  /** The longest that a connection to a peer made with an earlier key or address is kept; default 1 h. */
  readonly maxRetiringMs: number | undefined
  readonly clock: Clock
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  readonly logger: Logger
  readonly metrics: Metrics
  readonly ready: () => Readiness
  /** Something that a status tells may have changed. */
  readonly onChanged: () => void
}
