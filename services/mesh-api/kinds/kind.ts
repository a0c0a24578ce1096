import type { z } from 'zod'
import type { Metadata } from './metadata.ts'

export const API_VERSION = 'mesh.causeway.dev/v1alpha1'

export type KindName =
  | 'MeshRelay'
  | 'MeshPeer'
  | 'MeshBackend'
  | 'MeshRoute'
  | 'SafetyPolicy'
  | 'DiscoveryRecord'
  | 'AgentCard'
  | 'TrustAnchor'
  | 'ApprovalRequest'
  | 'AccessKey'

export interface Resource<Name extends KindName, Spec> {
  readonly apiVersion: typeof API_VERSION
  readonly kind: Name
  readonly metadata: Metadata
  readonly spec: Spec
}

/**
 * What a schema cannot say, written once (CONTROL section 1): an API server runs the expression as a validation of the
 * CRD, files and command line run the same expression.
 */
export interface Rule {
  /** Stable, CamelCase. */
  readonly id: string
  /** What must be true, for the person who wrote the object. */
  readonly message: string
  /** The field that the message is about, as in `spec.tls.caFile`; it begins with `at`. */
  readonly fieldPath: string
  /**
   * Standard CEL without the libraries of Kubernetes, true when the rule holds. With `oldSelf` it is a rule about
   * changes, and says nothing of an object by itself.
   */
  readonly cel: string
  /**
   * What `self` is: `spec` (the default, so that an object whose spec nobody touches can still get status and lose its
   * finalizer under a rule that came later), `object` for all of it, or a part of the spec such as `spec.rules[]`, for
   * each entry by itself.
   */
  readonly at?: 'object' | `spec.${string}`
}

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
  readonly rules: readonly Rule[]
}
