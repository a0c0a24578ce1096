import type { KubeObject, ResourceType } from '@causeway/kube'
import { API_VERSION, KINDS, type KindName } from '@causeway/mesh-api'

export const [MESH_GROUP = '', MESH_VERSION = ''] = API_VERSION.split('/')

/** One of our kinds as the API server calls it. */
export function meshType<T extends KubeObject = KubeObject>(kind: KindName): ResourceType<T> {
  return { group: MESH_GROUP, version: MESH_VERSION, kind, plural: KINDS[kind].plural, namespaced: true }
}
