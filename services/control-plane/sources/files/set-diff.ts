import type { AnyResource, KindName, Resources } from '@causeway/mesh-api'
import type { ObjectId, SourceObject, SourceStatus } from '../source.ts'

/** `kind namespace/name` -> the object as it was told last. */
export type ToldObjects = ReadonlyMap<string, SourceObject>

export interface SetDifference {
  readonly told: ToldObjects
  readonly upserts: readonly SourceObject[]
  readonly removals: readonly ObjectId[]
  /** Of which something is different. */
  readonly kinds: ReadonlySet<KindName>
}

/** What is different in a whole set from what was told before. A generation counts the changes of an object. */
export function differenceOf(
  before: ToldObjects,
  resources: Resources,
  statusOf: (resource: AnyResource) => SourceStatus,
): SetDifference {
  const told = new Map<string, SourceObject>()
  const upserts: SourceObject[] = []
  for (const resource of Object.values(resources).flat() as readonly AnyResource[]) {
    const key = keyOf(resource)
    const last = before.get(key)
    const status = statusOf(resource)
    const isSame = last !== undefined && isEqual(last.resource, resource)
    if (isSame && isEqual(last.status, status)) {
      told.set(key, last)
      continue
    }
    const generation = isSame ? last.generation : (last?.generation ?? 0) + 1
    const object: SourceObject = { resource, uid: '', generation, isDeleting: false, status }
    told.set(key, object)
    upserts.push(object)
  }
  const removals = [...before].filter(([key]) => !told.has(key)).map(([, { resource }]) => idOf(resource))
  const kinds = new Set([...upserts.map(({ resource }) => resource.kind), ...removals.map(({ kind }) => kind)])
  return { told, upserts, removals, kinds }
}

function idOf({ kind, metadata }: AnyResource): ObjectId {
  return { kind, name: `${metadata.namespace}/${metadata.name}` }
}

function keyOf(resource: AnyResource): string {
  const { kind, name } = idOf(resource)
  return `${kind} ${name}`
}

/** Both were made by the same schema, which sets the order of fields. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
