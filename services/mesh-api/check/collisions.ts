import type { AnyResource, Resources } from '../kinds/all-kinds.ts'
import type { MeshBackend } from '../kinds/mesh-backend.ts'
import { wireNameOf } from '../kinds/mesh-backend.ts'
import type { MeshPeer } from '../kinds/mesh-peer.ts'
import type { MeshRoute } from '../kinds/mesh-route.ts'
import type { FieldPath } from '../load/field-path.ts'
import type { Finding } from './finding.ts'
import { keyOf, referenceKey } from './index-of.ts'

/**
 * What only one object of a relay may have: a wire name, a route's path, an identity. The earlier by namespace and name
 * has it (CONTROL section 1, never by time); lists are in that order.
 */
export function checkCollisions(resources: Resources): Finding[] {
  return [
    ...collisions(resources.backends, 'NameTaken', wireNames, (name) => `the wire name ${name}`),
    ...collisions(resources.routes, 'PathTaken', paths, (path) => `the path ${path}`),
    ...collisions(resources.peers, 'IdentityTaken', identities, (handle) =>
      handle === ANY ? 'acceptAny' : `the handle ${handle}`,
    ),
  ]
}

/** A value that must be unique on a relay, and where the object says it. */
interface Claim {
  readonly value: string
  readonly fieldPath: FieldPath
}

function wireNames(backend: MeshBackend): Claim[] {
  const fieldPath = backend.spec.meshName === undefined ? ['metadata', 'name'] : ['spec', 'meshName']
  return [{ value: wireNameOf(backend), fieldPath }]
}

function paths(route: MeshRoute): Claim[] {
  return [{ value: route.spec.path, fieldPath: ['spec', 'path'] }]
}

/** No handle: all of them, so there is one such peer at most. */
const ANY = '*'

function identities({ spec: { identity } }: MeshPeer): Claim[] {
  if (identity.acceptAny === true) return [{ value: ANY, fieldPath: ['spec', 'identity', 'acceptAny'] }]
  return (identity.handles ?? []).map((value, index) => ({ value, fieldPath: ['spec', 'identity', 'handles', index] }))
}

function collisions<Object extends MeshBackend | MeshPeer | MeshRoute>(
  objects: readonly Object[],
  id: Finding['id'],
  claimsOf: (object: Object) => readonly Claim[],
  describe: (value: string) => string,
): Finding[] {
  const owners = new Map<string, AnyResource>()
  const findings: Finding[] = []
  for (const object of objects) {
    for (const { value, fieldPath } of claimsOf(object)) {
      for (const { name } of object.spec.relayRefs) {
        const relay = referenceKey(object, name)
        const owner = owners.get(`${relay} ${value}`)
        if (owner === undefined) owners.set(`${relay} ${value}`, object)
        else if (owner !== object) {
          const message = `${describe(value)} is taken on relay ${relay} by ${owner.kind} ${keyOf(owner.metadata)}`
          findings.push({ id, object, fieldPath, message })
        }
      }
    }
  }
  return findings
}
