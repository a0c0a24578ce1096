import type { ResourceKind } from '@causeway/rpc'

/** A resource as it was sent. */
export interface StoredResource {
  /** As on the wire: also a kind that this version does not know. */
  readonly kind: ResourceKind
  readonly name: string
  /** Lower-case hexadecimal. */
  readonly version: string
  readonly body: Uint8Array
}

/** Up to where one kind of object has been read. */
export interface SourcePosition {
  /** Lower-case hexadecimal. */
  readonly source: string
  readonly value: bigint
}

/** A Delta that has passed every check. */
export interface CheckedDelta {
  readonly upserts: readonly StoredResource[]
  /** Keys. */
  readonly removals: readonly string[]
  readonly positions: ReadonlyMap<string, SourcePosition>
}

export function keyOf(resource: { readonly kind: ResourceKind; readonly name: string }): string {
  return `${resource.kind}/${resource.name}`
}

/**
 * What a relay has: every resource as it was sent last, and where that is not in force, as it was in force last. It is the
 * state that the log is a history of; every step costs what it changes, and not what there is.
 */
export class HeldSet {
  readonly #sent = new Map<string, StoredResource>()
  /** Only where it is not what was sent last. */
  readonly #good = new Map<string, StoredResource>()
  /** What was sent last, and has not been in force yet. */
  readonly #unsettled = new Set<string>()
  readonly #positions = new Map<string, SourcePosition>()
  #octets = 0

  get size(): number {
    return this.#sent.size
  }

  /** Of all bodies, those that were in force last included. */
  get octets(): number {
    return this.#octets
  }

  /** As they were sent last. */
  get resources(): ReadonlyMap<string, StoredResource> {
    return this.#sent
  }

  get positions(): ReadonlyMap<string, SourcePosition> {
    return this.#positions
  }

  apply({ upserts, removals, positions }: CheckedDelta): void {
    for (const resource of upserts) this.#upsert(keyOf(resource), resource)
    for (const key of removals) this.#remove(key)
    for (const [kind, position] of positions) this.#positions.set(kind, position)
  }

  /** All that was sent is in force now, but for these keys. Returns whether anything is known that was not before. */
  settle(refused: ReadonlySet<string>): boolean {
    let changed = false
    for (const key of this.#unsettled) {
      if (refused.has(key)) continue
      this.#unsettled.delete(key)
      this.#octets -= octetsOf(this.#good.get(key))
      this.#good.delete(key)
      changed = true
    }
    return changed
  }

  /** What was in force last, and what has been sent since and is not: in this order they make the same state again. */
  split(): { readonly inForce: readonly StoredResource[]; readonly unsettled: readonly StoredResource[] } {
    const inForce: StoredResource[] = []
    const unsettled: StoredResource[] = []
    for (const [key, sent] of this.#sent) {
      const good = this.#unsettled.has(key) ? this.#good.get(key) : sent
      if (good !== undefined) inForce.push(good)
      if (this.#unsettled.has(key)) unsettled.push(sent)
    }
    return { inForce, unsettled }
  }

  /** The version that is in force, or was last. */
  inForce(key: string): StoredResource | undefined {
    return this.#unsettled.has(key) ? this.#good.get(key) : this.#sent.get(key)
  }

  #upsert(key: string, resource: StoredResource): void {
    const before = this.#sent.get(key)
    if (before !== undefined) {
      if (this.#unsettled.has(key)) this.#octets -= octetsOf(before)
      else this.#good.set(key, before)
    }
    this.#sent.set(key, resource)
    this.#unsettled.add(key)
    this.#octets += octetsOf(resource)
  }

  #remove(key: string): void {
    this.#octets -= octetsOf(this.#sent.get(key)) + octetsOf(this.#good.get(key))
    this.#sent.delete(key)
    this.#good.delete(key)
    this.#unsettled.delete(key)
  }
}

function octetsOf(resource: StoredResource | undefined): number {
  return resource?.body.length ?? 0
}
