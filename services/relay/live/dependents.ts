import type { ResourceId } from '../config-store/contract.ts'
import type { Entry } from './entry.ts'
import { keyOf } from './table.ts'

/** Which resources lead to which, as they were sent last. */
export class Dependents {
  readonly #of = new Map<string, Set<Entry>>()
  readonly #leadsTo = new Map<Entry, string>()

  of(id: ResourceId): Iterable<Entry> {
    return this.#of.get(keyOf(id)) ?? []
  }

  /** Undefined: to nothing. */
  set(entry: Entry, id: ResourceId | undefined): void {
    const before = this.#leadsTo.get(entry)
    const after = id && keyOf(id)
    if (before === after) return
    if (before !== undefined) this.#remove(before, entry)
    if (after === undefined) this.#leadsTo.delete(entry)
    else this.#add(after, entry)
  }

  #add(key: string, entry: Entry): void {
    this.#leadsTo.set(entry, key)
    const entries = this.#of.get(key)
    if (entries === undefined) this.#of.set(key, new Set([entry]))
    else entries.add(entry)
  }

  #remove(key: string, entry: Entry): void {
    const entries = this.#of.get(key)
    entries?.delete(entry)
    if (entries?.size === 0) this.#of.delete(key)
  }
}
