import { decodeBody, resourceKindOf } from '@causeway/rpc'
import type { HeldResource } from './contract.ts'
import type { StoredResource } from './held-set.ts'

/** Why a resource cannot be put into force, before anybody tried. */
export interface NotDecoded {
  readonly reason: 'NotImplemented' | 'Malformed'
  readonly message: string
}

/**
 * A resource for the relay's rooms. What this version does not understand is refused, and not read as less than it says:
 * nothing opens because something was not understood (CONTROL section 3).
 */
export function decodeResource(stored: StoredResource): HeldResource | NotDecoded {
  const kind = resourceKindOf(stored.kind)
  if (kind === undefined) return notImplemented('this version of the relay does not know this kind of resource')
  const decoded = decodeBody(kind, stored.body)
  if (decoded === 'malformed') return { reason: 'Malformed', message: `the body is not a message of kind ${kind}` }
  if (decoded === 'unknownFields') return notImplemented('this version of the relay does not know all of its fields')
  return { ...decoded, name: stored.name, version: stored.version }
}

export function isDecoded(decoded: HeldResource | NotDecoded): decoded is HeldResource {
  return 'message' in decoded && 'kind' in decoded
}

function notImplemented(message: string): NotDecoded {
  return { reason: 'NotImplemented', message }
}
