import type { KubeObject, ObjectRef, ResourceType } from '../objects.ts'
import type { KubeClient } from '../rest/client.ts'
import { KubeError } from '../rest/kube-error.ts'
import type { RequestOptions, Written } from '../rest/request-options.ts'
import type { Lease, LeaseSpec } from './lease.ts'

/** One Lease as an API server keeps it: a version that grows and conditional updates. What fails is scripted. */
export class MemoryLease implements Pick<KubeClient, 'find' | 'create' | 'replace'> {
  #lease: Lease | undefined
  #version = 0
  /** Requests are never answered: they end with the caller's deadline or signal. */
  isUnreachable = false
  /** Called before a request is answered; the answer waits for it. */
  beforeAnswer: () => Promise<void> = async () => {}

  get spec(): LeaseSpec {
    return this.#lease?.spec ?? {}
  }

  async find<T extends KubeObject>(_: ResourceType<T>, __: ObjectRef, options: RequestOptions = {}) {
    await this.#arrive(options)
    return this.#lease as T | undefined
  }

  async create<T extends KubeObject>(_: ResourceType<T>, object: Written<T>, options: RequestOptions = {}): Promise<T> {
    await this.#arrive(options)
    if (this.#lease !== undefined) throw new KubeError('AlreadyExists', 'it is there')
    const stored = this.#store(object)
    await this.beforeAnswer()
    return stored as T
  }

  async replace<T extends KubeObject>(
    _: ResourceType<T>,
    object: Written<T>,
    options: RequestOptions = {},
  ): Promise<T> {
    await this.#arrive(options)
    if (this.#lease?.metadata.resourceVersion !== object.metadata.resourceVersion) {
      throw new KubeError('Conflict', 'the object has been modified')
    }
    const stored = this.#store(object)
    await this.beforeAnswer()
    return stored as T
  }

  /** Somebody annotates the Lease. */
  touch(): void {
    if (this.#lease !== undefined) this.#store(this.#lease)
  }

  /** Somebody else takes the Lease, rightly or not. */
  usurp(holderIdentity: string): void {
    if (this.#lease !== undefined) this.#store({ ...this.#lease, spec: { ...this.spec, holderIdentity } })
  }

  #store(object: Written<Lease>): Lease {
    const lease: Lease = {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(++this.#version) },
    }
    this.#lease = lease
    return lease
  }

  async #arrive({ signal }: RequestOptions): Promise<void> {
    if (!this.isUnreachable) return
    await new Promise((_, reject) => {
      const aborted = () => reject(new KubeError('Aborted', 'aborted'))
      if (signal?.aborted) aborted()
      signal?.addEventListener('abort', aborted)
    })
  }
}
