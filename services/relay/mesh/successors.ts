import {
  type CryptoProvider,
  type EstablishedInfo,
  NpampError,
  type PublicKey,
  type VerifiedSuccessor,
  verifySuccessor,
} from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import type { Logger } from '@causeway/telemetry'
import { LineLimit } from '../pacing/line-limit.ts'
import type { PeerConfig } from './peer-config.ts'
import type { KeptSuccessor, SuccessorStore } from './successor-store.ts'

export interface SuccessorsOptions {
  readonly provider: CryptoProvider
  readonly store: SuccessorStore | undefined
  readonly clock: Clock
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  readonly logger: Logger
}

export type PinnedSuccessor = Pick<VerifiedSuccessor, 'currentHandle' | 'nextHandle' | 'notAfterS'>

/**
 * Each names the one after it. A peer that changes its key more often than its configuration follows is to be told to a
 * person: one more is refused, and none of those before it goes, or the peer would be a stranger at once.
 */
const MAX_CHAIN = 16

/**
 * The keys that peers have announced for later, each pinned beside the one that announced it (CONTROL section 5). They are
 * kept with their proof: what is read back from a file pins nothing that a pinned key has not signed.
 */
export class Successors {
  readonly #options: SuccessorsOptions
  readonly #kept: Map<string, KeptSuccessor[]>
  readonly #pinned = new Map<string, readonly PinnedSuccessor[]>()
  /** Each statement costs two signatures, and a line: a peer has it said by all of its replicas, and not all day. */
  readonly #limits = new Map<string, LineLimit>()
  /** What the configuration itself pins, of the peers that are configured. */
  readonly #configured = new WeakMap<PeerConfig, PeerConfig>()

  constructor(options: SuccessorsOptions) {
    this.#options = options
    this.#kept = options.store?.load() ?? new Map()
  }

  /** Those in force for a peer (`namespace/name`). */
  of(peerName: string): readonly PinnedSuccessor[] {
    return this.#pinned.get(peerName) ?? []
  }

  /** The configuration with what its peer has announced pinned as well. */
  pinnedBy(config: PeerConfig): PeerConfig {
    const { name, identity, acceptSuccessors } = config
    if (!acceptSuccessors || identity.mode === 'any') {
      this.#pinned.delete(name)
      return config
    }
    const chain = this.#chainOf(name, identity.handles)
    const pinned = chain.map(({ successor }) => successor)
    const handles = [...identity.handles, ...pinned.map(({ nextHandle }) => nextHandle)]
    this.#pinned.set(name, pinned)
    if (pinned.length === 0) return config
    const effective: PeerConfig = { ...config, identity: { mode: 'handles', handles } }
    this.#configured.set(effective, config)
    return effective
  }

  /**
   * A statement came over an association whose handshake proved `info.peerKey`. The answer is the configuration to put into
   * force again, where it pins something new.
   */
  received(config: PeerConfig, info: EstablishedInfo, statement: Uint8Array): PeerConfig | undefined {
    const { logger, wallClock, provider, store } = this.#options
    const { name, identity, acceptSuccessors } = config
    if (!this.#limitOf(name).admit()) return undefined
    if (!acceptSuccessors || identity.mode === 'any') {
      logger.info({ peer: name }, 'the peer announced its next key; its MeshPeer does not accept successors')
      return undefined
    }
    const current: PublicKey = { scheme: info.signature, publicKey: info.peerKey }
    try {
      const nowS = Math.floor(wallClock() / 1_000)
      const { nextHandle, notAfterS } = verifySuccessor(statement, { current, nowS, provider })
      if (identity.handles.includes(nextHandle)) return undefined
      const configured = this.#configured.get(config) ?? config
      const pinned = configured.identity.mode === 'any' ? [] : configured.identity.handles
      // What a former configuration had led to takes no room.
      const chain = this.#chainOf(name, pinned).map(({ kept }) => kept)
      if (chain.length >= MAX_CHAIN) {
        const text = `the peer's next key is not pinned: ${MAX_CHAIN} came after those of its MeshPeer, which must be brought up to date`
        logger.warn({ peer: name, nextHandle }, text)
        return undefined
      }
      this.#kept.set(name, [...chain, { current, statement, receivedS: nowS }])
      store?.save(this.#kept)
      logger.info({ peer: name, nextHandle, notAfterS }, 'the peer announced its next key, which is pinned from now on')
      return configured
    } catch (error) {
      if (!(error instanceof NpampError)) throw error
      logger.warn({ peer: name, code: error.code }, `the peer's next key is not pinned: ${error.message}`)
      return undefined
    }
  }

  #limitOf(peer: string): LineLimit {
    const known = this.#limits.get(peer)
    if (known !== undefined) return known
    const { clock, logger } = this.#options
    const limit = new LineLimit(clock, (count) => {
      logger.warn({ peer, count }, 'the peer announces keys all the time; most of it is not looked at')
    })
    this.#limits.set(peer, limit)
    return limit
  }

  /** What is kept of a peer and follows from these handles, each once, in order. */
  #chainOf(name: string, from: readonly string[]): { kept: KeptSuccessor; successor: VerifiedSuccessor }[] {
    const handles = new Set(from)
    return (this.#kept.get(name) ?? []).flatMap((kept) => {
      const successor = this.#verified(kept)
      if (successor === undefined || !handles.has(successor.currentHandle) || handles.has(successor.nextHandle))
        return []
      handles.add(successor.nextHandle)
      return [{ kept, successor }]
    })
  }

  /** Of one that was taken once: that it is older now does not unpin it. */
  #verified({ current, statement, receivedS }: KeptSuccessor): VerifiedSuccessor | undefined {
    const { provider } = this.#options
    try {
      return verifySuccessor(statement, { current, nowS: receivedS, provider })
    } catch (error) {
      if (error instanceof NpampError) return undefined
      throw error
    }
  }
}
