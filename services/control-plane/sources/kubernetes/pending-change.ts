import type { KindName } from '@causeway/mesh-api'
import type { InvalidObject, ObjectId, Position, SourceChange, SourceObject } from '../source.ts'

type Latest =
  | { readonly is: 'valid'; readonly object: SourceObject }
  | { readonly is: 'invalid'; readonly object: InvalidObject }
  | { readonly is: 'removed'; readonly object: ObjectId }

/** What has been learnt of one kind since the last change that was told: of each object only the latest. */
export class PendingChange {
  readonly #kind: KindName
  readonly #latest = new Map<string, Latest>()

  constructor(kind: KindName) {
    this.#kind = kind
  }

  get isEmpty(): boolean {
    return this.#latest.size === 0
  }

  valid(object: SourceObject): void {
    const { namespace, name } = object.resource.metadata
    this.#latest.set(`${namespace}/${name}`, { is: 'valid', object })
  }

  invalid(object: InvalidObject): void {
    this.#latest.set(object.name, { is: 'invalid', object })
  }

  removed(name: string): void {
    this.#latest.set(name, { is: 'removed', object: { kind: this.#kind, name } })
  }

  /** All of it, as a change up to `position`; afterwards nothing is pending. */
  take(position: Position | undefined): SourceChange {
    const upserts: SourceObject[] = []
    const invalid: InvalidObject[] = []
    const removals: ObjectId[] = []
    for (const latest of this.#latest.values()) {
      if (latest.is === 'valid') upserts.push(latest.object)
      else if (latest.is === 'invalid') invalid.push(latest.object)
      else removals.push(latest.object)
    }
    this.#latest.clear()
    const positions = new Map(position === undefined ? [] : [[this.#kind, position] as const])
    return { upserts, removals, invalid, positions }
  }
}
