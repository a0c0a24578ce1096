import {
  type Informer,
  type KubeClient,
  type KubeObject,
  keyOf,
  type ObjectRef,
  type ResourceType,
} from '@causeway/kube'

export interface DataMemoOptions<T extends KubeObject, V> {
  readonly client: Pick<KubeClient, 'find'>
  readonly type: ResourceType<T>
  /** Metadata of all objects of the type. */
  readonly metadata: Pick<Informer<KubeObject>, 'get'>
  /** What is kept of an object: never its values. */
  readonly read: (object: T) => V
}

/**
 * What was read from objects that are watched by their metadata only: one `get` for each version of an object (CONTROL
 * section 5). Values themselves are not kept.
 */
export class DataMemo<T extends KubeObject, V> {
  readonly #options: DataMemoOptions<T, V>
  readonly #known = new Map<string, Known<V>>()

  constructor(options: DataMemoOptions<T, V>) {
    this.#options = options
  }

  /** Undefined: there is no such object, as far as the watch has told. */
  async read(ref: ObjectRef): Promise<V | undefined> {
    const key = keyOf(ref)
    const metadata = this.#options.metadata.get(key)?.metadata
    const known = this.#known.get(key)
    if (metadata === undefined) {
      this.#known.delete(key)
      return undefined
    }
    const { uid, resourceVersion: told } = metadata
    // What we wrote or read ourselves is known before the watch tells it. Versions are compared for equality only: where an
    // API server was restored, smaller ones are newer.
    if (known !== undefined && known.uid === uid && (known.version === told || known.told === told)) return known.value
    return this.readLive(ref)
  }

  /** Asks the API server in any case: for who is about to write. */
  async readLive(ref: ObjectRef): Promise<V | undefined> {
    const object = await this.#options.client.find(this.#options.type, ref)
    if (object !== undefined) return this.learn(object)
    this.#known.delete(keyOf(ref))
    return undefined
  }

  /** An object as the API server answered it. */
  learn(object: T): V {
    const { uid = '', resourceVersion } = object.metadata
    const value = this.#options.read(object)
    const key = keyOf(object.metadata)
    const told = this.#options.metadata.get(key)?.metadata.resourceVersion
    this.#known.set(key, { uid, version: resourceVersion, told, value })
    return value
  }
}

interface Known<V> {
  readonly uid: string
  readonly version: string | undefined
  /** What the watch had told when this was learned. */
  readonly told: string | undefined
  readonly value: V
}
