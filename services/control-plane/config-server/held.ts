import { KIND_NAMES } from '@causeway/mesh-api'
import { type Hello, resourceKindOf } from '@causeway/rpc'
import { type ObjectKey, resourceKey } from '../snapshot/object-key.ts'
import { hexOf } from '../snapshot/resource.ts'
import type { Position } from '../sources/source.ts'

/** Resource -> version in hexadecimal, as an instance said it in its Hello. Kinds that are not known here are left out. */
export function heldBy({ held }: Hello): Map<ObjectKey, string> {
  const versions = new Map<ObjectKey, string>()
  for (const { kind, name, version } of held) {
    const known = resourceKindOf(kind)
    if (known !== undefined)
      versions.set(resourceKey(known, name), version.length === DIGEST_OCTETS ? hexOf(version) : '')
  }
  return versions
}

/** How much room names take that only the instance says: those of `held` that its relay is not to have. */
export function foreignOctets(held: ReadonlyMap<ObjectKey, string>, snapshot: ReadonlyMap<ObjectKey, unknown>): number {
  let octets = 0
  for (const key of held.keys()) if (!snapshot.has(key)) octets += key.length + OCTETS_BESIDE
  return octets
}

const DIGEST_OCTETS = 32
/** Of an entry besides its name. */
const OCTETS_BESIDE = 2 * DIGEST_OCTETS

/** Kind -> up to where an instance has seen it. Kinds that are not known here are left out. */
export function positionsOf({ positions }: Pick<Hello, 'positions'>): Map<string, Position> {
  const seen = new Map<string, Position>()
  for (const { kind, position } of positions) {
    if (position !== undefined && KNOWN.has(kind)) seen.set(kind, position)
  }
  return seen
}

const KNOWN: ReadonlySet<string> = new Set(KIND_NAMES)

/** Why an instance does not take a resource. */
export interface RefusedResource {
  readonly versionHex: string
  readonly reason: string
  readonly fieldPath: string
  readonly message: string
}
