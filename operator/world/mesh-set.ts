import { keyOf as nameKey } from '@causeway/kube'
import {
  type KindName,
  type MeshEffect,
  MeshIndex,
  type ObjectId,
  type ResourceOf,
  referencesOf,
} from '@causeway/mesh-api'
import { dataRefsOf } from './data-refs.ts'
import type { MeshView } from './mesh-view.ts'
import { isOurs, type MeshObject } from './resource-types.ts'
import type { Change, World } from './world.ts'

export interface MeshSetOptions {
  readonly view: MeshView
  readonly world: Pick<World, 'object'>
  readonly installation: { readonly name: string; readonly namespace: string }
}

const NOTHING: MeshEffect = { verdicts: [], closures: new Map() }

/**
 * The objects of this installation as a whole: who refers to whom, what is wrong with each because of others. What another
 * installation has accepted is not in it. Of what is stored and not valid the last good version counts on (CONTROL section
 * 1); where there is none, it is known to be there, and no more.
 */
export class MeshSet {
  readonly index: MeshIndex
  readonly #options: MeshSetOptions
  /** By `Secret namespace/name` or `ConfigMap ...`: `Kind namespace/name` of the objects that name it. */
  readonly #dataUsers = new Map<string, Set<string>>()
  readonly #dataOf = new Map<string, readonly string[]>()
  /** Of which object, by its uid, the version in the index is. */
  readonly #uids = new Map<string, string>()

  constructor(options: MeshSetOptions) {
    this.#options = options
    this.index = new MeshIndex({ place: 'cluster', installationNamespace: options.installation.namespace })
  }

  apply(change: Change): MeshEffect {
    if (change.from === 'mesh') return this.#mesh(change.kind, change.object, change.old)
    if (change.from !== 'namespace') return NOTHING
    const { name = '', labels = {} } = (change.object ?? change.old)?.metadata ?? {}
    const namespaces = change.object === undefined ? { removals: [name] } : { upserts: [{ name, labels }] }
    return this.index.apply({ namespaces })
  }

  /** What holds of an object: what is stored, or where that is not valid the last good version; undefined: nothing. */
  inForce<Name extends KindName>(kind: Name, object: MeshObject): ResourceOf<Name> | undefined {
    const name = nameKey(object.metadata)
    const stored = this.#options.view.valid(kind, object)
    if (stored !== undefined) return stored
    return this.#uids.get(`${kind} ${name}`) === object.metadata.uid ? this.index.get(kind, name) : undefined
  }

  /** Objects, as `Kind namespace/name`, that name a Secret or ConfigMap. */
  usersOfData(
    kind: 'Secret' | 'ConfigMap',
    ref: { readonly namespace?: string; readonly name: string },
  ): Iterable<string> {
    return this.#dataUsers.get(`${kind} ${nameKey(ref)}`) ?? []
  }

  /**
   * Who uses an object and may, and is not itself going: `Kind namespace/name`, in order. Whoever names it without being
   * permitted does not count, or one namespace could hold what another one deletes.
   */
  usersInForce(id: ObjectId): readonly ObjectId[] {
    return this.index.usersOf(id).filter((user) => {
      const object = this.#options.world.object(user.kind, user.name)
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) return false
      const resource = this.index.get(user.kind, user.name)
      if (resource === undefined) return false
      const refused = new Set(
        this.index
          .findingsOf(user)
          .filter((finding) => finding.id === 'NotFound')
          .map(({ fieldPath }) => fieldPath.join('.')),
      )
      return referencesOf(resource).some(
        ({ to, fieldPath }) => to.kind === id.kind && to.name === id.name && !refused.has(fieldPath.join('.')),
      )
    })
  }

  #mesh(kind: KindName, object: MeshObject | undefined, old: MeshObject | undefined): MeshEffect {
    if (object !== undefined && old !== undefined && isSame(object, old)) return NOTHING
    const metadata = (object ?? old)?.metadata
    if (metadata === undefined) return NOTHING
    const { view, installation } = this.#options
    const id: ObjectId = { kind, name: nameKey(metadata) }
    const key = `${kind} ${id.name}`
    if (object === undefined || !isOurs(object, installation.name)) {
      if (object === undefined && old !== undefined) view.forget(kind, old)
      this.#uids.delete(key)
      this.#setData(id, [])
      return this.index.apply({ removals: [id] })
    }
    const read = view.read(kind, object)
    if ('faults' in read) {
      if (this.#uids.get(key) === object.metadata.uid) return NOTHING
      // Another object of this name, or one that was not valid when it was seen first.
      this.#uids.delete(key)
      this.#setData(id, [])
      return this.index.apply({ declared: [id] })
    }
    this.#uids.set(key, object.metadata.uid)
    this.#setData(
      id,
      dataRefsOf(read.resource).map(({ entry }) => `${entry.kind} ${nameKey(entry)}`),
    )
    return this.index.apply({ upserts: [read.resource] })
  }

  #setData(id: ObjectId, data: readonly string[]): void {
    const user = `${id.kind} ${id.name}`
    for (const one of this.#dataOf.get(user) ?? []) {
      const users = this.#dataUsers.get(one)
      users?.delete(user)
      if (users?.size === 0) this.#dataUsers.delete(one)
    }
    if (data.length === 0) this.#dataOf.delete(user)
    else this.#dataOf.set(user, data)
    for (const one of data) {
      const users = this.#dataUsers.get(one) ?? new Set()
      this.#dataUsers.set(one, users.add(user))
    }
  }
}

/** Status apart from who has accepted it is nobody's input. */
function isSame(object: MeshObject, old: MeshObject): boolean {
  return (
    object.metadata.uid === old.metadata.uid &&
    object.metadata.generation === old.metadata.generation &&
    object.status?.controller === old.status?.controller &&
    JSON.stringify(object.metadata.labels) === JSON.stringify(old.metadata.labels)
  )
}
