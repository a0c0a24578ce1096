/** The metadata that this package and its callers look at; whatever else the API server sends stays where it is. */
export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly ManagedFieldsEntry[]
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

export interface ManagedFieldsEntry {
  readonly manager?: string
  readonly operation?: string
  readonly apiVersion?: string
  readonly time?: string
  readonly fieldsType?: string
  readonly fieldsV1?: unknown
  readonly subresource?: string
}

export interface KubeObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
}

/** Which object of a type; `namespace` is left out for types that have none. */
export interface ObjectRef {
  readonly name: string
  readonly namespace?: string
}

/**
 * How a type of object is reached. `T` is what its objects look like: the API server vouches for it, this package does
 * not check it.
 */
export interface ResourceType<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  /** Only a type; no value has it. */
  readonly objects?: (object: T) => void
}

/** `apiVersion` as objects of the type carry it. */
export function apiVersionOf(type: ResourceType<never>): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`
}

/** `namespace/name`, and `/name` for an object without a namespace: the key of stores and queues. */
export function keyOf(ref: ObjectRef): string {
  return `${ref.namespace ?? ''}/${ref.name}`
}

/** The reference that `keyOf` made into a key. */
export function refOf(key: string): ObjectRef {
  const slash = key.indexOf('/')
  const name = key.slice(slash + 1)
  return slash === 0 ? { name } : { namespace: key.slice(0, slash), name }
}
