import type { Peer } from './peer.ts'
import type { PeerConfig } from './peer-config.ts'

/** The peers of a relay by name and by identity. A lookup is one hash, however many there are. */
export class PeerDirectory {
  readonly #byName = new Map<string, Peer>()
  readonly #byHandle = new Map<string, Peer>()
  #anybody: Peer | undefined

  /** The configuration was validated: no two peers share a handle, and at most one takes anybody. */
  add(peer: Peer): void {
    this.#byName.set(peer.config.name, peer)
    this.#identify(peer, peer.config)
  }

  /** Its handles, as they are in `after`. A handle that another peer has taken over meanwhile stays that one's. */
  update(peer: Peer, before: PeerConfig, after: PeerConfig): void {
    this.#forget(peer, before)
    this.#identify(peer, after)
  }

  remove(peer: Peer): void {
    this.#byName.delete(peer.config.name)
    this.#forget(peer, peer.config)
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

  #identify(peer: Peer, { identity }: PeerConfig): void {
    if (identity.mode === 'any') this.#anybody = peer
    else for (const handle of identity.handles) this.#byHandle.set(handle, peer)
  }

  #forget(peer: Peer, { identity }: PeerConfig): void {
    if (this.#anybody === peer) this.#anybody = undefined
    if (identity.mode === 'any') return
    for (const handle of identity.handles) if (this.#byHandle.get(handle) === peer) this.#byHandle.delete(handle)
  }
}
