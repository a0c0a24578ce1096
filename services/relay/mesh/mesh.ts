import { ClosedError, type Transport } from '@causeway/npamp'
import {
  type Clock,
  clientContext,
  dialTls,
  type ListenTlsMode,
  listenTls,
  type TlsListener,
} from '@causeway/npamp/transports'
import type { Logger, Metrics } from '@causeway/telemetry'
import type { CallTarget } from '../exchanges/contract.ts'
import { AssociationFactory, type OwnIdentity } from './association-factory.ts'
import { AssociationWatch } from './association-watch.ts'
import type { AssociationContext } from './calls-host.ts'
import { DialGate } from './dial-gate.ts'
import { ExchangeWatch } from './exchange-watch.ts'
import type { LocalTargets } from './local-targets.ts'
import { Peer } from './peer.ts'
import { PeerAssociation } from './peer-association.ts'
import { type PeerAddress, type PeerConfig, pinsAnother, tlsTowards } from './peer-config.ts'
import { PeerDirectory } from './peer-directory.ts'
import { type PeerState, stateOf } from './peer-state.ts'
import { PeerTarget } from './peer-target.ts'
import { ProcessBudget } from './read-budget.ts'
import { MAX_RETIRING_MS } from './retirement.ts'
import type { SuccessorStore } from './successor-store.ts'
import { Successors } from './successors.ts'

export interface MeshOptions {
  readonly identity: OwnIdentity
  readonly peers: readonly PeerConfig[]
  readonly targets: LocalTargets
  /** A session of a client of this relay is over: a peer ended it, or its association was lost. */
  readonly onSessionEnded: (sessionId: string) => void
  /** What `peerStates` says may have changed. */
  readonly onPeerChanged?: () => void
  readonly limits: MeshLimits
  /** Where successors of peers are kept; in memory only where it is absent. */
  readonly successorStore?: SuccessorStore
  /** The longest that an association made with an earlier key or address is kept for the sessions on it; default 1 h. */
  readonly maxRetiringMs?: number
  /** Milliseconds since 1970, for the validity of statements; default Date.now. */
  readonly wallClock?: () => number
  /** Opens a connection to a peer; default TLS over TCP. Rejects with an NpampError. */
  readonly connect?: (address: PeerAddress, peer: PeerConfig, signal: AbortSignal) => Promise<Transport>
  readonly clock: Clock
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number
  readonly logger: Logger
  readonly metrics: Metrics
}

interface MeshLimits {
  /** Sessions that one association of a peer may open at the targets here. */
  readonly sessionsPerAssociation: number
  /** Octets that may wait for slow receivers, over all associations. */
  readonly heldOctets: number
}

export interface ListenerConfig {
  readonly host: string
  readonly port: number
  readonly tls: ListenTlsMode
  readonly halfOpenHandshakes: number
  readonly halfOpenPerSource: number
}

/** TCP, TLS and name lookup of one address. */
const CONNECT_TIMEOUT_MS = 4_000
/** However many addresses share it. */
const LEAST_CONNECT_TIMEOUT_MS = 1_000

/** Everything of one relay that speaks N-PAMP: its peers, who dials, who is let in, and the targets behind peers. */
export class Mesh {
  readonly #options: MeshOptions
  readonly #peers = new PeerDirectory()
  readonly #successors: Successors
  readonly #factory: AssociationFactory
  readonly #watch: AssociationWatch
  readonly #context: AssociationContext
  readonly #gate = new DialGate()
  /** Accepted, and not anybody's yet. */
  readonly #unidentified = new Set<PeerAssociation>()
  readonly #listeners = new Set<TlsListener>()
  #identity: OwnIdentity
  /** Names the key that comes after that of the identity. */
  #ownSuccessor: Uint8Array | undefined
  /** Whose key an association was made with. */
  readonly #madeWith = new WeakMap<PeerAssociation, OwnIdentity>()
  #started = false

  constructor(options: MeshOptions) {
    const { identity, clock, targets, metrics, logger, limits } = options
    this.#options = options
    this.#identity = identity
    this.#successors = new Successors({
      provider: identity.provider,
      store: options.successorStore,
      clock,
      wallClock: options.wallClock ?? Date.now,
      logger,
    })
    this.#factory = new AssociationFactory(identity, this.#peers)
    this.#watch = new AssociationWatch(logger, metrics, clock)
    this.#context = {
      clock,
      random: (octets) => identity.provider.random(octets),
      targets,
      processBudget: new ProcessBudget(limits.heldOctets),
      outgoingWatch: new ExchangeWatch(logger, metrics, 'mesh_out', clock),
      incomingWatch: new ExchangeWatch(logger, metrics, 'mesh_in', clock),
      maxIncomingSessions: limits.sessionsPerAssociation,
      readOnly: false,
    }
    this.setPeers(options.peers, [])
  }

  /** Dials peers that are always to be connected, and from now on as well those that become such. */
  start(): void {
    this.#started = true
    for (const peer of this.#peers) peer.start()
  }

  // --- configuration ---

  /**
   * Puts peers into force as they are given here, and lets go of those whose names are in `removed`; all others stay as they
   * are. No two peers have one handle after it.
   */
  setPeers(configs: readonly PeerConfig[], removed: readonly string[]): void {
    for (const name of removed) this.#removePeer(name)
    const changes = configs.map((config) => ({
      peer: this.#peers.byName(config.name),
      config: this.#effective(config),
    }))
    // All identities first: a handle may go from one peer to another.
    for (const { peer, config } of changes) if (peer !== undefined) this.#peers.update(peer, peer.config, config)
    for (const { peer, config } of changes) {
      if (peer === undefined) this.#addPeer(config)
      else peer.update(config)
    }
    this.#options.onPeerChanged?.()
  }

  /**
   * `successor` is the statement that names the next key, from its announcement on (CONTROL section 5). After a change of the
   * key new associations are made with the new one, and those that are open drain.
   */
  setIdentity(identity: OwnIdentity, successor: Uint8Array | undefined): void {
    const isAnother = identity.key !== this.#identity.key || identity.replica !== this.#identity.replica
    this.#ownSuccessor = successor
    if (isAnother) {
      this.#identity = identity
      this.#factory.setIdentity(identity)
      for (const peer of this.#peers) peer.renew()
    }
    if (successor === undefined) return
    for (const peer of this.#peers) for (const association of peer.associations) this.#announceSuccessor(association)
  }

  /** Whether an association that was made with this key is open. */
  isInUse(key: OwnIdentity['key']): boolean {
    for (const peer of this.#peers) {
      for (const association of peer.associations) if (this.#madeWith.get(association)?.key === key) return true
    }
    return false
  }

  setLimits({ sessionsPerAssociation }: Pick<MeshLimits, 'sessionsPerAssociation'>): void {
    this.#context.maxIncomingSessions = sessionsPerAssociation
  }

  /** Who may reach which local target has changed. */
  targetsChanged(): void {
    for (const peer of this.#peers) for (const association of peer.associations) association.targetsChanged()
  }

  /** CONTROL section 3: the configuration is too old, and nothing is served but what is read_only. */
  denyUnlessReadOnly(denied: boolean): void {
    this.#context.readOnly = denied
  }

  /** Whether the peer of this name would be somebody else. */
  isAnother(config: PeerConfig): boolean {
    const known = this.#peers.byName(config.name)
    return known !== undefined && pinsAnother(known.config, config)
  }

  /** Of every peer that is configured. */
  peerStates(): PeerState[] {
    return [...this.#peers].map((peer) => stateOf(peer, this.#successors.of(peer.config.name)))
  }

  /** One more listener. Rejects as `listenTls` does. */
  async listen(config: ListenerConfig): Promise<TlsListener> {
    const { host, port, tls, halfOpenHandshakes, halfOpenPerSource } = config
    const listener = await listenTls({
      host,
      port,
      tls,
      limits: { maxHalfOpen: halfOpenHandshakes, maxHalfOpenPerSource: halfOpenPerSource },
      onTransport: (transport, settled) => this.accept(transport, settled),
      onRefused: (error, remote) => this.#watch.refused(error, remote),
    })
    this.#listeners.add(listener)
    return {
      ...listener,
      get halfOpen() {
        return listener.halfOpen
      },
      close: () => {
        this.#listeners.delete(listener)
        return listener.close()
      },
    }
  }

  /** A connection that somebody opened; `settled` once its handshake is over. */
  accept(transport: Transport, settled: () => void): void {
    const association = new PeerAssociation({
      core: this.#factory.responder(this.#options.clock.now()),
      context: this.#context,
      homeOf: ({ peerHandle }) => {
        settled()
        this.#unidentified.delete(association)
        return this.#peers.byHandle(peerHandle)
      },
      onHandshakeFailed: (cause) => {
        settled()
        this.#unidentified.delete(association)
        this.#watch.handshakeFailed(association, undefined, cause)
      },
    })
    this.#madeWith.set(association, this.#identity)
    this.#unidentified.add(association)
    this.#watch.began(association)
    association.open(transport)
  }

  /** The target of this name behind a peer, whether the peer is configured or not. */
  target(peerName: string, targetName: string | undefined): CallTarget {
    const { clock } = this.#options
    return new PeerTarget({ peers: this.#peers, peerName, targetName, clock, watch: this.#context.outgoingWatch })
  }

  /** Before the metrics are read. */
  syncMetrics(): void {
    this.#watch.sync()
  }

  /** Takes no more connections and asks peers to open nothing new here. Calls of this relay's clients go on. */
  announceDrain(): void {
    for (const listener of this.#listeners) void listener.close()
    this.#breakOffUnidentified()
    for (const peer of this.#peers) peer.announceDrain()
  }

  /** Lets what is open end; resolves when every association has become idle and is closed. */
  async closeWhenIdle(): Promise<void> {
    await Promise.all([...this.#peers].map((peer) => peer.closeWhenIdle()))
  }

  /** CLOSE to everybody, whatever is open; resolves when all associations are over, at the latest after `limitMs`. */
  async close(limitMs: number): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener.close()))
    this.#breakOffUnidentified()
    await Promise.all([...this.#peers].map((peer) => peer.close(limitMs)))
  }

  #breakOffUnidentified(): void {
    for (const association of this.#unidentified) association.abort(new ClosedError('CLOSED', 'the relay is stopping'))
  }

  /** With the keys that the peer itself announced for later. */
  #effective(config: PeerConfig): PeerConfig {
    return this.#successors.pinnedBy(config)
  }

  #addPeer(config: PeerConfig): void {
    const peer = this.#createPeer(config)
    this.#peers.add(peer)
    if (this.#started) peer.start()
  }

  #removePeer(name: string): void {
    const peer = this.#peers.byName(name)
    if (peer === undefined) return
    this.#peers.remove(peer)
    peer.remove()
  }

  /** The peer names its next key. It is believed because the key that the handshake proved has signed it. */
  #successorOf(name: string, association: PeerAssociation, statement: Uint8Array): void {
    const peer = this.#peers.byName(name)
    const { established } = association.core
    if (peer === undefined || established === undefined) return
    const configured = this.#successors.received(peer.config, established, statement)
    if (configured !== undefined) this.setPeers([configured], [])
  }

  #announceSuccessor(association: PeerAssociation): void {
    // It is about the key that is in force: an association that was made with another knows nothing of that one.
    if (this.#ownSuccessor === undefined || this.#madeWith.get(association) !== this.#identity) return
    if (association.core.state === 'ready') association.announceSuccessor(this.#ownSuccessor)
  }

  #createPeer(config: PeerConfig): Peer {
    const { clock, random } = this.#options
    const watch = this.#watch
    const changed = (): void => this.#options.onPeerChanged?.()
    return new Peer({
      config,
      clock,
      watch: this.#context.outgoingWatch,
      dialling: (dialled) => {
        const connect = this.#options.connect ?? tlsConnector(dialled)
        return {
          random,
          gate: this.#gate,
          connect: (address, signal) => connect(address, dialled, signal),
          onAddressFailed: (address, failure) => watch.addressFailed(config.name, address, failure),
        }
      },
      createAssociation: (peer) => this.#initiator(peer),
      hasEarlierKey: (association) => this.#madeWith.get(association) !== this.#identity,
      maxRetiringMs: this.#options.maxRetiringMs ?? MAX_RETIRING_MS,
      observer: {
        established: (association, info) => {
          watch.established(association, config.name, info)
          changed()
        },
        closed: (association, cause) => {
          watch.closed(association, config.name, cause)
          changed()
        },
        dialSucceeded: () => watch.dialSucceeded(config.name),
        dialFailed: (failure) => {
          watch.dialFailed(config.name, failure)
          changed()
        },
        sessionEnded: this.#options.onSessionEnded,
        ready: (association) => {
          this.#announceSuccessor(association)
          changed()
        },
        successor: (association, statement) => this.#successorOf(config.name, association, statement),
      },
    })
  }

  #initiator(peer: Peer): PeerAssociation {
    const { name } = peer.config
    const association: PeerAssociation = new PeerAssociation({
      core: this.#factory.initiator(peer.config, this.#options.clock.now()),
      context: this.#context,
      homeOf: () => peer,
      onHandshakeFailed: (cause) => {
        this.#watch.handshakeFailed(association, name, cause)
        peer.handshakeFailed(association, cause)
      },
    })
    this.#madeWith.set(association, this.#identity)
    this.#watch.began(association, name)
    return association
  }
}

/** All connections to one peer share their TLS context; it does not depend on the address. */
function tlsConnector(config: PeerConfig): NonNullable<MeshOptions['connect']> {
  const share = CONNECT_TIMEOUT_MS / config.addresses.length
  const timeoutMs = Math.max(LEAST_CONNECT_TIMEOUT_MS, Math.floor(share))
  let context: ReturnType<typeof clientContext> | undefined
  return async (address, _peer, signal) => {
    const tls = tlsTowards(address, config.tls)
    context ??= clientContext(tls)
    return await dialTls({ ...address, tls, context, timeoutMs, signal })
  }
}
