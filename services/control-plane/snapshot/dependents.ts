import type { MeshBackend } from '@causeway/mesh-api'
import type { Lookup } from '../resolve/lookup.ts'
import type { RelayIdentityStatus } from '../sources/source.ts'
import { type ObjectKey, objectKey } from './object-key.ts'

/** Who was made with a look at whom, so that a change is told to those that it concerns, and to nobody else. */
export class Dependents {
  readonly #lookup: Lookup
  readonly #usersOf = new Map<ObjectKey, Set<ObjectKey>>()
  readonly #usedBy = new Map<ObjectKey, ReadonlySet<ObjectKey>>()

  constructor(lookup: Lookup) {
    this.#lookup = lookup
  }

  /** Those that looked at the object when they were made last. */
  usersOf(used: ObjectKey): Iterable<ObjectKey> {
    return this.#usersOf.get(used) ?? []
  }

  /** Runs `make`, and keeps at what `user` looked meanwhile in place of what was kept of it before. */
  tracked<Made>(user: ObjectKey, make: (lookup: Lookup) => Made): Made {
    const used = new Set<ObjectKey>()
    const made = make({
      relayIdentity: (relay): RelayIdentityStatus | undefined => {
        used.add(objectKey('MeshRelay', relay))
        return this.#lookup.relayIdentity(relay)
      },
      backend: (name): MeshBackend | undefined => {
        used.add(objectKey('MeshBackend', name))
        return this.#lookup.backend(name)
      },
    })
    this.#keep(user, used)
    return made
  }

  forget(user: ObjectKey): void {
    this.#keep(user, new Set())
  }

  #keep(user: ObjectKey, used: ReadonlySet<ObjectKey>): void {
    for (const key of this.#usedBy.get(user) ?? []) {
      const users = this.#usersOf.get(key)
      users?.delete(user)
      if (users?.size === 0) this.#usersOf.delete(key)
    }
    if (used.size === 0) this.#usedBy.delete(user)
    else this.#usedBy.set(user, used)
    for (const key of used) {
      const users = this.#usersOf.get(key)
      if (users === undefined) this.#usersOf.set(key, new Set([user]))
      else users.add(user)
    }
  }
}
