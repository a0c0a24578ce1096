import type { BackendStatus, InstanceStatus, PeerStatus } from '@causeway/rpc'
import type { Acceptance, InstanceName } from './instance.ts'

/** A relay instance that an object concerns, and what it says of the object. */
export interface Concerned {
  readonly instance: InstanceName
  /** As its pod is called. */
  readonly label: string
  /** False: its stream has ended, and nothing is known of it since; it leaves soon. */
  readonly isConnected: boolean
  readonly acceptance: Acceptance | undefined
  /** Undefined: it has not said anything yet. */
  readonly status: InstanceStatus | undefined
  /** Of a MeshPeer, and of a MeshBackend. */
  readonly peer: PeerStatus | undefined
  readonly backend: BackendStatus | undefined
}

/** `n of m relay instances`. */
export function share(part: readonly unknown[], all: readonly unknown[]): string {
  return `${part.length} of ${all.length} relay instance${all.length === 1 ? '' : 's'}`
}
