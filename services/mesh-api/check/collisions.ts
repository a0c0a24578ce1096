import type { AnyResource } from '../kinds/all-kinds.ts'
import { wireNameOf } from '../kinds/mesh-backend.ts'
import type { MeshPeer } from '../kinds/mesh-peer.ts'
import type { FieldPath } from '../load/field-path.ts'
import type { Finding } from './finding.ts'
import { nameOf, referredName } from './object-id.ts'
import { boundRelays, type Surroundings } from './surroundings.ts'

/** A value that only one object of a relay may have, and where the object says it. */
export interface Claim {
  readonly id: 'NameTaken' | 'PathTaken' | 'IdentityTaken'
  readonly value: string
  readonly fieldPath: FieldPath
  /** What it is, in a sentence. */
  readonly words: string
}

/** A wire name, a route's path, an identity. */
export function claimsOf(object: AnyResource): readonly Claim[] {
  switch (object.kind) {
    case 'MeshBackend': {
      const fieldPath = object.spec.meshName === undefined ? ['metadata', 'name'] : ['spec', 'meshName']
      const value = wireNameOf(object)
      return [{ id: 'NameTaken', value, fieldPath, words: `the wire name ${value}` }]
    }
    case 'MeshRoute': {
      const value = object.spec.path
      return [{ id: 'PathTaken', value, fieldPath: ['spec', 'path'], words: `the path ${value}` }]
    }
    case 'MeshPeer':
      return identitiesOf(object)
    default:
      return []
  }
}

function identitiesOf(peer: MeshPeer): Claim[] {
  const { identity, identityFrom, trustAnchorRef } = peer.spec
  const claim = (value: string, words: string, ...at: FieldPath): Claim => ({
    id: 'IdentityTaken',
    value,
    fieldPath: ['spec', ...at],
    words,
  })
  // No handle: all of them, so there is one such peer at most.
  if (identity.acceptAny === true) return [claim('*', 'acceptAny', 'identity', 'acceptAny')]
  if (identityFrom !== undefined) {
    const name = referredName(peer, identityFrom.relayRef)
    return [claim(`MeshRelay ${name}`, `the identity of MeshRelay ${name}`, 'identityFrom', 'relayRef', 'name')]
  }
  if (trustAnchorRef !== undefined) {
    const name = referredName(peer, trustAnchorRef)
    return [claim(`TrustAnchor ${name}`, `TrustAnchor ${name}`, 'trustAnchorRef', 'name')]
  }
  return (identity.handles ?? []).map((value, index) =>
    claim(value, `the handle ${value}`, 'identity', 'handles', index),
  )
}

/** A claim on one relay as one word. */
export function claimKey({ id, value }: Claim, relay: string): string {
  return `${relay} ${id} ${value}`
}

/**
 * Claims of an object that another has: the earlier by namespace and name (CONTROL section 1, never by time). Only on
 * relays that permit the object: nobody keeps a name from others by asking for it where he has no business.
 */
export function checkCollisions(object: AnyResource, surroundings: Surroundings): Finding[] {
  const own = nameOf(object.metadata)
  const relays = boundRelays(surroundings, object)
  return claimsOf(object).flatMap((claim) =>
    relays.flatMap((relay): Finding[] => {
      const owner = surroundings.ownerOf(claimKey(claim, relay))
      if (owner === undefined || owner === own) return []
      const message = `${claim.words} is taken on relay ${relay} by ${object.kind} ${owner}`
      return [{ id: claim.id, object, fieldPath: claim.fieldPath, message }]
    }),
  )
}
