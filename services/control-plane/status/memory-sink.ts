import type { Clock } from '@causeway/kube'
import type { KindName } from '@causeway/mesh-api'
import { type ObjectKey, objectKey } from '../snapshot/object-key.ts'
import type { ObjectStatus, ReportedCondition, StatusSink } from './object-status.ts'

/** A condition as an API server would have it. */
export type StoredCondition = ReportedCondition & { readonly lastTransitionTime: string }

export type StoredStatus = Omit<ObjectStatus, 'conditions'> & { readonly conditions: readonly StoredCondition[] }

/** Statuses without Kubernetes: kept here, for whoever asks. */
export class MemoryStatus implements StatusSink {
  readonly #clock: Clock
  readonly #stored = new Map<ObjectKey, StoredStatus>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(kind: KindName, name: string): StoredStatus | undefined {
    return this.#stored.get(objectKey(kind, name))
  }

  write(status: ObjectStatus): void {
    const key = objectKey(status.kind, status.name)
    const before = this.#stored.get(key)?.conditions ?? []
    const conditions = status.conditions.map((condition): StoredCondition => {
      const last = before.find(({ type }) => type === condition.type)
      const lastTransitionTime = last?.status === condition.status ? last.lastTransitionTime : this.#now()
      return { ...condition, lastTransitionTime }
    })
    this.#stored.set(key, { ...status, conditions })
  }

  forget(kind: KindName, name: string): void {
    this.#stored.delete(objectKey(kind, name))
  }

  #now(): string {
    return `${new Date(this.#clock.wallNow()).toISOString().slice(0, 19)}Z`
  }
}
