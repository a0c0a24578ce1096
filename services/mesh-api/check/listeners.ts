import type { Resources } from '../kinds/all-kinds.ts'
import type { FieldPath } from '../load/field-path.ts'
import type { Finding } from './finding.ts'
import { type ResourceIndex, referenceKey } from './index-of.ts'
import type { Place } from './places.ts'

/** What can only work through a listener, or with a key that lasts, finds it on every relay that it names. */
export function checkListeners(resources: Resources, index: ResourceIndex, place: Place): Finding[] {
  return [
    ...(place === 'files' ? resources.peers.flatMap((peer) => requireKeyFile(peer, index)) : []),
    ...resources.routes.flatMap((route) => requireListener(route, 'mcp', 'a route is served on it', index)),
    ...resources.peers
      .filter((peer) => peer.spec.dial === 'never')
      .flatMap((peer) => requireListener(peer, 'npamp', 'a peer with dial never can only connect to it', index)),
  ]
}

function requireKeyFile(object: Resources['peers'][number], index: ResourceIndex): Finding[] {
  return object.spec.relayRefs.flatMap(({ name }, position) => {
    const key = referenceKey(object, name)
    const relay = index.relays.get(key)
    if (relay === undefined || relay.spec.identity.keyFile !== undefined) return []
    const fieldPath: FieldPath = ['spec', 'relayRefs', position, 'name']
    const message = `MeshRelay ${key} has no identity.keyFile; a peer knows a relay by its key`
    return [{ id: 'KeyFileMissing', object, fieldPath, message }]
  })
}

function requireListener(
  object: Resources['routes'][number] | Resources['peers'][number],
  listener: 'mcp' | 'npamp',
  why: string,
  index: ResourceIndex,
): Finding[] {
  return object.spec.relayRefs.flatMap(({ name }, position) => {
    const key = referenceKey(object, name)
    const relay = index.relays.get(key)
    if (relay === undefined || relay.spec.listeners[listener] !== undefined) return []
    const fieldPath: FieldPath = ['spec', 'relayRefs', position, 'name']
    return [
      { id: 'ListenerMissing', object, fieldPath, message: `MeshRelay ${key} has no ${listener} listener; ${why}` },
    ]
  })
}
