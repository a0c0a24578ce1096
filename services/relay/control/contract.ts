import type { InstanceStatus } from '@causeway/rpc'
import type { Readiness } from '@causeway/telemetry'
import type { LiveConfiguration } from '../config-store/contract.ts'

/** Who a relay instance is to control planes. */
export interface InstanceName {
  /** Of the MeshRelay. */
  readonly namespace: string
  readonly relay: string
  /** Of the pod in its StatefulSet; 0 without one. */
  readonly ordinal: number
  /** UUIDv7 of the process. */
  readonly bootId: string
  readonly softwareVersion: string
}

/** What a relay instance says of itself. */
export interface StatusSource {
  /** Everything, as it is now. */
  current(): InstanceStatus
  /** The callback is called after a change; it may be called often: what is sent is coalesced. */
  onChanged(callback: () => void): void
}

/**
 * A relay whose configuration changes while it runs. Until a configuration with a `relay` resource is in force it listens
 * nowhere and is not ready.
 */
export interface LiveRelay extends LiveConfiguration {
  readonly status: StatusSource
  /** Ready: a configuration is in force, and every listener that it asks for is open. */
  ready(): Readiness
  /** CONTROL section 3, `maxStaleness`: from now on nothing is served but what is read_only, or everything again. */
  denyUnlessReadOnly(denied: boolean): void
  /** Stops accepting and waits for open exchanges, at most `limitMs` (default: the configuration's); ends with `stop`. Never rejects. */
  drain(limitMs?: number): Promise<void>
  /** Ends everything now. Never rejects. */
  stop(): Promise<void>
  /** Kills the processes of stdio servers before it returns; for `process.on('exit')`. Never throws. */
  killServers(): void
}
