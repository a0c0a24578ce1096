import {
  type Clock,
  type Controller,
  isKubeError,
  type KubeClient,
  type KubeError,
  refOf,
  startController,
  TokenBucket,
  WorkQueue,
} from '@causeway/kube'
import { FIELD_MANAGERS, type KindName } from '@causeway/mesh-api'
import { type ObjectKey, objectIdOf, objectKey } from '../../snapshot/object-key.ts'
import { typeOf } from '../../sources/kubernetes/kind-informer.ts'
import {
  type ObservedStatus,
  type ObservedStatuses,
  observeStatus,
  statusDigest,
} from '../../sources/kubernetes/observed-status.ts'
import type { ObjectStatus, StatusSink } from '../object-status.ts'
import { appliedStatus } from './applied-status.ts'

export interface KubernetesStatusOptions {
  /** Its writes end with the term: `mayWrite` asks the election. */
  readonly client: KubeClient
  readonly random: () => number
  readonly observed: ObservedStatuses
  /** A status could not be written; it is tried again. */
  readonly failing?: (kind: KindName, name: string, error: KubeError) => void
  readonly timing?: Partial<StatusWriterTiming>
}

export interface StatusWriterTiming {
  /** An object's status is written at most so often. */
  readonly intervalMs: number
  readonly writesPerSecond: number
  /** After a pause. */
  readonly burst: number
}

const TIMING: StatusWriterTiming = { intervalMs: 1_000, writesPerSecond: 50, burst: 200 }
const WORKERS = 8

interface Wanted {
  readonly status: ObjectStatus
  readonly digest: string
}

interface Written {
  /** What was sent. */
  readonly wantedDigest: string
  /** What the API server made of it. */
  readonly answer: ObservedStatus
  readonly atMs: number
  /** How far the source had come with this object, at the furthest. */
  seenVersion: bigint
}

/**
 * Writes the control plane's part of statuses by server-side apply (CONTROL section 4), for one term of leadership. What
 * stands there already is not written; what somebody else overwrites is written again.
 */
export class KubernetesStatus implements StatusSink {
  readonly #options: KubernetesStatusOptions
  readonly #clock: Clock
  readonly #timing: StatusWriterTiming
  readonly #wanted = new Map<ObjectKey, Wanted>()
  readonly #written = new Map<ObjectKey, Written>()
  readonly #queue: WorkQueue
  readonly #bucket: TokenBucket
  readonly #controller: Controller

  constructor(options: KubernetesStatusOptions) {
    this.#options = options
    this.#timing = { ...TIMING, ...options.timing }
    const { clock } = options.client
    this.#clock = clock
    this.#queue = new WorkQueue({ clock, random: options.random })
    this.#bucket = new TokenBucket({ clock, perSecond: this.#timing.writesPerSecond, burst: this.#timing.burst })
    options.observed.attach((kind, name) => {
      const key = objectKey(kind, name)
      if (this.#wanted.has(key)) this.#enqueue(key)
    })
    this.#controller = startController({
      queue: this.#queue,
      workers: WORKERS,
      reconcile: (key, signal) => this.#reconcile(key, signal),
      failed: (key, error) => {
        if (!isKubeError(error)) throw error
        // Somebody else wrote first; by the next try the source has seen it.
        if (error.code === 'Conflict') return
        const { kind, name } = objectIdOf(key)
        options.failing?.(kind, name, error)
      },
    })
  }

  write(status: ObjectStatus): void {
    const key = objectKey(status.kind, status.name)
    this.#wanted.set(key, { status, digest: statusDigest(status.kind, status) })
    this.#enqueue(key)
  }

  forget(kind: KindName, name: string): void {
    const key = objectKey(kind, name)
    this.#wanted.delete(key)
    this.#written.delete(key)
  }

  /** Nothing is written any more once it has resolved. */
  async stop(): Promise<void> {
    this.#options.observed.attach(undefined)
    await this.#controller.stop()
  }

  #enqueue(key: ObjectKey): void {
    const written = this.#written.get(key)
    const waitMs = written === undefined ? 0 : written.atMs + this.#timing.intervalMs - this.#clock.now()
    this.#queue.addAfter(key, Math.max(0, waitMs))
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<undefined> {
    if (this.#next(key) === undefined) return
    await this.#bucket.take(signal)
    // While this one waited for its turn something else may be wanted, or may have come to stand there.
    const next = this.#next(key)
    if (signal.aborted || next === undefined) return
    const { wanted, current } = next
    const { kind, name, uid } = wanted.status
    const status = appliedStatus(wanted.status, current.transitions, this.#clock.wallNow())
    // Only in the version that was looked at: an API server does not compare the UID in a write of status, and what was
    // judged of one object must not be said of another one that has its name by now.
    const metadata = { ...refOf(name), uid, resourceVersion: String(current.resourceVersion) }
    // Before the write: the source may go back while that is under way.
    const seenVersion = this.#options.observed.get(kind, name)?.resourceVersion ?? 0n
    try {
      const answer = await this.#options.client.applyStatus(
        typeOf(kind),
        { metadata, status },
        { fieldManager: FIELD_MANAGERS.controlPlane, force: true },
      )
      const atMs = this.#clock.now()
      this.#written.set(key, { wantedDigest: wanted.digest, answer: observeStatus(kind, answer), atMs, seenVersion })
    } catch (error) {
      // It is gone: whoever computes statuses hears of that by itself.
      if (!isKubeError(error, 'NotFound')) throw error
    }
  }

  /** What has to be written, and what stands there; undefined when that says the same, or the object is gone. */
  #next(key: ObjectKey): { readonly wanted: Wanted; readonly current: ObservedStatus } | undefined {
    const wanted = this.#wanted.get(key)
    const current = this.#current(key)
    if (wanted === undefined || current === undefined || current.digest === wanted.digest) return undefined
    const written = this.#written.get(key)
    const isOurs = written?.answer === current && written.wantedDigest === wanted.digest
    return isOurs ? undefined : { wanted, current }
  }

  /** The later one of what we were answered and of what the source has seen, of the object that is meant. */
  #current(key: ObjectKey): ObservedStatus | undefined {
    const { kind, name } = objectIdOf(key)
    const uid = this.#wanted.get(key)?.status.uid
    const seen = this.#options.observed.get(kind, name)
    const answer = this.#answerBeside(key, seen)?.answer
    const [later] = [answer, seen]
      .filter((one) => one !== undefined && one.uid === uid)
      .sort((a, b) => Number((b?.resourceVersion ?? 0n) - (a?.resourceVersion ?? 0n)))
    return later
  }

  /** What was written last; not where the source has gone back since: the store was restored (CONTROL section 3), without it. */
  #answerBeside(key: ObjectKey, seen: ObservedStatus | undefined): Written | undefined {
    const written = this.#written.get(key)
    if (written === undefined || seen === undefined || seen.uid !== written.answer.uid) return written
    if (seen.resourceVersion < written.seenVersion) {
      this.#written.delete(key)
      return undefined
    }
    written.seenVersion = seen.resourceVersion
    return written
  }
}
