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
import { type PeerAddress, type PeerConfig, tlsTowards } from './peer-config.ts'
import { PeerDirectory } from './peer-directory.ts'
import { PeerTarget } from './peer-target.ts'
import { ProcessBudget } from './read-budget.ts'

export interface MeshOptions {
  readonly identity: OwnIdentity
  readonly peers: readonly PeerConfig[]
  readonly targets: LocalTargets
  /** A session of a client of this relay is over: a peer ended it, or its association was lost. */
  readonly onSessionEnded: (sessionId: string) => void
  readonly limits: MeshLimits
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
  readonly #factory: AssociationFactory
  readonly #watch: AssociationWatch
  readonly #context: AssociationContext
  readonly #gate = new DialGate()
  /** Accepted, and not anybody's yet. */
  readonly #unidentified = new Set<PeerAssociation>()
  #listener: TlsListener | undefined

  constructor(options: MeshOptions) {
    const { identity, clock, targets, metrics, logger, limits } = options
    this.#options = options
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
    }
    for (const config of options.peers) this.#peers.add(this.#createPeer(config))
  }

  /** Dials peers that are always to be connected. */
  start(): void {
    for (const peer of this.#peers) peer.start()
  }

  /** Rejects as `listenTls` does. */
  async listen(config: ListenerConfig): Promise<{ readonly host: string; readonly port: number }> {
    const { host, port, tls, halfOpenHandshakes, halfOpenPerSource } = config
    this.#listener = await listenTls({
      host,
      port,
      tls,
      limits: { maxHalfOpen: halfOpenHandshakes, maxHalfOpenPerSource: halfOpenPerSource },
      onTransport: (transport, settled) => this.accept(transport, settled),
      onRefused: (error, remote) => this.#watch.refused(error, remote),
    })
    return this.#listener.address
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
    this.#unidentified.add(association)
    this.#watch.began(association)
    association.open(transport)
  }

  /** The target of this name behind a peer; undefined for a peer that is not there. */
  target(peerName: string, targetName: string | undefined): CallTarget | undefined {
    const peer = this.#peers.byName(peerName)
    const { clock } = this.#options
    return peer === undefined ? undefined : new PeerTarget(peer, targetName, clock, this.#context.outgoingWatch)
  }

  /** Before the metrics are read. */
  syncMetrics(): void {
    this.#watch.sync()
  }

  /** Takes no more connections and asks peers to open nothing new here. Calls of this relay's clients go on. */
  announceDrain(): void {
    void this.#listener?.close()
    this.#breakOffUnidentified()
    for (const peer of this.#peers) peer.announceDrain()
  }

  /** Lets what is open end; resolves when every association has become idle and is closed. */
  async closeWhenIdle(): Promise<void> {
    await Promise.all([...this.#peers].map((peer) => peer.closeWhenIdle()))
  }

  /** CLOSE to everybody, whatever is open; resolves when all associations are over, at the latest after `limitMs`. */
  async close(limitMs: number): Promise<void> {
    await this.#listener?.close()
    this.#breakOffUnidentified()
    await Promise.all([...this.#peers].map((peer) => peer.close(limitMs)))
  }

  #breakOffUnidentified(): void {
    for (const association of this.#unidentified) association.abort(new ClosedError('CLOSED', 'the relay is stopping'))
  }

  #createPeer(config: PeerConfig): Peer {
    const { clock, random, connect = tlsConnector(config) } = this.#options
    const watch = this.#watch
    return new Peer({
      config,
      clock,
      watch: this.#context.outgoingWatch,
      dialling: {
        random,
        gate: this.#gate,
        connect: (address, signal) => connect(address, config, signal),
        onAddressFailed: (address, failure) => watch.addressFailed(config.name, address, failure),
      },
      createAssociation: (peer) => this.#initiator(peer),
      observer: {
        established: (association, info) => watch.established(association, config.name, info),
        closed: (association, cause) => watch.closed(association, config.name, cause),
        dialSucceeded: () => watch.dialSucceeded(config.name),
        dialFailed: (failure) => watch.dialFailed(config.name, failure),
        sessionEnded: this.#options.onSessionEnded,
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
