import { nodeProvider } from '../crypto/node/index.ts'
import {
  Association,
  type AssociationOptions,
  CLOSE_CODE,
  type CloseCause,
  ClosedError,
  type CryptoProvider,
  type Transport,
} from '../index.ts'
import { type Clock, type ListenLimits, type ListenTlsMode, listenTls, systemClock } from '../transports/index.ts'
import { type SessionInfo, Sessions } from './acceptor.ts'
import { McpAssociation } from './association.ts'
import { DEFAULT_MAX_OPEN_REQUESTS, type OwnOptions, responding } from './association-options.ts'
import { hex } from './hex.ts'
import type { McpTransport } from './transport.ts'

export interface ServeMcpOptions extends OwnOptions {
  /** PeerHandles of those who may connect: relays, or clients that `connectMcp` embeds. */
  readonly allow: readonly string[]
  /** Names that peers may know this server by; default: any. */
  readonly targets?: readonly string[]
  /**
   * A client opened a session of the legacy era, or makes one request outside any, as the modern era does: connect a server
   * of its own to the transport. What it throws, or rejects with, closes the transport.
   */
  readonly onSession: (transport: McpTransport, info: SessionInfo) => unknown
  /** A connection or session that came to nothing, and why. */
  readonly onError?: (error: Error) => void
  /** Default 1,000. */
  readonly sessionsPerAssociation?: number
  /** Default 1,024. */
  readonly openRequestsPerAssociation?: number
}

export interface ListenMcpOptions extends ServeMcpOptions {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  /** Default: `pinned`, X25519MLKEM768 preferred. */
  readonly tls?: ListenTlsMode
  /** Of connections whose handshake is not over yet. */
  readonly limits?: Partial<ListenLimits>
}

export interface McpListener {
  /** Where it listens, with the port that the system chose. */
  readonly host: string
  readonly port: number
  /** Open associations. */
  readonly associations: number
  /** Ends all associations and with them all transports. Resolves when they are over. */
  close(): Promise<void>
}

/**
 * An MCP server that peers reach without a relay beside it. Rejects with ClosedError TRANSPORT_LOST when the address cannot
 * be bound, MisuseError ARGUMENT for unusable options.
 */
export async function listenMcp({ host, port, tls, limits, ...options }: ListenMcpOptions): Promise<McpListener> {
  const server = new McpServing(options, systemClock(), nodeProvider())
  const listener = await listenTls({
    host,
    port,
    tls: tls ?? { mode: 'pinned', postQuantum: 'prefer' },
    ...(limits && { limits }),
    onTransport: (transport, settled) => server.accept(transport, settled),
    onRefused: (error) => options.onError?.(error),
  })
  return {
    ...listener.address,
    get associations() {
      return server.size
    },
    close: async () => {
      await listener.close()
      await server.close()
    },
  }
}

/** The associations of one embedded server. */
export class McpServing {
  readonly #options: ServeMcpOptions
  readonly #clock: Clock
  readonly #provider: CryptoProvider
  readonly #core: AssociationOptions
  readonly #associations = new Set<McpAssociation>()

  constructor(options: ServeMcpOptions, clock: Clock, provider: CryptoProvider) {
    this.#options = options
    this.#clock = clock
    this.#provider = provider
    this.#core = responding(options, provider, new Set(options.allow))
  }

  get size(): number {
    return this.#associations.size
  }

  /** `settled` is called once the handshake is over, one way or the other. */
  accept(transport: Transport, settled: () => void): void {
    const { openRequestsPerAssociation = DEFAULT_MAX_OPEN_REQUESTS } = this.#options
    const association = new McpAssociation({
      core: new Association(this.#core, this.#clock.now()),
      clock: this.#clock,
      maxOpenRequests: openRequestsPerAssociation,
      acceptor: (own) => this.#sessions(own),
      onReady: () => {
        settled()
        this.#closeEarlier(association)
      },
      onClosed: (cause) => {
        settled()
        this.#associations.delete(association)
        this.#ended(cause)
      },
    })
    this.#associations.add(association)
    association.open(transport)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#associations].map((one) => one.close(CLOSE_CODE.GOING_AWAY, 'the server is closed')))
  }

  #sessions(association: McpAssociation): Sessions {
    const { targets, sessionsPerAssociation = DEFAULT_MAX_SESSIONS, onSession, onError } = this.#options
    return new Sessions(association, {
      targets: targets && new Set(targets),
      maxSessions: sessionsPerAssociation,
      random: (octets) => this.#provider.random(octets),
      onSession,
      onError: (error) => onError?.(error),
    })
  }

  /** The peer's process was started again: what it had before is nobody's any more (CARRIAGE section 1). */
  #closeEarlier(association: McpAssociation): void {
    const { process, bootId } = incarnationOf(association)
    if (process === undefined) return
    for (const other of this.#associations) {
      const before = incarnationOf(other)
      if (before.process === process && before.bootId !== bootId)
        other.abort(new ClosedError('TRANSPORT_LOST', 'the peer was started again'))
    }
  }

  /** A peer that ends an association as it should is nobody's trouble. */
  #ended(cause: CloseCause): void {
    if (cause.by === 'error') this.#options.onError?.(cause.error)
  }
}

const DEFAULT_MAX_SESSIONS = 1_000

function incarnationOf({ core }: McpAssociation): { process?: string; bootId?: string } {
  const extensions = core.peer?.extensions
  if (core.established === undefined || extensions === undefined) return {}
  return { process: `${core.established.peerHandle} ${extensions.replica}`, bootId: hex(extensions.bootId) }
}
