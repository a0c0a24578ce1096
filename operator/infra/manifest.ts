import type { OwnerReference } from '@causeway/kube'

/** What a builder makes: a Kubernetes object as it is sent to the API server, nothing in it that the API server adds. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ManifestMetadata
  readonly [field: string]: Json | ManifestMetadata
}

export interface ManifestMetadata {
  readonly name: string
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReference[]
}

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [name: string]: Json
}
