import type { ResourceType } from '@causeway/kube'
import { API_VERSION } from '@causeway/mesh-api'

/** CONTROL section 6: the kinds that the operator holds back while somebody uses them. */
export const HELD_TYPES: readonly ResourceType[] = [
  heldType('MeshRelay', 'meshrelays'),
  heldType('MeshPeer', 'meshpeers'),
  heldType('MeshBackend', 'meshbackends'),
  heldType('TrustAnchor', 'trustanchors'),
]

function heldType(kind: string, plural: string): ResourceType {
  const [group = '', version = ''] = API_VERSION.split('/')
  return { group, version, kind, plural, namespaced: true }
}
