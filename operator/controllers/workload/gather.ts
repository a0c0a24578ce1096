import type { KubeObject, ResourceType } from '@causeway/kube'
import type { Manifest } from '../../infra/manifest.ts'
import { OWNED_TYPES, type OwnedObject } from '../../world/resource-types.ts'
import type { StatefulSetFacts } from './decide-ready.ts'

/** The type of a manifest's kind. Throws TypeError for a kind that the operator does not make. */
export function typeOf({ kind }: Pick<Manifest, 'kind'>): ResourceType<OwnedObject> {
  const found = OWNED_TYPES.find((type) => type.kind === kind)
  if (found === undefined) throw new TypeError(`no objects of kind ${kind} are made here`)
  return found
}

/** Whose an object of our name is. `former`: of a MeshRelay of this name that was deleted. */
export function belongsTo(found: KubeObject, relay: { readonly name: string; readonly uid: string }) {
  const owners = found.metadata.ownerReferences ?? []
  if (owners.some(({ uid }) => uid === relay.uid)) return 'us'
  return owners.some(({ kind, name }) => kind === 'MeshRelay' && name === relay.name) ? 'former' : 'others'
}

export function statefulSetFacts({ metadata, spec, status }: OwnedObject): StatefulSetFacts {
  const wanted = (spec as { replicas?: number } | undefined)?.replicas ?? 1
  const found = (status ?? {}) as {
    readonly observedGeneration?: number
    readonly readyReplicas?: number
    readonly updatedReplicas?: number
    readonly currentRevision?: string
    readonly updateRevision?: string
  }
  const updatedReplicas = found.updatedReplicas ?? 0
  return {
    generation: metadata.generation ?? 0,
    observedGeneration: found.observedGeneration ?? 0,
    replicas: wanted,
    readyReplicas: found.readyReplicas ?? 0,
    updatedReplicas,
    isUpdated: found.currentRevision === found.updateRevision || updatedReplicas >= wanted,
  }
}
