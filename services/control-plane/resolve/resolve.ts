import { notImplemented } from '@causeway/mesh-api'
import type { Ir } from '../ir/ir.ts'
import type { SourceObject } from '../sources/source.ts'
import { resolveBackend } from './backend.ts'
import type { Lookup } from './lookup.ts'
import { resolvePeer } from './peer.ts'
import { resolveRelay } from './relay.ts'
import { resolveRoute } from './route.ts'
import { notImplementedYet, Withheld } from './withheld.ts'

export type Resolved =
  | { readonly ir: Ir }
  | { readonly withheld: Withheld }
  /** Of a kind that relays are not sent. */
  | 'not delivered'

/**
 * An object that is valid and accepted, as relays need it. Pure: everything that it depends on comes by the arguments, and
 * whoever keeps an answer asks again when the object or what `lookup` says changes.
 */
export function resolve(object: SourceObject, lookup: Lookup): Resolved {
  try {
    const [fieldPath] = notImplemented(object.resource)
    if (fieldPath !== undefined) throw notImplementedYet(fieldPath)
    const ir = irOf(object, lookup)
    return ir === undefined ? 'not delivered' : { ir }
  } catch (error) {
    if (error instanceof Withheld) return { withheld: error }
    throw error
  }
}

function irOf(object: SourceObject, lookup: Lookup): Ir | undefined {
  const { resource, status } = object
  switch (resource.kind) {
    case 'MeshRelay':
      return resolveRelay(resource, object)
    case 'MeshPeer':
      return resolvePeer(resource, status, lookup)
    case 'MeshBackend':
      return resolveBackend(resource, status)
    case 'MeshRoute':
      return resolveRoute(resource)
    default:
      return undefined
  }
}
