import type { AnyResource, Finding } from '@causeway/mesh-api'
import type { ObjectKey } from '../snapshot/object-key.ts'
import type { NamespaceChange } from '../sources/source.ts'

/**
 * Judges objects by what stands, or does not stand, in others: references, grants, collisions (CONTROL section 4). The
 * verdicts are those of mesh-api, whoever asks for them.
 */
export interface Judge {
  /** Takes a change, and answers whose findings are different now; of objects that are gone, none. */
  update(change: JudgedChange): ReadonlySet<ObjectKey>
  /** Empty: accepted. */
  findings(key: ObjectKey): readonly Finding[]
}

export interface JudgedChange {
  readonly upserts: readonly AnyResource[]
  readonly removals: readonly ObjectKey[]
  /** Objects that are there and of which no valid version is known: nobody is blamed for naming one. */
  readonly declared: readonly ObjectKey[]
  readonly namespaces: NamespaceChange | undefined
}
