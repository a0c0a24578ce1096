import { create } from '@bufbuild/protobuf'
import { type ForwardStatusRequest, ForwardStatusRequestSchema } from '@causeway/rpc'
import type { ObjectKey } from '../../snapshot/object-key.ts'
import {
  type Acceptance,
  type InstanceChange,
  type InstanceName,
  type InstanceSink,
  instanceKey,
  processKey,
} from '../instance.ts'
import { idOf, reportOf } from './report.ts'

/** So many acceptances are said in one message; each has some hundred octets. */
const MAX_ACCEPTANCES = 10_000

interface Pending {
  readonly instance: InstanceName
  readonly acceptances: Map<ObjectKey, Acceptance | undefined>
  status: InstanceChange['status']
}

/** What the leader has not been told yet, coalesced: of each instance what is so now. */
export class PendingReports implements InstanceSink {
  readonly #changed = new Map<string, Pending>()
  /** By process: of one instance several may have come and gone meanwhile. */
  readonly #gone = new Map<string, InstanceName>()
  readonly #onPending: () => void
  #isComplete = true

  constructor(onPending: () => void) {
    this.#onPending = onPending
  }

  get isEmpty(): boolean {
    return this.#changed.size === 0 && this.#gone.size === 0 && this.#isComplete
  }

  changed(instance: InstanceName, { acceptances, status }: InstanceChange): void {
    const key = instanceKey(instance)
    this.#gone.delete(processKey(instance))
    const found = this.#changed.get(key)
    if (found === undefined || found.instance.bootId !== instance.bootId) {
      this.#changed.set(key, { instance, acceptances: new Map(acceptances), status })
    } else {
      for (const [object, acceptance] of acceptances) found.acceptances.set(object, acceptance)
      if (status !== undefined) found.status = status
    }
    this.#onPending()
  }

  gone(instance: InstanceName): void {
    const key = instanceKey(instance)
    if (this.#changed.get(key)?.instance.bootId === instance.bootId) this.#changed.delete(key)
    this.#gone.set(processKey(instance), instance)
    this.#onPending()
  }

  /** Forgets everything: the leader is another, and is told all that there is from the beginning. */
  begin(): void {
    this.#changed.clear()
    this.#gone.clear()
    this.#isComplete = false
  }

  /** The next message, of what is pending. */
  take(): ForwardStatusRequest {
    const request = create(ForwardStatusRequestSchema, { gone: [...this.#gone.values()].map(idOf) })
    this.#gone.clear()
    let left = MAX_ACCEPTANCES
    for (const [key, { instance, acceptances, status }] of this.#changed) {
      if (left <= 0) break
      const part = new Map([...acceptances].slice(0, left))
      left -= part.size
      request.instances.push(reportOf(instance, { acceptances: part, status }))
      if (part.size === acceptances.size) this.#changed.delete(key)
      else for (const object of part.keys()) acceptances.delete(object)
    }
    request.complete = !this.#isComplete && this.#changed.size === 0
    if (request.complete) this.#isComplete = true
    return request
  }
}
