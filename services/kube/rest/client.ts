import type { Clock } from '../clock.ts'
import type { Connection } from '../connection/contract.ts'
import { type ListRequest, listObjects, typedObject } from '../list/list-objects.ts'
import { apiVersionOf, type KubeObject, type ObjectRef, type ResourceType } from '../objects.ts'
import { type WatchEvent, type WatchRequest, watchEvents } from '../watch/watch-events.ts'
import { withDeadline } from './deadline.ts'
import { isKubeError, KubeError } from './kube-error.ts'
import { collectionPath, describe, objectPath, type Query, withQuery } from './paths.ts'
import { readJson } from './read-json.ts'
import type {
  ApplyOptions,
  DeleteOptions,
  Patch,
  RequestOptions,
  RequestReport,
  Verb,
  WriteOptions,
  Written,
} from './request-options.ts'
import { type SendRequest, send } from './send.ts'

export interface KubeClientOptions {
  readonly connection: Connection
  readonly clock: Clock
  /** Default field manager of writes, e.g. `causeway-operator`. */
  readonly fieldManager: string
  /**
   * Asked before every write; false refuses it as `NotLeader`. A Lease does not fence (CONTROL section 4), but who knows
   * that his term is over sends nothing any more.
   */
  readonly mayWrite?: () => boolean
  /** For metrics and for counting writes. */
  readonly onRequest?: (report: RequestReport) => void
}

const TIMEOUT_MS = 15_000
const MAX_OBJECT_OCTETS = 8 * 1_024 * 1_024

/**
 * The requests of the Kubernetes API that controllers make. Every method rejects with `KubeError` and nothing else. An
 * object comes back as the API server sent it; only `apiVersion` and `kind` are filled in.
 */
export class KubeClient {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #fieldManager: string
  readonly #mayWrite: () => boolean
  readonly #onRequest: (report: RequestReport) => void

  constructor(options: KubeClientOptions) {
    this.#connection = options.connection
    this.#clock = options.clock
    this.#fieldManager = options.fieldManager
    this.#mayWrite = options.mayWrite ?? (() => true)
    this.#onRequest = options.onRequest ?? (() => {})
  }

  /** The namespace of the kubeconfig's context or of the service account. */
  get namespace(): string {
    return this.#connection.namespace
  }

  get clock(): Clock {
    return this.#clock
  }

  async get<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options: RequestOptions = {}): Promise<T> {
    const path = objectPath(type, ref, options.subresource)
    return this.#object('get', type, ref, { method: 'GET', path }, options)
  }

  /** Like `get`, but undefined for an object that is not there. */
  async find<T extends KubeObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    options: RequestOptions = {},
  ): Promise<T | undefined> {
    try {
      return await this.get(type, ref, options)
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return undefined
      throw error
    }
  }

  /** Every object of a selection, read consistently and page by page. */
  async list<T extends KubeObject>(request: ListRequest<T>): Promise<{ items: T[]; resourceVersion: string }> {
    const items: T[] = []
    const resourceVersion = await this.listEach(request, (object) => items.push(object))
    return { items, resourceVersion }
  }

  /** The same, one object at a time. Returns the resource version from which a watch goes on. */
  async listEach<T extends KubeObject>(request: ListRequest<T>, onObject: (object: T) => void): Promise<string> {
    const list = () => listObjects(this.#connection, this.#clock, request, onObject)
    return this.#reported('list', request.type, undefined, list)
  }

  /** One watch; see `watchEvents`. A controller wants a `Reflector` instead. */
  async *watch<T extends KubeObject>(
    request: WatchRequest<T>,
    onOctets: () => void = () => {},
  ): AsyncGenerator<WatchEvent<T>> {
    const startedAtMs = this.#clock.now()
    const end = (code: string) => this.#report('watch', request.type, undefined, code, startedAtMs)
    let code = 'OK'
    try {
      yield* watchEvents(this.#connection, request, onOctets)
    } catch (error) {
      code = request.signal.aborted ? 'Aborted' : codeOf(error)
      throw error
    } finally {
      end(code)
    }
  }

  /** Creates; `AlreadyExists` when the name is taken. */
  async create<T extends KubeObject>(
    type: ResourceType<T>,
    object: Written<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    const { metadata } = object
    const { subresource } = options
    const path =
      subresource === undefined ? collectionPath(type, metadata.namespace) : objectPath(type, metadata, subresource)
    const body = { contentType: 'application/json', value: this.#typed(type, object) }
    return this.#object(
      'create',
      type,
      metadata,
      { method: 'POST', path: withQuery(path, this.#query(options)), body },
      options,
    )
  }

  /** Replaces the whole object. With `metadata.resourceVersion` only that version, else `Conflict`. */
  async replace<T extends KubeObject>(
    type: ResourceType<T>,
    object: Written<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = withQuery(objectPath(type, object.metadata, options.subresource), this.#query(options))
    const body = { contentType: 'application/json', value: this.#typed(type, object) }
    return this.#object('update', type, object.metadata, { method: 'PUT', path, body }, options)
  }

  /**
   * Server-side apply: the object holds exactly the fields that the field manager owns. Creates what is not there, unless
   * `metadata.uid` or `metadata.resourceVersion` says which object is meant.
   */
  async apply<T extends KubeObject>(
    type: ResourceType<T>,
    object: KubeObject & Readonly<Record<string, unknown>>,
    options: ApplyOptions = {},
  ): Promise<T> {
    const query = { ...this.#query(options), force: options.force === true ? true : undefined }
    const path = withQuery(objectPath(type, object.metadata, options.subresource), query)
    const body = { contentType: 'application/apply-patch+yaml', value: this.#typed(type, object) }
    return this.#object('patch', type, object.metadata, { method: 'PATCH', path, body }, options)
  }

  /** CONTROL section 4: conditions are applied to `/status`, each writer its own with its own field manager. */
  async applyStatus<T extends KubeObject>(
    type: ResourceType<T>,
    object: KubeObject & Readonly<Record<string, unknown>>,
    options: Omit<ApplyOptions, 'subresource'> = {},
  ): Promise<T> {
    return this.apply(type, object, { ...options, subresource: 'status' })
  }

  async patch<T extends KubeObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    change: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = withQuery(objectPath(type, ref, options.subresource), this.#query(options))
    const body = {
      contentType: `application/${change.kind === 'merge' ? 'merge' : 'json'}-patch+json`,
      value: change.patch,
    }
    return this.#object('patch', type, ref, { method: 'PATCH', path, body }, options)
  }

  /** Resolves once the API server has taken note: finalizers may keep the object for a while. */
  async delete(type: ResourceType<never>, ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun } = options
    const value = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions,
      propagationPolicy,
      gracePeriodSeconds,
      ...(dryRun === true ? { dryRun: ['All'] } : {}),
    }
    const body = { contentType: 'application/json', value }
    const path = objectPath(type, ref, options.subresource)
    await this.#reported('delete', type, options.subresource, () =>
      this.#answer({ method: 'DELETE', path, body, what: describe('delete', type, ref) }, options),
    )
  }

  /** GET of a path that is no object: `/version`, `/readyz`, `/apis/mesh.causeway.dev/v1alpha1`. JSON only. */
  async getPath(path: string, options: RequestOptions = {}): Promise<unknown> {
    return this.#answer({ method: 'GET', path, what: `get ${path}` }, options)
  }

  /** Ends idle connections; requests under way go on. */
  close(): void {
    this.#connection.close()
  }

  async #object<T extends KubeObject>(
    verb: Verb,
    type: ResourceType<T>,
    ref: Partial<ObjectRef>,
    request: Pick<SendRequest, 'method' | 'path' | 'body'>,
    options: RequestOptions,
  ): Promise<T> {
    const what = describe(verb, type, ref, options.subresource)
    const value = await this.#reported(verb, type, options.subresource, () =>
      this.#answer({ ...request, what }, options),
    )
    if (typeof value !== 'object' || value === null)
      throw new KubeError('BadResponse', `${what}: the answer is no object`)
    return typedObject(type, value)
  }

  async #answer(request: Omit<SendRequest, 'signal'>, options: RequestOptions): Promise<unknown> {
    const { what } = request
    const deadline = { clock: this.#clock, timeoutMs: options.timeoutMs ?? TIMEOUT_MS, signal: options.signal, what }
    return withDeadline(deadline, async (signal) => {
      if (request.method !== 'GET' && !this.#mayWrite())
        throw new KubeError('NotLeader', `${what}: not the leader any more`)
      const response = await send(this.#connection, { ...request, signal })
      return readJson(response, MAX_OBJECT_OCTETS, what)
    })
  }

  async #reported<R>(
    verb: Verb,
    type: ResourceType<never>,
    subresource: string | undefined,
    work: () => Promise<R>,
  ): Promise<R> {
    const startedAtMs = this.#clock.now()
    try {
      const result = await work()
      this.#report(verb, type, subresource, 'OK', startedAtMs)
      return result
    } catch (error) {
      this.#report(verb, type, subresource, codeOf(error), startedAtMs)
      throw error
    }
  }

  #report(
    verb: Verb,
    type: ResourceType<never>,
    subresource: string | undefined,
    code: string,
    startedAtMs: number,
  ): void {
    this.#onRequest({ verb, type, subresource, code, durationMs: this.#clock.now() - startedAtMs })
  }

  #query(options: WriteOptions): Query {
    return {
      fieldManager: options.fieldManager ?? this.#fieldManager,
      fieldValidation: options.fieldValidation ?? 'Strict',
      dryRun: options.dryRun === true ? 'All' : undefined,
    }
  }

  #typed<T extends KubeObject>(type: ResourceType<T>, object: object): object {
    return { ...object, apiVersion: apiVersionOf(type), kind: type.kind }
  }
}

function codeOf(error: unknown): string {
  return isKubeError(error) ? error.code : 'Error'
}
