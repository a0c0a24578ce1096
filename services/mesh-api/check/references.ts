import type { AnyResource } from '../kinds/all-kinds.ts'
import type { MeshBackend } from '../kinds/mesh-backend.ts'
import type { MeshPeer } from '../kinds/mesh-peer.ts'
import type { MeshRoute } from '../kinds/mesh-route.ts'
import type { FieldPath } from '../load/field-path.ts'
import type { Finding } from './finding.ts'
import { idOf, nameOf, type ObjectId, referredName } from './object-id.ts'
import { referencesOf, targetsOf } from './references-of.ts'
import { isBlameless, isOn, permitted, relayNamesOf, type Surroundings } from './surroundings.ts'

/** Every reference of an object names something that is there and that may be used from where it is named. */
export function checkReferences(object: AnyResource, surroundings: Surroundings): Finding[] {
  const { namespace } = object.metadata
  const missing = referencesOf(object).flatMap(({ to, fieldPath }) => {
    const isFine =
      permitted(surroundings, to.kind, to.name, namespace) !== undefined || isBlameless(surroundings, to, namespace)
    return isFine ? [] : [notFound(object, fieldPath, to)]
  })
  return [...missing, ...checkUse(object, surroundings)]
}

/** What is there and may be named must also be where it is needed. */
function checkUse(object: AnyResource, surroundings: Surroundings): Finding[] {
  switch (object.kind) {
    case 'MeshBackend':
      return checkBackendPeers(object, surroundings)
    case 'MeshPeer':
      return [...checkDefaultBackend(object, surroundings), ...checkAnchor(object, surroundings)]
    case 'MeshRoute':
      return checkTargets(object, surroundings)
    default:
      return []
  }
}

function checkBackendPeers(backend: MeshBackend, surroundings: Surroundings): Finding[] {
  return backend.spec.peers.flatMap((reference, index) => {
    const peer = permitted(surroundings, 'MeshPeer', referredName(backend, reference), backend.metadata.namespace)
    if (peer === undefined || relayNamesOf(backend).some((relay) => isOn(surroundings, peer, relay, backend))) return []
    const message = `MeshPeer ${nameOf(peer.metadata)} is on none of the relays of this backend`
    return [notOnRelay(backend, ['spec', 'peers', index, 'name'], message)]
  })
}

function checkDefaultBackend(peer: MeshPeer, surroundings: Surroundings): Finding[] {
  if (peer.spec.defaultBackend === undefined) return []
  const fieldPath = ['spec', 'defaultBackend', 'name']
  const name = referredName(peer, peer.spec.defaultBackend)
  const backend = permitted(surroundings, 'MeshBackend', name, peer.metadata.namespace)
  if (backend === undefined) return []
  const own = nameOf(peer.metadata)
  // CONTROL section 1: `peers` says who may reach a backend, and absent and ungranted read alike.
  if (!backend.spec.peers.some((reference) => referredName(backend, reference) === own)) {
    return [notFound(peer, fieldPath, idOf(backend))]
  }
  return missingRelays(peer, backend, fieldPath, surroundings)
}

function checkAnchor(peer: MeshPeer, surroundings: Surroundings): Finding[] {
  if (peer.spec.trustAnchorRef === undefined) return []
  const name = referredName(peer, peer.spec.trustAnchorRef)
  const anchor = permitted(surroundings, 'TrustAnchor', name, peer.metadata.namespace)
  if (anchor === undefined || anchor.spec.uses.includes('peers')) return []
  const message = `TrustAnchor ${name} is not trusted for peers: its uses do not name them`
  return [{ id: 'AnchorNotForThis', object: peer, fieldPath: ['spec', 'trustAnchorRef', 'name'], message }]
}

function checkTargets(route: MeshRoute, surroundings: Surroundings): Finding[] {
  const { namespace } = route.metadata
  return targetsOf(route).flatMap(({ target: { backendRef, peer: peerRef }, at }) => {
    if (backendRef !== undefined) {
      const backend = permitted(surroundings, 'MeshBackend', referredName(route, backendRef), namespace)
      const fieldPath = ['spec', ...at, 'backendRef', 'name']
      return backend === undefined ? [] : missingRelays(route, backend, fieldPath, surroundings)
    }
    if (peerRef === undefined) return []
    const peer = permitted(surroundings, 'MeshPeer', referredName(route, peerRef), namespace)
    if (peer === undefined) return []
    const missing = missingRelays(route, peer, ['spec', ...at, 'peer', 'name'], surroundings)
    // CARRIAGE section 1: without RouteContext nobody can name a target.
    if (peer.spec.assumedProtocols === undefined || peerRef.target === undefined) return missing
    const message = `MeshPeer ${nameOf(peer.metadata)} has assumedProtocols and cannot be told a target; leave it out`
    return [...missing, { id: 'TargetNotNamed', object: route, fieldPath: ['spec', ...at, 'peer', 'target'], message }]
  })
}

/** What `user` uses must be on every relay that `user` is on. */
function missingRelays(
  user: AnyResource,
  used: MeshBackend | MeshPeer,
  fieldPath: FieldPath,
  surroundings: Surroundings,
): Finding[] {
  return relayNamesOf(user)
    .filter((relay) => !isOn(surroundings, used, relay, user))
    .map((relay) => notOnRelay(user, fieldPath, `${used.kind} ${nameOf(used.metadata)} is not on relay ${relay}`))
}

function notFound(object: AnyResource, fieldPath: FieldPath, { kind, name }: ObjectId): Finding {
  return { id: 'NotFound', object, fieldPath, message: `not found or not permitted: ${kind} ${name}` }
}

function notOnRelay(object: AnyResource, fieldPath: FieldPath, message: string): Finding {
  return { id: 'NotOnRelay', object, fieldPath, message }
}
