/** Sets by key; a set that becomes empty is gone. */
export class MultiMap<Key, Value> {
  readonly #sets = new Map<Key, Set<Value>>()

  add(key: Key, value: Value): void {
    const set = this.#sets.get(key)
    if (set === undefined) this.#sets.set(key, new Set([value]))
    else set.add(value)
  }

  delete(key: Key, value: Value): void {
    const set = this.#sets.get(key)
    set?.delete(value)
    if (set?.size === 0) this.#sets.delete(key)
  }

  get(key: Key): ReadonlySet<Value> {
    return this.#sets.get(key) ?? NONE
  }
}

const NONE: ReadonlySet<never> = new Set()
