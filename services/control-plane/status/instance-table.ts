import type { InstanceStatus } from '@causeway/rpc'
import type { RefusedResource } from '../config-server/held.ts'
import type { ObjectKey } from '../snapshot/object-key.ts'
import { type Acceptance, type InstanceName, type InstanceSink, instanceKey, isSameProcess } from './instance.ts'

/** What this process knows of an instance, from its stream. */
interface Row {
  readonly instance: InstanceName
  readonly acceptances: Map<ObjectKey, Acceptance>
  /** Those of `acceptances` that are refusals. */
  readonly refused: Set<ObjectKey>
  status: InstanceStatus | undefined
}

/**
 * The instances that have a stream to this process. Whoever hears of them (`attach`) is told everything first, then what
 * changes; there is one at a time.
 */
export class InstanceTable {
  readonly #rows = new Map<string, Row>()
  #sink: InstanceSink | undefined

  get size(): number {
    return this.#rows.size
  }

  /** In place of whoever heard of them before. Undefined: nobody. */
  attach(sink: InstanceSink | undefined): void {
    this.#sink = sink
    if (sink === undefined) return
    for (const { instance, acceptances, status } of this.#rows.values()) sink.changed(instance, { acceptances, status })
  }

  /** An instance has answered a Delta: what it has now of some resources, and all that it refuses. */
  delivered(
    instance: InstanceName,
    changed: ReadonlyMap<ObjectKey, string | undefined>,
    refused: ReadonlyMap<ObjectKey, RefusedResource>,
  ): void {
    const row = this.#row(instance)
    const different = new Map<ObjectKey, Acceptance | undefined>()
    const set = (key: ObjectKey, acceptance: Acceptance | undefined): void => {
      if (isSameAcceptance(row.acceptances.get(key), acceptance)) return
      different.set(key, acceptance)
      if (acceptance === undefined) row.acceptances.delete(key)
      else row.acceptances.set(key, acceptance)
      if (acceptance?.refusal === undefined) row.refused.delete(key)
      else row.refused.add(key)
    }
    for (const [key, versionHex] of changed) {
      if (!refused.has(key)) set(key, versionHex === undefined ? undefined : { versionHex, refusal: undefined })
    }
    for (const [key, { versionHex, ...refusal }] of refused) set(key, { versionHex, refusal })
    // What is not refused any more has come into force meanwhile.
    for (const key of [...row.refused].filter((one) => !refused.has(one))) {
      const versionHex = row.acceptances.get(key)?.versionHex
      if (versionHex !== undefined) set(key, { versionHex, refusal: undefined })
    }
    if (different.size > 0) this.#sink?.changed(instance, { acceptances: different, status: undefined })
  }

  status(instance: InstanceName, status: InstanceStatus): void {
    this.#row(instance).status = status
    this.#sink?.changed(instance, { acceptances: new Map(), status })
  }

  /** Its stream has ended; a newer process of the same ordinal stays. */
  gone(instance: InstanceName): void {
    const row = this.#rows.get(instanceKey(instance))
    if (row === undefined || !isSameProcess(row.instance, instance)) return
    this.#rows.delete(instanceKey(instance))
    this.#sink?.gone(instance)
  }

  #row(instance: InstanceName): Row {
    const found = this.#rows.get(instanceKey(instance))
    if (found !== undefined && isSameProcess(found.instance, instance)) return found
    const row: Row = { instance, acceptances: new Map(), refused: new Set(), status: undefined }
    this.#rows.set(instanceKey(instance), row)
    return row
  }
}

function isSameAcceptance(one: Acceptance | undefined, other: Acceptance | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  if (one.versionHex !== other.versionHex) return false
  const [a, b] = [one.refusal, other.refusal]
  if (a === undefined || b === undefined) return a === b
  return a.reason === b.reason && a.fieldPath === b.fieldPath && a.message === b.message
}
