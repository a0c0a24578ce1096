import type { Resources } from '../kinds/all-kinds.ts'
import type { KindName } from '../kinds/kind.ts'
import type { MeshBackend } from '../kinds/mesh-backend.ts'
import type { MeshPeer } from '../kinds/mesh-peer.ts'
import type { MeshRelay } from '../kinds/mesh-relay.ts'
import type { Metadata } from '../kinds/metadata.ts'

/** Objects by `namespace/name`, and what else has been declared but is not valid, so that nobody blames its users. */
export interface ResourceIndex {
  readonly relays: ReadonlyMap<string, MeshRelay>
  readonly peers: ReadonlyMap<string, MeshPeer>
  readonly backends: ReadonlyMap<string, MeshBackend>
  /** `kind namespace/name`. */
  readonly declared: ReadonlySet<string>
}

export function indexOf(resources: Resources, declared: ReadonlySet<string>): ResourceIndex {
  return {
    relays: byKey(resources.relays),
    peers: byKey(resources.peers),
    backends: byKey(resources.backends),
    declared,
  }
}

export function keyOf(metadata: Metadata): string {
  return `${metadata.namespace}/${metadata.name}`
}

export function declaredKey(kind: KindName, key: string): string {
  return `${kind} ${key}`
}

/** Every name is looked up in the namespace of the object that refers. */
export function referenceKey(from: { readonly metadata: Metadata }, name: string): string {
  return `${from.metadata.namespace}/${name}`
}

function byKey<Object extends { metadata: Metadata }>(objects: readonly Object[]): Map<string, Object> {
  return new Map(objects.map((object) => [keyOf(object.metadata), object]))
}
