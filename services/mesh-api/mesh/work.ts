import { compareNames, idOfKey, type ObjectId } from '../check/object-id.ts'
import type { KindName } from '../kinds/kind.ts'
import { MultiMap } from './multi-map.ts'
import { inOrder } from './order.ts'

/** What one change makes necessary, and what has come of it. */
export class Work {
  /** Objects whose relays, claims and attachments are counted anew. */
  readonly bound = new Set<string>()
  /** Objects whose verdict may be another. */
  readonly judged = new Set<string>()
  /** Claims that were made or given up, and who had them before. */
  readonly claims = new Map<string, { readonly kind: KindName; readonly owner: string | undefined }>()
  readonly #touched = new MultiMap<string, string>()
  readonly #relays = new Set<string>()

  touch(relay: string, keys: readonly string[]): void {
    this.#relays.add(relay)
    for (const key of keys) this.#touched.add(relay, key)
  }

  closures(): ReadonlyMap<string, readonly ObjectId[]> {
    const relays = [...this.#relays].sort(compareNames)
    return new Map(relays.map((relay) => [relay, inOrder([...this.#touched.get(relay)].map(idOfKey))]))
  }
}
