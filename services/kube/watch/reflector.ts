import { Backoff } from '../backoff.ts'
import { delay } from '../clock.ts'
import type { Selection } from '../list/list-objects.ts'
import type { KubeObject, ResourceType } from '../objects.ts'
import type { KubeClient } from '../rest/client.ts'
import { isKubeError, KubeError } from '../rest/kube-error.ts'
import { describe } from '../rest/paths.ts'
import { ObjectStore, type StoreListener, type Strip } from './object-store.ts'
import { withoutManagedFields } from './strip.ts'

export interface ReflectorListener<S extends KubeObject> extends StoreListener<S> {
  /** A list is complete and everything that it changed has been told. */
  readonly listed: (resourceVersion: string) => void
  /** Everything up to this version has been told. */
  readonly position: (resourceVersion: string) => void
  /** A list or watch failed; it is tried again. Told once for each failure. */
  readonly failing: (error: KubeError) => void
}

export interface ReflectorOptions<T extends KubeObject, S extends KubeObject = T> extends Selection {
  readonly client: KubeClient
  readonly type: ResourceType<T>
  /**
   * Keeps what the caller needs of an object, which is all that stays in memory. It is asked once for each version, gets
   * objects without `managedFields` and must not throw. Left out: objects stay as they are, and `S` is `T`.
   */
  readonly strip?: Strip<T, S>
  readonly pageSize?: number
  /** In [0, 1), for jitter. */
  readonly random: () => number
  readonly timing?: Partial<ReflectorTiming>
}

export interface ReflectorTiming {
  /** The API server ends a watch after it. */
  readonly watchTimeoutSeconds: number
  /** Bookmarks come every minute: a watch that is silent for longer is dead, whatever TCP says. */
  readonly silenceMs: number
  readonly backoffInitialMs: number
  readonly backoffMaxMs: number
}

const REFLECTOR_TIMING: ReflectorTiming = {
  watchTimeoutSeconds: 300,
  silenceMs: 150_000,
  backoffInitialMs: 200,
  backoffMaxMs: 10_000,
}

/** A watch that ends sooner did not do its work; the next one waits. */
const SHORT_WATCH_MS = 5_000

interface Waiter {
  readonly resolve: (resourceVersion: string) => void
  readonly reject: (error: KubeError) => void
}

/**
 * Keeps a selection of objects as the API server has it: one consistent paged list, then a watch with bookmarks. It lists
 * again when the version it watches from has expired and when the watch falls silent. A failure never removes an object.
 */
export class Reflector<T extends KubeObject, S extends KubeObject = T> {
  readonly #options: ReflectorOptions<T, S>
  readonly #timing: ReflectorTiming
  readonly #listener: ReflectorListener<S>
  readonly #store: ObjectStore<T, S>
  readonly #backoff: Backoff
  readonly #stopped = new AbortController()
  #waiters: Waiter[] = []
  /** Ends the watch or the wait that is under way. */
  #interrupt = new AbortController()
  #position: string | undefined
  #isExpired = true
  #running: Promise<void> | undefined

  constructor(options: ReflectorOptions<T, S>, listener: ReflectorListener<S>) {
    this.#options = options
    this.#timing = { ...REFLECTOR_TIMING, ...options.timing }
    this.#listener = listener
    const strip: Strip<T, S> = options.strip ?? ((object) => object as KubeObject as S)
    this.#store = new ObjectStore((object, old) => strip(withoutManagedFields(object), old), listener)
    const { backoffInitialMs: initialMs, backoffMaxMs: maxMs } = this.#timing
    this.#backoff = new Backoff({ initialMs, maxMs, random: options.random })
  }

  /** What is known, by `namespace/name`; empty before the first list. */
  get objects(): ReadonlyMap<string, S> {
    return this.#store.objects
  }

  /** Undefined before the first list. */
  get position(): string | undefined {
    return this.#position
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Nothing is told once it has resolved. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#interrupt.abort()
    await this.#running
    for (const waiter of this.#waiters) waiter.reject(this.#stoppedError())
    this.#waiters = []
  }

  /**
   * Lists again, beginning after this call, with a consistent read. Resolves with the version of that list once all of it
   * has been told; rejects with `Aborted` when the reflector is stopped before.
   */
  relist(): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#stopped.signal.aborted) return reject(this.#stoppedError())
      this.#waiters.push({ resolve, reject })
      this.#interrupt.abort()
    })
  }

  async #run(): Promise<void> {
    const stopped = this.#stopped.signal
    while (!stopped.aborted) {
      this.#interrupt = new AbortController()
      try {
        if (this.#isExpired || this.#position === undefined || this.#waiters.length > 0) await this.#list()
        else await this.#watch(this.#position)
      } catch (error) {
        if (!isKubeError(error)) throw error
        if (!stopped.aborted && error.code !== 'Aborted') await this.#recover(error)
      }
    }
  }

  async #recover(error: KubeError): Promise<void> {
    this.#listener.failing(error)
    if (error.code === 'Expired') this.#isExpired = true
    await delay(this.#options.client.clock, this.#backoff.next(error.retryAfterMs), this.#interrupt.signal)
  }

  async #list(): Promise<void> {
    const { client } = this.#options
    // Who asks from now on wants a list that begins later.
    const waiters = this.#waiters
    this.#waiters = []
    const listed = this.#store.beginList()
    try {
      const request = { ...this.#selection(), signal: this.#stopped.signal }
      const resourceVersion = await client.listEach(request, (object) => listed.add(object))
      listed.commit()
      this.#isExpired = false
      this.#position = resourceVersion
    } catch (error) {
      this.#waiters = [...waiters, ...this.#waiters]
      throw error
    }
    this.#backoff.reset()
    this.#listener.listed(this.#position)
    for (const waiter of waiters) waiter.resolve(this.#position)
  }

  async #watch(position: string): Promise<void> {
    const { client } = this.#options
    const { watchTimeoutSeconds, silenceMs } = this.#timing
    const { clock } = client
    const interrupt = this.#interrupt
    const startedAtMs = clock.now()
    let isSilent = false
    let timer: unknown
    const heard = () => {
      clock.clearTimeout(timer)
      timer = clock.setTimeout(() => {
        isSilent = true
        interrupt.abort()
      }, silenceMs)
    }
    heard()
    try {
      const request = {
        ...this.#selection(),
        resourceVersion: position,
        timeoutSeconds: watchTimeoutSeconds,
        signal: interrupt.signal,
      }
      for await (const event of client.watch(request, heard)) {
        if (event.type === 'deleted') this.#store.remove(event.object)
        else if (event.type !== 'bookmark') this.#store.upsert(event.object)
        this.#position = event.resourceVersion
        this.#listener.position(event.resourceVersion)
      }
    } catch (error) {
      if (isSilent) {
        this.#isExpired = true
        throw new KubeError('Timeout', `${this.#what('watch')}: silent for ${silenceMs} ms`, { cause: error })
      }
      if (interrupt.signal.aborted) return
      throw error
    } finally {
      clock.clearTimeout(timer)
    }
    if (clock.now() - startedAtMs >= SHORT_WATCH_MS) this.#backoff.reset()
    else await delay(clock, this.#backoff.next(), interrupt.signal)
  }

  #stoppedError(): KubeError {
    return new KubeError('Aborted', `${this.#what('list')}: stopped`)
  }

  #selection() {
    const { type, namespace, labelSelector, fieldSelector, metadataOnly, pageSize } = this.#options
    return {
      type,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(metadataOnly === undefined ? {} : { metadataOnly }),
      ...(pageSize === undefined ? {} : { pageSize }),
    }
  }

  #what(verb: string): string {
    const { type, namespace } = this.#options
    return describe(verb, type, namespace === undefined ? {} : { namespace })
  }
}
