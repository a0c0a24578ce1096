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

/**
 * Hears of instances: the leader's aggregator, or what forwards to the leader. `by`: which replica says it, the same object
 * each time; default: this process. An instance that moves is said to be gone by one replica and to be there by another, in
 * whatever order.
 */
export interface InstanceSink {
  changed(instance: InstanceName, change: InstanceChange, by?: object): void
  /** Its stream has ended. */
  gone(instance: InstanceName, by?: object): void
}

/** `namespace/relay/ordinal`: of these, one process counts. */
export function instanceKey({ namespace, relay, ordinal }: InstanceName): string {
  return `${namespace}/${relay}/${ordinal}`
}

/** One process of it. */
export function processKey(instance: InstanceName): string {
  return `${instanceKey(instance)}/${instance.bootId}`
}

export function isSameProcess(one: InstanceName, other: InstanceName): boolean {
  return processKey(one) === processKey(other)
}
