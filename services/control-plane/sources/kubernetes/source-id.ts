import type { KubeClient, KubeObject, ResourceType } from '@causeway/kube'
import { KubeError } from '@causeway/kube'

export interface NamespaceObject extends KubeObject {}

export const NAMESPACES: ResourceType<NamespaceObject> = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
}

/**
 * Which source this is: the UID of kube-system, which a cluster keeps for life and no other has (CONTROL section 3).
 * @returns 16 octets
 * @throws {KubeError}
 */
export async function readSourceId(client: KubeClient, signal: AbortSignal): Promise<Uint8Array> {
  const { metadata } = await client.get(NAMESPACES, { name: 'kube-system' }, { signal })
  const hex = (metadata.uid ?? '').replaceAll('-', '')
  if (!/^[0-9a-f]{32}$/.test(hex)) throw new KubeError('BadResponse', 'the UID of namespace kube-system is no UUID')
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}
