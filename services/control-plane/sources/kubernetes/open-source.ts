import { Backoff, delay, isKubeError, type KubeClient, KubeError, type ReflectorTiming } from '@causeway/kube'
import { KIND_NAMES, type KindName } from '@causeway/mesh-api'
import type { RelistOptions, Source, SourceObserver } from '../source.ts'
import { kindInformer } from './kind-informer.ts'
import { namespaceInformer, PendingNamespaces } from './namespace-informer.ts'
import { PendingChange } from './pending-change.ts'
import { readSourceId } from './source-id.ts'

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
export function openKubernetesSource(options: KubernetesSourceOptions): Source {
  return new KubernetesSource(options)
}

class KubernetesSource implements Source {
  readonly #options: KubernetesSourceOptions
  readonly #closing = new AbortController()
  readonly #watched: readonly Watched[]
  readonly #opened: Promise<void>
  #sourceId: Uint8Array = new Uint8Array(16)
  #isSynced = false

  constructor(options: KubernetesSourceOptions) {
    this.#options = options
    this.#watched = [this.#namespaces(), ...KIND_NAMES.map((kind) => this.#kind(kind))]
    this.#opened = this.#open()
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

  #kind(kind: KindName): Watched {
    const { client, watchNamespaces: namespaces, random, observer } = this.#options
    const pending = new PendingChange(kind)
    let toldPosition: bigint | undefined
    const informer = kindInformer(kind, { client, namespaces, random, ...this.#timing() }, pending, {
      ...this.#listener(),
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
