import type { Finding } from '../check/finding.ts'
import type { Labels } from '../check/grants.ts'
import { idOf, type ObjectId } from '../check/object-id.ts'
import type { AnyResource, Resources } from '../kinds/all-kinds.ts'
import type { MeshIndexOptions } from './contract.ts'
import { MeshIndex } from './mesh-index.ts'

export interface CheckOptions extends MeshIndexOptions {
  /** Objects that exist but are not valid by themselves: nobody is blamed for naming one. */
  readonly declared?: readonly ObjectId[]
  /** Labels by namespace. Without Kubernetes a namespace has only its name. */
  readonly namespaces?: ReadonlyMap<string, Labels>
}

/**
 * Judges a set of objects, each valid by itself, as a whole: references, grants, collisions (CONTROL section 4). Pure;
 * the files source refuses what it finds, an operator writes it into conditions.
 */
export function checkResources(resources: Resources, options: CheckOptions): readonly Finding[] {
  const index = indexOf(resources, options)
  return allOf(resources).flatMap((object) => index.findingsOf(idOf(object)))
}

/** An index of a whole set. */
export function indexOf(resources: Resources, { declared, namespaces, ...options }: CheckOptions): MeshIndex {
  const index = new MeshIndex(options)
  index.apply({
    upserts: allOf(resources),
    ...(declared === undefined ? {} : { declared }),
    namespaces: { upserts: [...(namespaces ?? [])].map(([name, labels]) => ({ name, labels })) },
  })
  return index
}

/** Every object of a set, kind after kind. */
export function allOf(resources: Resources): readonly AnyResource[] {
  return [
    ...resources.relays,
    ...resources.peers,
    ...resources.backends,
    ...resources.routes,
    ...resources.policies,
    ...resources.records,
    ...resources.cards,
    ...resources.anchors,
    ...resources.approvals,
    ...resources.accessKeys,
  ]
}
