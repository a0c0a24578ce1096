import { keyOf } from '@causeway/kube'
import { type AnyResource, type KindName, type Validated, validateObject } from '@causeway/mesh-api'
import type { MeshObject } from './resource-types.ts'

/**
 * What each stored object says, after validation: once for each generation of it. The API server validates too, but what is
 * stored may be older than the schema (CONTROL section 1).
 */
export class MeshView {
  readonly #known = new Map<string, { readonly uid: string; readonly generation: number; readonly result: Validated }>()

  read(kind: KindName, object: MeshObject): Validated {
    const key = `${kind} ${keyOf(object.metadata)}`
    const { uid, generation = 0 } = object.metadata
    const known = this.#known.get(key)
    if (known !== undefined && known.uid === uid && known.generation === generation) return known.result
    const result = validateObject(kind, plainOf(kind, object))
    this.#known.set(key, { uid, generation, result })
    return result
  }

  /** Undefined when what is stored is not valid. */
  valid<Name extends KindName>(kind: Name, object: MeshObject): Extract<AnyResource, { kind: Name }> | undefined {
    const result = this.read(kind, object)
    return 'resource' in result && result.resource.kind === kind
      ? (result.resource as Extract<AnyResource, { kind: Name }>)
      : undefined
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
