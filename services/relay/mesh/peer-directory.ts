import type { Peer } from './peer.ts'

/** The peers of a relay by name and by identity. A lookup is one hash, however many there are. */
export class PeerDirectory {
  readonly #byName = new Map<string, Peer>()
  readonly #byHandle = new Map<string, Peer>()
  #anybody: Peer | undefined

  /** The configuration was validated: no two peers share a handle, and at most one takes anybody. */
  add(peer: Peer): void {
    const { name, identity } = peer.config
    this.#byName.set(name, peer)
    if (identity.mode === 'any') this.#anybody = peer
    else for (const handle of identity.handles) this.#byHandle.set(handle, peer)
  }

  byName(name: string): Peer | undefined {
    return this.#byName.get(name)
  }

  /** Whose key has this handle; whoever is nobody else belongs to the peer that takes anybody. */
  byHandle(handle: string): Peer | undefined {
    return this.#byHandle.get(handle) ?? this.#anybody
  }

  [Symbol.iterator](): IterableIterator<Peer> {
    return this.#byName.values()
  }
}
