import type { InstanceStatus } from '@causeway/rpc'
import type { ObjectKey } from '../snapshot/object-key.ts'

/** One process of a relay. */
export interface InstanceName {
  readonly namespace: string
  readonly relay: string
  readonly ordinal: number
  /** UUIDv7: of two of one ordinal the greater one is the newer process. */
  readonly bootId: string
  /** Of the MeshRelay; empty without Kubernetes. */
  readonly relayUid: string
}

/** What an instance does with a resource: it has this version in force, or refuses it. */
export interface Acceptance {
  readonly versionHex: string
  readonly refusal: { readonly reason: string; readonly fieldPath: string; readonly message: string } | undefined
}

/** What is different about an instance now. */
export interface InstanceChange {
  /** Undefined: it has the resource no more. */
  readonly acceptances: ReadonlyMap<ObjectKey, Acceptance | undefined>
  /** Undefined: as before. */
  readonly status: InstanceStatus | undefined
}

/** Hears of instances: the leader's aggregator, or what forwards to the leader. */
export interface InstanceSink {
  changed(instance: InstanceName, change: InstanceChange): void
  /** Its stream has ended. */
  gone(instance: InstanceName): void
}

/** `namespace/relay/ordinal`: of these, one process counts. */
export function instanceKey({ namespace, relay, ordinal }: InstanceName): string {
  return `${namespace}/${relay}/${ordinal}`
}

/** The same process. */
export function isSameProcess(one: InstanceName, other: InstanceName): boolean {
  return instanceKey(one) === instanceKey(other) && one.bootId === other.bootId
}
