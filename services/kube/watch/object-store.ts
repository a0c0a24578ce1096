import { type KubeObject, keyOf } from '../objects.ts'

export interface StoreListener<T extends KubeObject> {
  /** A new object (`old` undefined) or a new version of one. */
  readonly upsert: (object: T, old: T | undefined) => void
  readonly remove: (object: T) => void
}

/** The objects of one reflector by `namespace/name`; it tells what changes, and only that. */
export class ObjectStore<T extends KubeObject> {
  readonly #listener: StoreListener<T>
  #objects = new Map<string, T>()

  constructor(listener: StoreListener<T>) {
    this.#listener = listener
  }

  get objects(): ReadonlyMap<string, T> {
    return this.#objects
  }

  upsert(object: T): void {
    const key = keyOf(object.metadata)
    const old = this.#objects.get(key)
    if (old !== undefined && isSame(old, object)) return
    this.#objects.set(key, object)
    this.#tell(object, old)
  }

  remove(object: T): void {
    const key = keyOf(object.metadata)
    const old = this.#objects.get(key)
    // A late end of an object whose name belongs to another one by now says nothing about that one.
    if (old === undefined || old.metadata.uid !== object.metadata.uid) return
    this.#objects.delete(key)
    this.#listener.remove(old)
  }

  /** A list under way: nothing changes before it is complete. */
  beginList(): ListedObjects<T> {
    const listed = new Map<string, T>()
    return {
      add: (object) => {
        const key = keyOf(object.metadata)
        const old = this.#objects.get(key)
        // The old one is kept, so that a list of what did not change takes no memory.
        listed.set(key, old !== undefined && isSame(old, object) ? old : object)
      },
      commit: () => this.#replaceAll(listed),
    }
  }

  #replaceAll(listed: Map<string, T>): void {
    const before = this.#objects
    this.#objects = listed
    for (const [key, old] of before) if (!listed.has(key)) this.#listener.remove(old)
    for (const [key, object] of listed) {
      const old = before.get(key)
      if (old !== object) this.#tell(object, old)
    }
  }

  #tell(object: T, old: T | undefined): void {
    const isRecreated = old !== undefined && old.metadata.uid !== object.metadata.uid
    if (isRecreated) this.#listener.remove(old)
    this.#listener.upsert(object, isRecreated ? undefined : old)
  }
}

export interface ListedObjects<T extends KubeObject> {
  add(object: T): void
  commit(): void
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion
}
