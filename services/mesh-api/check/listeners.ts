import type { AnyResource } from '../kinds/all-kinds.ts'
import type { MeshRelay } from '../kinds/mesh-relay.ts'
import type { Finding } from './finding.ts'
import { nameOf, referredName } from './object-id.ts'
import { relayRefsOf } from './references-of.ts'
import { permitted, type Surroundings } from './surroundings.ts'

/** What can only work through a listener, or with a key that lasts, finds it on every relay that it names. */
export function checkListeners(object: AnyResource, surroundings: Surroundings): Finding[] {
  const { place } = surroundings
  switch (object.kind) {
    case 'MeshRoute':
      return onEachRelay(object, surroundings, (relay) => withoutListener(relay, 'mcp', 'a route is served on it'))
    case 'MeshPeer':
      return [
        ...(place === 'files' ? onEachRelay(object, surroundings, withoutKey) : []),
        ...(place === 'files' ? followsKey(object, surroundings) : []),
        ...(object.spec.dial === 'never'
          ? onEachRelay(object, surroundings, (relay) =>
              withoutListener(relay, 'npamp', 'a peer with dial never can only connect to it'),
            )
          : []),
      ]
    default:
      return []
  }
}

type Lack = Pick<Finding, 'id' | 'message'> | undefined

function withoutListener(relay: MeshRelay, listener: 'mcp' | 'npamp', why: string): Lack {
  if (relay.spec.listeners[listener] !== undefined) return undefined
  return { id: 'ListenerMissing', message: `MeshRelay ${nameOf(relay.metadata)} has no ${listener} listener; ${why}` }
}

/** On a cluster every relay has a key. */
function withoutKey(relay: MeshRelay): Lack {
  if (relay.spec.identity.keyFile !== undefined) return undefined
  const message = `MeshRelay ${nameOf(relay.metadata)} has no identity.keyFile; a peer knows a relay by its key`
  return { id: 'KeyFileMissing', message }
}

function followsKey(object: Extract<AnyResource, { kind: 'MeshPeer' }>, surroundings: Surroundings): Finding[] {
  const { identityFrom } = object.spec
  if (identityFrom === undefined) return []
  const name = referredName(object, identityFrom.relayRef)
  const relay = permitted(surroundings, 'MeshRelay', name, object.metadata.namespace)
  const lack = relay && withoutKey(relay)
  return lack === undefined ? [] : [{ ...lack, object, fieldPath: ['spec', 'identityFrom', 'relayRef', 'name'] }]
}

function onEachRelay(object: AnyResource, surroundings: Surroundings, lackOf: (relay: MeshRelay) => Lack): Finding[] {
  return (relayRefsOf(object) ?? []).flatMap((reference, index) => {
    const name = referredName(object, reference)
    const relay = permitted(surroundings, 'MeshRelay', name, object.metadata.namespace)
    const lack = relay && lackOf(relay)
    return lack === undefined ? [] : [{ ...lack, object, fieldPath: ['spec', 'relayRefs', index, 'name'] }]
  })
}
