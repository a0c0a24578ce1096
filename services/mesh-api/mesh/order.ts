import { compareNames, type ObjectId } from '../check/object-id.ts'

/** By kind, then by namespace and name. */
export function inOrder(ids: readonly ObjectId[]): readonly ObjectId[] {
  return [...ids].sort(compareIds)
}

export function compareIds(a: ObjectId, b: ObjectId): number {
  return a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : compareNames(a.name, b.name)
}
