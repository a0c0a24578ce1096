import type { KindName } from '@causeway/mesh-api'
import { objectKindOf, RESOURCE_KINDS, type ResourceKindName } from '@causeway/rpc'

/** `MeshRoute namespace/name`: an object, and the resource that is made of it. */
export type ObjectKey = string

export function objectKey(kind: string, name: string): ObjectKey {
  return `${kind} ${name}`
}

export function resourceKey(kind: ResourceKindName, name: string): ObjectKey {
  return objectKey(objectKindOf(kind), name)
}

export function relayKey(name: string): ObjectKey {
  return objectKey('MeshRelay', name)
}

/** What `objectKey` was made of. */
export function objectIdOf(key: ObjectKey): { readonly kind: KindName; readonly name: string } {
  const blank = key.indexOf(' ')
  return { kind: key.slice(0, blank) as KindName, name: key.slice(blank + 1) }
}

/** What `resourceKey` was made of. Undefined: relays are sent no resources of this kind. */
export function resourceIdOf(key: ObjectKey): { readonly kind: ResourceKindName; readonly name: string } | undefined {
  const { kind, name } = objectIdOf(key)
  const resourceKind = BY_OBJECT_KIND.get(kind)
  return resourceKind === undefined ? undefined : { kind: resourceKind, name }
}

const BY_OBJECT_KIND: ReadonlyMap<string, ResourceKindName> = new Map(
  (Object.keys(RESOURCE_KINDS) as ResourceKindName[]).map((kind) => [objectKindOf(kind), kind]),
)
