import type { KubeObject, ObjectMeta, ResourceType } from '@causeway/kube'
import { API_VERSION, IN_USE_FINALIZER, KIND_NAMES, KINDS, type KindName } from '@causeway/mesh-api'
import type { MeshStatus } from '../status/mesh-status.ts'

/** An object of the mesh as the API server has it: nothing of its spec is believed before it was validated. */
export interface MeshObject extends KubeObject {
  readonly metadata: PlacedMeta
  readonly spec?: unknown
  readonly status?: MeshStatus
}

/** Metadata of a stored object with a namespace. */
interface PlacedMeta extends ObjectMeta {
  readonly namespace: string
  readonly uid: string
  readonly resourceVersion: string
}

/** Another installation keeps away from what one has accepted (CONTROL section 1). */
export function isOurs({ status }: MeshObject, installation: string): boolean {
  return status?.controller === undefined || status.controller === installation
}

/**
 * Whether the operator does what an object says: it is ours, and in force. One that is held back is in force until it goes
 * (CONTROL section 6); not one whose dependents the garbage collector removes first.
 */
export function isManaged(object: MeshObject, installation: string): boolean {
  const { deletionTimestamp, finalizers = [] } = object.metadata
  const isHeld = finalizers.includes(IN_USE_FINALIZER) && !finalizers.includes('foregroundDeletion')
  return isOurs(object, installation) && (deletionTimestamp === undefined || isHeld)
}

export interface SecretObject extends KubeObject {
  readonly type?: string
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>
}

export interface ConfigMapObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
  /** Base64. */
  readonly binaryData?: Readonly<Record<string, string>>
}

/** Any object that the operator makes for a relay. */
export interface OwnedObject extends KubeObject {
  readonly spec?: unknown
  readonly status?: unknown
  readonly data?: unknown
}

const [MESH_GROUP = '', MESH_VERSION = ''] = API_VERSION.split('/')

export function meshType(kind: KindName): ResourceType<MeshObject> {
  return { group: MESH_GROUP, version: MESH_VERSION, plural: KINDS[kind].plural, kind, namespaced: true }
}

/** Kinds of which the operator has something to say. */
export const JUDGED_KINDS: readonly KindName[] = KIND_NAMES.filter((kind) =>
  KINDS[kind].conditions.some(({ writer }) => writer === 'operator'),
)

export const SECRETS: ResourceType<SecretObject> = core('secrets', 'Secret')
export const CONFIG_MAPS: ResourceType<ConfigMapObject> = core('configmaps', 'ConfigMap')
export const NAMESPACES: ResourceType = { ...core('namespaces', 'Namespace'), namespaced: false }
export const STATEFUL_SETS: ResourceType<OwnedObject> = {
  group: 'apps',
  version: 'v1',
  plural: 'statefulsets',
  kind: 'StatefulSet',
  namespaced: true,
}

/** What the operator makes for a relay and watches, except what is watched for its metadata only. */
export const OWNED_TYPES: readonly ResourceType<OwnedObject>[] = [
  core('serviceaccounts', 'ServiceAccount'),
  core('services', 'Service'),
  { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets', kind: 'PodDisruptionBudget', namespaced: true },
  { group: 'networking.k8s.io', version: 'v1', plural: 'networkpolicies', kind: 'NetworkPolicy', namespaced: true },
  core('configmaps', 'ConfigMap'),
  STATEFUL_SETS,
]

function core(plural: string, kind: string): ResourceType<KubeObject> {
  return { group: '', version: 'v1', plural, kind, namespaced: true }
}
