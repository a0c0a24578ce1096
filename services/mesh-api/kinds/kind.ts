import type { z } from 'zod'
import type { Metadata } from './metadata.ts'

export const API_VERSION = 'mesh.causeway.dev/v1alpha1'

export type KindName = 'MeshRelay' | 'MeshPeer' | 'MeshBackend' | 'MeshRoute'

export interface Resource<Name extends KindName, Spec> {
  readonly apiVersion: typeof API_VERSION
  readonly kind: Name
  readonly metadata: Metadata
  readonly spec: Spec
}

/**
 * What a schema cannot say, written once as data (CONTROL section 1). The same rule becomes a CEL validation of the CRD:
 * its text stands beside `holds` from then on, with the same message and field path.
 */
export interface Rule<Object> {
  /** Stable, CamelCase. */
  readonly id: string
  /** What must be true, for the person who wrote the object. */
  readonly message: string
  /** Relative to the object, as in `spec.tls.caFile`. */
  readonly fieldPath: string
  readonly holds: (object: Object) => boolean
}

/** One kind: everything from which types, validation, CRD and reference documentation follow. */
export interface Kind<Name extends KindName, Schema extends z.ZodObject> {
  readonly name: Name
  readonly plural: string
  /** Prefixed, because `routes` and `peers` collide with other people's groups (CONTROL section 1). */
  readonly shortName: string
  readonly description: string
  readonly spec: Schema
  readonly rules: readonly Rule<Resource<Name, z.output<Schema>>>[]
}
