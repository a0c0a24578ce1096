import { keyOf } from '@causeway/kube'
import { type KindName, type ResourceOf, type Validated, validateObject } from '@causeway/mesh-api'
import type { MeshObject } from './resource-types.ts'

/**
 * What each stored object says, after validation: once for each version of what a person writes of it. The API server validates too, but what is
 * stored may be older than the schema (CONTROL section 1).
 */
export class MeshView {
  readonly #known = new Map<string, { readonly version: string; readonly result: Validated }>()

  read(kind: KindName, object: MeshObject): Validated {
    const key = `${kind} ${keyOf(object.metadata)}`
    const { uid, generation = 0, labels = {} } = object.metadata
    // Policies select by labels, which are no part of a generation.
    const version = JSON.stringify([uid, generation, labels])
    const known = this.#known.get(key)
    if (known?.version === version) return known.result
    const result = validateObject(kind, plainOf(kind, object))
    this.#known.set(key, { version, result })
    return result
  }

  /** Undefined when what is stored is not valid. */
  valid<Name extends KindName>(kind: Name, object: MeshObject): ResourceOf<Name> | undefined {
    const result = this.read(kind, object)
    return 'resource' in result && result.resource.kind === kind ? (result.resource as ResourceOf<Name>) : undefined
  }

  forget(kind: KindName, object: MeshObject): void {
    this.#known.delete(`${kind} ${keyOf(object.metadata)}`)
  }
}

/** The object as a person writes it: status and what the API server adds left out. */
function plainOf(kind: KindName, { apiVersion, metadata, spec }: MeshObject): unknown {
  const { name, namespace, labels = {} } = metadata
  return { apiVersion, kind, metadata: { name, namespace, labels, annotations: {} }, spec }
}
