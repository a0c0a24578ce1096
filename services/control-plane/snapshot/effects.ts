import type { ObjectKey } from './object-key.ts'

/** What a change of objects comes to. */
export interface Effects {
  /** `namespace/name` of a relay -> resources of which it has another version now, or none. */
  readonly relays: ReadonlyMap<string, ReadonlySet<ObjectKey>>
  /** Resources that no relay is sent any more, and that an instance may hold from before this process knew them. */
  readonly everywhere: ReadonlySet<ObjectKey>
  /** Objects whose state is different, or that are gone. */
  readonly objects: ReadonlySet<ObjectKey>
}

/** Collects them while they are found. */
export class EffectsBuilder implements Effects {
  readonly relays = new Map<string, Set<ObjectKey>>()
  readonly everywhere = new Set<ObjectKey>()
  readonly objects = new Set<ObjectKey>()

  relay(relay: string, key: ObjectKey): void {
    const keys = this.relays.get(relay)
    if (keys === undefined) this.relays.set(relay, new Set([key]))
    else keys.add(key)
  }
}
