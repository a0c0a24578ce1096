import { type KubeObject, keyOf } from '../objects.ts'

export interface StoreListener<S extends KubeObject> {
  /** A new object (`old` undefined) or a new version of one. */
  readonly upsert: (object: S, old: S | undefined) => void
  readonly remove: (object: S) => void
}

/** What is kept of an object; it keeps name, namespace, uid and resourceVersion. `old` is what is kept of the version before. */
export type Strip<T extends KubeObject, S extends KubeObject> = (object: T, old: S | undefined) => S

/** The objects of one reflector by `namespace/name`; it tells what changes, and only that. */
export class ObjectStore<T extends KubeObject, S extends KubeObject> {
  readonly #strip: Strip<T, S>
  readonly #listener: StoreListener<S>
  #objects = new Map<string, S>()

  constructor(strip: Strip<T, S>, listener: StoreListener<S>) {
    this.#strip = strip
    this.#listener = listener
  }

  get objects(): ReadonlyMap<string, S> {
    return this.#objects
  }

  upsert(object: T): void {
    const key = keyOf(object.metadata)
    const old = this.#objects.get(key)
    if (old !== undefined && isSame(old, object)) return
    const stripped = this.#strip(object, old)
    this.#objects.set(key, stripped)
    this.#tell(stripped, old)
  }

  remove(object: KubeObject): void {
    const key = keyOf(object.metadata)
    const old = this.#objects.get(key)
    // A late end of an object whose name belongs to another one by now says nothing about that one.
    if (old === undefined || old.metadata.uid !== object.metadata.uid) return
    this.#objects.delete(key)
    this.#listener.remove(old)
  }

  /** A list under way: nothing changes before it is complete. */
  beginList(): ListedObjects<T> {
    const listed = new Map<string, S>()
    return {
      add: (object) => {
        const key = keyOf(object.metadata)
        const old = this.#objects.get(key)
        // The old one is kept, so that a list of what did not change takes neither memory nor time.
        listed.set(key, old !== undefined && isSame(old, object) ? old : this.#strip(object, old))
      },
      commit: () => this.#replaceAll(listed),
    }
  }

  #replaceAll(listed: Map<string, S>): void {
    const before = this.#objects
    this.#objects = listed
    for (const [key, old] of before) if (!listed.has(key)) this.#listener.remove(old)
    for (const [key, object] of listed) {
      const old = before.get(key)
      if (old !== object) this.#tell(object, old)
    }
  }

  #tell(object: S, old: S | undefined): void {
    const isRecreated = old !== undefined && old.metadata.uid !== object.metadata.uid
    if (isRecreated) this.#listener.remove(old)
    this.#listener.upsert(object, isRecreated ? undefined : old)
  }
}

export interface ListedObjects<T extends KubeObject> {
  add(object: T): void
  commit(): void
}

/** No two writes to one API server have the same version. */
function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.resourceVersion === b.metadata.resourceVersion
}
