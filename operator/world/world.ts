import {
  Informer,
  type InformerListener,
  type KubeClient,
  type KubeError,
  type KubeObject,
  type ResourceType,
} from '@causeway/kube'
import { CA_SECRET_NAME, CONTROL_PLANE_TLS_NAME, type KindName } from '@causeway/mesh-api'
import { NEXT_CA_SECRET_NAME } from '../pki/secret-names.ts'
import { MANAGED_BY, MANAGER } from './managed.ts'
import {
  CONFIG_MAPS,
  JUDGED_KINDS,
  type MeshObject,
  meshType,
  NAMESPACES,
  OWNED_TYPES,
  type OwnedObject,
  SECRETS,
} from './resource-types.ts'

export interface WorldOptions {
  readonly client: KubeClient
  readonly random: () => number
  /** The installation's own: its certificates are there. */
  readonly namespace: string
  readonly watched: '*' | readonly string[]
  /** How long a watch may say nothing before it is given up. */
  readonly silenceMs: number
  readonly failing: (type: ResourceType<never>, error: KubeError) => void
}

/** What changed, for who wants to know. `old` is undefined for something new, `object` for something gone. */
export type Change =
  | { readonly from: 'mesh'; readonly kind: KindName; readonly object?: MeshObject; readonly old?: MeshObject }
  | { readonly from: 'secret' | 'configMap' | 'namespace'; readonly object?: KubeObject; readonly old?: KubeObject }
  | { readonly from: 'owned'; readonly kind: string; readonly object?: OwnedObject; readonly old?: OwnedObject }

/**
 * What the operator knows of the cluster. Secrets and ConfigMaps only by their metadata: values are read when they are
 * needed, one by one (CONTROL section 5).
 */
export class World {
  readonly mesh: ReadonlyMap<KindName, Informer<MeshObject>>
  /** Of watched namespaces all; of the installation's own, where it is not watched, those that are the operator's. */
  readonly secrets: Lookup
  readonly configMaps: Informer<KubeObject>
  readonly namespaces: readonly Informer<KubeObject>[]
  readonly owned: ReadonlyMap<string, Informer<OwnedObject>>
  readonly #listeners: ((change: Change) => void)[] = []
  readonly #options: WorldOptions
  readonly #secretWatches: readonly Informer<KubeObject>[]

  constructor(options: WorldOptions) {
    this.#options = options
    const { watched } = options
    this.mesh = new Map(
      JUDGED_KINDS.map((kind) => [
        kind,
        this.#informer(meshType(kind), { namespaces: watched }, (change) => ({
          from: 'mesh',
          kind,
          ...change,
        })),
      ]),
    )
    this.#secretWatches = this.#secretSelections().map((selection) =>
      this.#informer<KubeObject>(SECRETS, { metadataOnly: true, ...selection }, (change) => ({
        from: 'secret',
        ...change,
      })),
    )
    this.secrets = { get: (key) => firstOf(this.#secretWatches, key) }
    const metadataOnly = { namespaces: watched, metadataOnly: true } as const
    this.configMaps = this.#informer<KubeObject>(CONFIG_MAPS, metadataOnly, (change) => ({
      from: 'configMap',
      ...change,
    }))
    // One watch for each, by its name: nobody needs the right to see the others.
    const selectors = watched === '*' ? [{}] : watched.map((name) => ({ fieldSelector: `metadata.name=${name}` }))
    this.namespaces = selectors.map((selector) =>
      this.#informer<KubeObject>(NAMESPACES, { namespaces: '*', metadataOnly: true, ...selector }, (change) => ({
        from: 'namespace',
        ...change,
      })),
    )
    this.owned = new Map(
      OWNED_TYPES.map((type) => [
        type.kind,
        this.#informer(type, { namespaces: watched, labelSelector: MANAGED }, (change) => ({
          from: 'owned',
          kind: type.kind,
          ...change,
        })),
      ]),
    )
  }

  /** Told of every change, from the first list on. */
  subscribe(listener: (change: Change) => void): void {
    this.#listeners.push(listener)
  }

  start(): void {
    for (const informer of this.#all()) informer.start()
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#all()].map((informer) => informer.stop()))
  }

  /** Whether everything has been listed once: nothing is decided before. */
  get isSynced(): boolean {
    for (const informer of this.#all()) if (!informer.isSynced) return false
    return true
  }

  object(kind: KindName, key: string): MeshObject | undefined {
    return this.mesh.get(kind)?.get(key)
  }

  /** Objects of a kind, and how far the watch of it has come. */
  watchOf(kind: KindName): Pick<Informer<MeshObject>, 'get' | 'position'> {
    return this.mesh.get(kind) ?? NOTHING_WATCHED
  }

  /** One object that the operator makes, and how far the watch of its kind has come. */
  ownedWatchOf(kind: string, key: string): { get(): OwnedObject | undefined; readonly position: bigint | undefined } {
    const informer = this.owned.get(kind)
    return { get: () => informer?.get(key), position: informer?.position }
  }

  *objects(kind: KindName): IterableIterator<MeshObject> {
    yield* this.mesh.get(kind)?.values() ?? []
  }

  namespace(name: string): KubeObject | undefined {
    return firstOf(this.namespaces, `/${name}`)
  }

  *#all(): Generator<Pick<Informer<KubeObject>, 'start' | 'stop' | 'isSynced'>> {
    yield* this.mesh.values()
    yield* this.#secretWatches
    yield this.configMaps
    yield* this.namespaces
    yield* this.owned.values()
  }

  #informer<T extends KubeObject>(
    type: ResourceType<T>,
    selection: {
      readonly namespaces: '*' | readonly string[]
      readonly metadataOnly?: boolean
      readonly labelSelector?: string
      readonly fieldSelector?: string
    },
    tell: (change: { readonly object?: T; readonly old?: T }) => Change,
  ): Informer<T> {
    const { client, random, failing, silenceMs } = this.#options
    const listener: InformerListener<T> = {
      upsert: (object, old) => this.#tell(tell(old === undefined ? { object } : { object, old })),
      remove: (old) => this.#tell(tell({ old })),
      failing: (error) => failing(type, error),
    }
    const timing = { silenceMs }
    return new Informer<T>({ client, type, random, timing, strip: withoutNoise, ...selection }, listener)
  }

  #secretSelections(): readonly { readonly namespaces: '*' | readonly string[]; readonly fieldSelector?: string }[] {
    const { watched, namespace } = this.#options
    const all = { namespaces: watched }
    if (watched === '*' || watched.includes(namespace)) return [all]
    return [all, ...OWN_SECRETS.map((name) => ({ namespaces: [namespace], fieldSelector: `metadata.name=${name}` }))]
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change)
  }
}

const NOTHING_WATCHED = { get: () => undefined, position: undefined }

/** Objects by `namespace/name`. */
export interface Lookup {
  get(key: string): KubeObject | undefined
}

function firstOf(informers: readonly Informer<KubeObject>[], key: string): KubeObject | undefined {
  for (const informer of informers) {
    const found = informer.get(key)
    if (found !== undefined) return found
  }
  return undefined
}

/** In the installation's own namespace. */
const OWN_SECRETS = [CA_SECRET_NAME, NEXT_CA_SECRET_NAME, CONTROL_PLANE_TLS_NAME] as const

const MANAGED = `${MANAGED_BY}=${MANAGER}`
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** A whole copy of the object that nobody here reads. */
function withoutNoise<T extends KubeObject>(object: T): T {
  const { annotations } = object.metadata
  if (annotations?.[LAST_APPLIED] === undefined) return object
  const { [LAST_APPLIED]: _, ...kept } = annotations
  return { ...object, metadata: { ...object.metadata, annotations: kept } }
}
