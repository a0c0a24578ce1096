import { keyOf, type ObjectMeta } from '@causeway/kube'
import { RELAY_LABEL } from '@causeway/mesh-api'

/**
 * `namespace/name` of the MeshRelay that a Secret was made for; undefined: it has not the name that it would have. Its owner
 * says so, or where that is lost its label, which has no room for a long name.
 */
export function relayOf(
  { name, namespace = '', labels, ownerReferences = [] }: ObjectMeta,
  nameFor: (relay: string) => string,
): string | undefined {
  const owners = ownerReferences.flatMap((owner) => (owner.kind === 'MeshRelay' ? [owner.name] : []))
  const relay = [...owners, labels?.[RELAY_LABEL] ?? ''].find((one) => nameFor(one) === name)
  return relay === undefined ? undefined : keyOf({ namespace, name: relay })
}
