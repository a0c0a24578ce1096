import type { ResourceKindName, ResourceMessage } from '@causeway/rpc'

/**
 * What puts configuration into force: the listeners, peers, backends and routes of a running relay. The store calls
 * `apply` for one change at a time, in order. The first calls after a start bring what the volume holds: what was in force
 * last, then what had been sent and was not in force.
 */
export interface LiveConfiguration {
  /**
   * Puts into force, as a whole, what of the change can be, and resolves with everything that is not in force as it was
   * sent last: also what an earlier change brought. A resource that cannot be keeps its last good version in force,
   * together with what depends on it; without one, what depends on it is an unavailable target, never an open one
   * (CONTROL section 3). Never rejects.
   */
  apply(change: ConfigurationChange): Promise<readonly Refusal[]>
  /** The callback is called, with the complete list, whenever it changes outside `apply`. */
  onRefusalsChanged(callback: (refusals: readonly Refusal[]) => void): void
}

/** Whole resources; one change never has the same one twice. */
export interface ConfigurationChange {
  readonly upserts: readonly HeldResource[]
  readonly removals: readonly ResourceId[]
}

export interface ResourceId {
  readonly kind: ResourceKindName
  /** `namespace/name` of the object that it was made from. */
  readonly name: string
}

/** A resource at one version, decoded: `kind` says which message. */
export type HeldResource = ResourceMessage & {
  readonly name: string
  /** SHA-256, lower-case hexadecimal. */
  readonly version: string
}

/** Why a resource is not in force as it was sent last. */
export interface Refusal extends ResourceId {
  /** What was sent last. */
  readonly version: string
  /** Stable, CamelCase, as a reason of the Programmed condition: NotImplemented, CredentialPending, ListenFailed ... */
  readonly reason: string
  /** In the object, as in `spec.listeners.mcp.tls`; empty: the object. */
  readonly fieldPath: string
  /** For a person. Without secrets. */
  readonly message: string
}
