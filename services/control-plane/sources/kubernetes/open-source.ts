import {
  Backoff,
  delay,
  type Informer,
  isKubeError,
  type KubeClient,
  KubeError,
  type ReflectorTiming,
} from '@causeway/kube'
import { KIND_NAMES, type KindName } from '@causeway/mesh-api'
import type { RelistOptions, Source, SourceObserver } from '../source.ts'
import { kindInformer } from './kind-informer.ts'
import { namespaceInformer, PendingNamespaces } from './namespace-informer.ts'
import type { ObservedStatuses } from './observed-status.ts'
import { PendingChange } from './pending-change.ts'
import type { StoredObject } from './read-object.ts'
import { readSourceId } from './source-id.ts'
import type { TrackedObject } from './tracked-object.ts'

export interface KubernetesSourceOptions {
  readonly client: KubeClient
  /** `*`: all of the cluster. */
  readonly watchNamespaces: '*' | readonly string[]
  readonly observer: SourceObserver
  /** In [0, 1), for jitter. */
  readonly random: () => number
  /** Something could not be read; it is tried again. */
  readonly failing?: (error: KubeError) => void
  readonly timing?: Partial<ReflectorTiming>
}

/** What can be started, listed anew and stopped: an informer of any type. */
interface Watched {
  readonly isSynced: boolean
  start(): void
  stop(): Promise<void>
  relist(): Promise<void>
}

const BACKOFF = { initialMs: 200, maxMs: 10_000 }

/** The objects of an API server, of every kind. Reading begins at once; it needs no API server to be there. */
export function openKubernetesSource(options: KubernetesSourceOptions): KubernetesSource {
  return new KubernetesSource(options)
}

export class KubernetesSource implements Source {
  readonly #options: KubernetesSourceOptions
  readonly #closing = new AbortController()
  readonly #kinds: ReadonlyMap<KindName, Informer<StoredObject, TrackedObject>>
  readonly #watched: readonly Watched[]
  readonly #opened: Promise<void>
  #sourceId: Uint8Array = new Uint8Array(16)
  #isSynced = false
  #statusChanged: ((kind: KindName, name: string) => void) | undefined

  constructor(options: KubernetesSourceOptions) {
    this.#options = options
    this.#kinds = new Map(KIND_NAMES.map((kind) => [kind, this.#kind(kind)]))
    this.#watched = [this.#namespaces(), ...this.#kinds.values()]
    this.#opened = this.#open()
  }

  /** What stands in the statuses now, for who writes them. */
  get statuses(): ObservedStatuses {
    return {
      get: (kind, name) => this.#kinds.get(kind)?.get(name)?.status,
      attach: (changed) => {
        this.#statusChanged = changed
      },
    }
  }

  async relist({ signal }: RelistOptions): Promise<void> {
    // Every list of an informer is consistent: resourceVersion unset (CONTROL section 3).
    const listed = this.#opened.then(() => Promise.all(this.#watched.map((one) => one.relist())))
    await untilAborted(listed, AbortSignal.any([signal, this.#closing.signal]))
  }

  async close(): Promise<void> {
    this.#closing.abort(new KubeError('Aborted', 'the source of objects is closed'))
    await this.#opened
    await Promise.all(this.#watched.map((one) => one.stop()))
  }

  /** Positions say which source they are of, so that has to be known first. */
  async #open(): Promise<void> {
    const { client, random, failing } = this.#options
    const { signal } = this.#closing
    const backoff = new Backoff({ ...BACKOFF, random })
    while (!signal.aborted) {
      try {
        this.#sourceId = await readSourceId(client, signal)
        for (const one of this.#watched) one.start()
        return
      } catch (error) {
        if (!isKubeError(error)) throw error
        if (signal.aborted) return
        failing?.(error)
        await delay(client.clock, backoff.next(error.retryAfterMs), signal)
      }
    }
  }

  #kind(kind: KindName): Informer<StoredObject, TrackedObject> {
    const { client, watchNamespaces: namespaces, random, observer } = this.#options
    const pending = new PendingChange(kind)
    let toldPosition: bigint | undefined
    const informer = kindInformer(kind, { client, namespaces, random, ...this.#timing() }, pending, {
      ...this.#listener(),
      statusChanged: (name) => this.#statusChanged?.(kind, name),
      moved: () => {
        const { position } = informer
        const isMoved = position !== undefined && position !== toldPosition
        toldPosition = position
        if (isMoved || !pending.isEmpty) {
          observer.changed(pending.take(isMoved ? { source: this.#sourceId, value: position } : undefined))
        }
        this.#tellSynced()
      },
    })
    return informer
  }

  #namespaces(): Watched {
    const { client, random, observer } = this.#options
    const pending = new PendingNamespaces()
    return namespaceInformer({ client, random, ...this.#timing() }, pending, {
      ...this.#listener(),
      moved: () => {
        const namespaces = pending.take()
        if (namespaces !== undefined) {
          observer.changed({ upserts: [], removals: [], invalid: [], namespaces, positions: new Map() })
        }
        this.#tellSynced()
      },
    })
  }

  #listener(): { failing: (error: KubeError) => void } {
    return { failing: (error) => this.#options.failing?.(error) }
  }

  #timing(): { timing?: Partial<ReflectorTiming> } {
    const { timing } = this.#options
    return timing === undefined ? {} : { timing }
  }

  #tellSynced(): void {
    if (this.#isSynced || !this.#watched.every((one) => one.isSynced)) return
    this.#isSynced = true
    this.#options.observer.synced()
  }
}

/** As `work` ends, or rejects with the signal's reason before that. */
function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason)
    if (signal.aborted) aborted()
    signal.addEventListener('abort', aborted, { once: true })
    work.then(() => resolve(), reject).finally(() => signal.removeEventListener('abort', aborted))
  })
}
