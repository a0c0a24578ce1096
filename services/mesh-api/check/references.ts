import type { AnyResource, Resources } from '../kinds/all-kinds.ts'
import type { KindName } from '../kinds/kind.ts'
import type { MeshBackend } from '../kinds/mesh-backend.ts'
import type { MeshPeer } from '../kinds/mesh-peer.ts'
import type { MeshRoute } from '../kinds/mesh-route.ts'
import type { FieldPath } from '../load/field-path.ts'
import type { Finding } from './finding.ts'
import { declaredKey, keyOf, type ResourceIndex, referenceKey } from './index-of.ts'

type Bound = MeshPeer | MeshBackend | MeshRoute

/** Every reference names something that is there and that may be used from where it is named. */
export function checkReferences(resources: Resources, index: ResourceIndex): Finding[] {
  return [
    ...[...resources.peers, ...resources.backends, ...resources.routes].flatMap((object) => checkRelays(object, index)),
    ...resources.backends.flatMap((backend) => checkBackendPeers(backend, index)),
    ...resources.peers.flatMap((peer) => checkDefaultBackend(peer, index)),
    ...resources.routes.flatMap((route) => checkTarget(route, index)),
  ]
}

function checkRelays(object: Bound, index: ResourceIndex): Finding[] {
  return object.spec.relayRefs.flatMap(({ name }, position) => {
    const path = ['spec', 'relayRefs', position, 'name']
    return resolve(object, 'MeshRelay', index.relays, name, path, index).findings
  })
}

function checkBackendPeers(backend: MeshBackend, index: ResourceIndex): Finding[] {
  return backend.spec.peers.flatMap(({ name }, position) => {
    const path = ['spec', 'peers', position, 'name']
    const { found, findings } = resolve(backend, 'MeshPeer', index.peers, name, path, index)
    if (found === undefined || relayNames(found).some((relay) => relayNames(backend).includes(relay))) return findings
    return [notOnRelay(backend, path, `MeshPeer ${keyOf(found.metadata)} is on none of the relays of this backend`)]
  })
}

function checkDefaultBackend(peer: MeshPeer, index: ResourceIndex): Finding[] {
  if (peer.spec.defaultBackend === undefined) return []
  const path = ['spec', 'defaultBackend', 'name']
  const { found, findings } = resolve(peer, 'MeshBackend', index.backends, peer.spec.defaultBackend.name, path, index)
  if (found === undefined) return findings
  // CONTROL section 1: `peers` says who may reach a backend, and absent and ungranted read alike.
  if (!found.spec.peers.some(({ name }) => name === peer.metadata.name)) {
    return [notFound(peer, path, 'MeshBackend', keyOf(found.metadata))]
  }
  return missingRelays(peer, found, path, `MeshBackend ${keyOf(found.metadata)}`)
}

function checkTarget(route: MeshRoute, index: ResourceIndex): Finding[] {
  const { backendRef, peer } = route.spec.transparent?.target ?? {}
  const at = ['spec', 'transparent', 'target']
  if (backendRef !== undefined) {
    const path = [...at, 'backendRef', 'name']
    const { found, findings } = resolve(route, 'MeshBackend', index.backends, backendRef.name, path, index)
    return found === undefined ? findings : missingRelays(route, found, path, `MeshBackend ${keyOf(found.metadata)}`)
  }
  if (peer === undefined) return []
  const path = [...at, 'peer', 'name']
  const { found, findings } = resolve(route, 'MeshPeer', index.peers, peer.name, path, index)
  if (found === undefined) return findings
  const missing = missingRelays(route, found, path, `MeshPeer ${keyOf(found.metadata)}`)
  // CARRIAGE section 1: without RouteContext nobody can name a target.
  if (found.spec.assumedProtocols === undefined || peer.target === undefined) return missing
  const message = `MeshPeer ${keyOf(found.metadata)} has assumedProtocols and cannot be told a target; leave it out`
  return [...missing, { id: 'TargetNotNamed', object: route, fieldPath: [...at, 'peer', 'target'], message }]
}

function resolve<Found>(
  from: AnyResource,
  kind: KindName,
  among: ReadonlyMap<string, Found>,
  name: string,
  path: FieldPath,
  { declared }: ResourceIndex,
): { found: Found | undefined; findings: Finding[] } {
  const key = referenceKey(from, name)
  const found = among.get(key)
  const blameless = found !== undefined || declared.has(declaredKey(kind, key))
  return { found, findings: blameless ? [] : [notFound(from, path, kind, key)] }
}

/** What `user` uses must be on every relay that `user` is on. */
function missingRelays(user: Bound, used: Bound, path: FieldPath, what: string): Finding[] {
  return relayNames(user)
    .filter((relay) => !relayNames(used).includes(relay))
    .map((relay) => notOnRelay(user, path, `${what} is not on relay ${referenceKey(user, relay)}`))
}

function relayNames(object: Bound): readonly string[] {
  return object.spec.relayRefs.map(({ name }) => name)
}

function notFound(object: AnyResource, fieldPath: FieldPath, kind: KindName, key: string): Finding {
  return { id: 'NotFound', object, fieldPath, message: `not found or not permitted: ${kind} ${key}` }
}

function notOnRelay(object: AnyResource, fieldPath: FieldPath, message: string): Finding {
  return { id: 'NotOnRelay', object, fieldPath, message }
}
