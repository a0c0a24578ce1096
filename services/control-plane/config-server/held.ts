import { type Hello, resourceKindOf } from '@causeway/rpc'
import { type ObjectKey, resourceKey } from '../snapshot/object-key.ts'
import { hexOf } from '../snapshot/resource.ts'
import type { Position } from '../sources/source.ts'

/** Resource -> version in hexadecimal, as an instance said it in its Hello. Kinds that are not known here are left out. */
export function heldBy({ held }: Hello): Map<ObjectKey, string> {
  const versions = new Map<ObjectKey, string>()
  for (const { kind, name, version } of held) {
    const known = resourceKindOf(kind)
    if (known !== undefined) versions.set(resourceKey(known, name), hexOf(version))
  }
  return versions
}

/** Kind -> up to where an instance has seen it. */
export function positionsOf({ positions }: Pick<Hello, 'positions'>): Map<string, Position> {
  const seen = new Map<string, Position>()
  for (const { kind, position } of positions) if (position !== undefined) seen.set(kind, position)
  return seen
}

/** Why an instance does not take a resource. */
export interface RefusedResource {
  readonly versionHex: string
  readonly reason: string
  readonly fieldPath: string
  readonly message: string
}
