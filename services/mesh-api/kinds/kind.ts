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

/** What a schema cannot say, as data. */
export interface LocalRule<Object> {
  /** Stable, CamelCase. */
  readonly id: string
  /** What must be true, for the person who wrote the object. */
  readonly message: string
  /** Relative to the object, as in `spec.tls.caFile`. */
  readonly fieldPath: string
  readonly holds: (object: Object) => boolean
}

/** A rule of a kind (CONTROL section 1): written once, with the means by which an API server enforces the same. */
export interface Rule<Object> extends LocalRule<Object> {
  readonly cluster: ClusterRule
}

/**
 * `cel`: an expression of standard CEL without the libraries of Kubernetes, which is true when the rule holds; it becomes a
 * validation with the rule's message and field path. `self` is the spec, so that an object whose spec nobody touches can
 * still get status and lose its finalizer under a rule that came later; with `self: 'object'` it is the whole object.
 * `listType`: the list at `fieldPath` has no equal entries, which its schema says (`fields/list-types.ts`): the same in CEL
 * costs the square of the list's bound.
 */
type ClusterRule =
  | { readonly cel: string; readonly self?: 'object'; readonly listType?: 'set' | 'map' }
  | { readonly cel?: undefined; readonly self?: undefined; readonly listType: 'set' | 'map' }

/** One condition of a kind. Every condition has exactly one writer. */
export interface ConditionType {
  readonly type: string
  readonly writer: 'operator' | 'control plane'
  /** What True says. */
  readonly says: string
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'date'
  readonly description: string
  readonly jsonPath: string
  /** 1: only with `-o wide`. */
  readonly priority?: 1
}

/** One kind: everything from which types, validation, CRD and reference documentation follow. */
export interface Kind<Name extends KindName, Schema extends z.ZodObject> {
  readonly name: Name
  readonly plural: string
  /** Prefixed, because `routes` and `peers` collide with other people's groups (CONTROL section 1). */
  readonly shortName: string
  readonly description: string
  readonly spec: Schema
  readonly status: z.ZodObject
  readonly conditions: readonly ConditionType[]
  readonly columns: readonly PrinterColumn[]
  readonly rules: readonly Rule<Resource<Name, z.output<Schema>>>[]
}
