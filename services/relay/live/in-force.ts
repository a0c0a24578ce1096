import type { BackendConfig, RelaySettings, RouteConfig } from '../config/relay-config.ts'
import type { PeerConfig } from '../mesh/peer-config.ts'

/** What takes tables into force: the rooms of a relay. */
export interface InForce {
  /**
   * Opens beside what is open whatever these settings need; undefined: the relay has none any more. Rejects with ConfigProblem
   * when something of it cannot be had, and everything is as before then.
   */
  prepare(settings: RelaySettings | undefined): Promise<SettingsChange>
  /** In one turn, so that nobody sees a part of it. Never throws. */
  change(change: RoomsChange): void
}

/** Prepared so far that nothing can go wrong any more. */
export interface SettingsChange {
  commit(): void
  rollback(): Promise<void>
}

/** By `namespace/name`; undefined: not any more. What is not named stays as it is. */
export interface RoomsChange {
  readonly settings: SettingsChange | undefined
  readonly peers: ReadonlyMap<string, PeerConfig | undefined>
  readonly backends: ReadonlyMap<string, BackendConfig | undefined>
  readonly routes: ReadonlyMap<string, RouteInForce | undefined>
}

export interface RouteInForce {
  readonly config: RouteConfig
  /** False: its target has no good version, so it is there and serves nothing (CONTROL section 3). */
  readonly isAvailable: boolean
}
