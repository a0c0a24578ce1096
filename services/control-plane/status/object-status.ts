import type { KindName } from '@causeway/mesh-api'

export type Truth = 'True' | 'False' | 'Unknown'

/** A condition without lastTransitionTime, which is its writer's: it knows what stood there before. */
export interface ReportedCondition {
  readonly type: string
  readonly status: Truth
  readonly observedGeneration: number
  /** CamelCase, stable. */
  readonly reason: string
  /** For a person: it names the field or the instance. */
  readonly message: string
}

/** What the control plane says of an object: all of its conditions, and its instances (`status.relays`). */
export interface ObjectStatus {
  readonly kind: KindName
  /** `namespace/name`. */
  readonly name: string
  readonly uid: string
  readonly conditions: readonly ReportedCondition[]
  /** At most 32, those that differ or lag first chosen, then by name. */
  readonly relays: readonly InstanceRow[]
  /** All of them. */
  readonly relayCount: number
}

/** One entry of `status.relays`, with the fields of the object's kind. */
export interface InstanceRow {
  /** Of the MeshRelay. */
  readonly namespace: string
  readonly relay: string
  /** As its pod is called. */
  readonly instance: string
  readonly programmed: Truth
  readonly observedGeneration: number
  readonly reason?: string
  readonly message?: string
  readonly peerHandle?: string
  readonly bundleSHA256?: string
  readonly reachable?: Truth
  readonly handles?: readonly string[]
  readonly postQuantum?: Truth
  readonly authorized?: Truth
}

/** Where statuses go. Neither throws; who writes tries again by itself, and writes nothing that stands there already. */
export interface StatusSink {
  /** In place of what was said of the object before. */
  write(status: ObjectStatus): void
  /** The object is gone, or another installation's: there is nothing to say. */
  forget(kind: KindName, name: string): void
}
