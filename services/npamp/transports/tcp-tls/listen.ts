import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions, type Server as TlsServer } from 'node:tls'
import { ClosedError, LimitError, MisuseError, type NpampError } from '../../errors.ts'
import type { Transport } from '../contract.ts'
import { mintCertificate } from './certificate.ts'
import { groupsFor } from './groups.ts'
import { DEFAULT_HALF_OPEN_LIMITS, HalfOpenCounter, type HalfOpenLimits } from './half-open.ts'
import { ALPN, type ListenTlsMode } from './options.ts'
import { endpoint, socketInfo } from './socket-info.ts'
import { SocketTransport } from './socket-transport.ts'
import { alpnRefused, transportError } from './tls-errors.ts'

export interface ListenLimits extends HalfOpenLimits {
  readonly tlsHandshakeTimeoutMs: number
}

export const DEFAULT_LISTEN_LIMITS: ListenLimits = { ...DEFAULT_HALF_OPEN_LIMITS, tlsHandshakeTimeoutMs: 10_000 }

export interface ListenOptions {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  readonly tls: ListenTlsMode
  readonly limits?: Partial<ListenLimits>
  /**
   * A connection that speaks TLS 1.3 and negotiated `n-pamp/2`. It counts as half-open until `settled` is called, once its
   * N-PAMP handshake is over, or it closes.
   */
  readonly onTransport: (transport: Transport, settled: () => void) => void
  /** A connection that never became a transport, and why; `remote` is `host:port` where it is still known. */
  readonly onRefused: (error: NpampError, remote: string | undefined) => void
}

export interface TlsListener {
  readonly address: { readonly host: string; readonly port: number }
  /** Connections between TCP accept and `settled`. */
  readonly halfOpen: number
  /** From the next connection on. Rejects with MisuseError ARGUMENT for what cannot be used, and keeps the last then. */
  renewTls(tls: ListenTlsMode): Promise<void>
  setLimits(limits: HalfOpenLimits): void
  /** Stops accepting and drops connections still in their TLS handshake; transports that were handed over live on. */
  close(): Promise<void>
}

/** Rejects with ClosedError TRANSPORT_LOST when the address cannot be bound, MisuseError ARGUMENT for unusable options. */
export async function listenTls(options: ListenOptions): Promise<TlsListener> {
  const limits = { ...DEFAULT_LISTEN_LIMITS, ...options.limits }
  const newTls = async (tls: ListenTlsMode) => createTls(await serverOptions(tls, limits.tlsHandshakeTimeoutMs))
  const counter = new HalfOpenCounter(limits)
  const acceptor = new Acceptor(options, counter, await newTls(options.tls))
  const tcpServer = createTcpServer((socket) => acceptor.accept(socket))
  const address = await bind(tcpServer, options)
  // Accepting one connection failed, e.g. for want of file descriptors; the listener itself goes on.
  tcpServer.on('error', (error) => options.onRefused(transportError(error, 'accept'), undefined))
  return {
    address,
    get halfOpen() {
      return acceptor.halfOpen
    },
    renewTls: async (tls) => acceptor.use(await newTls(tls)),
    setLimits: (changed) => counter.setLimits(changed),
    close: async () => {
      tcpServer.close()
      acceptor.dropUnfinished()
    },
  }
}

/** Takes TCP connections in, counts them, runs TLS on them, hands over what speaks `n-pamp/2`. */
class Acceptor {
  readonly #options: ListenOptions
  readonly #counter: HalfOpenCounter
  #tlsServer: TlsServer
  /** By remote endpoint, because TLS tells of its own socket only. */
  readonly #unfinished = new Map<string, { socket: Socket; release: () => void }>()

  constructor(options: ListenOptions, counter: HalfOpenCounter, tlsServer: TlsServer) {
    this.#options = options
    this.#counter = counter
    this.#tlsServer = this.#hear(tlsServer)
  }

  /** For the connections that come from now on. */
  use(tlsServer: TlsServer): void {
    this.#tlsServer = this.#hear(tlsServer)
  }

  get halfOpen(): number {
    return this.#counter.total
  }

  accept(socket: Socket): void {
    const remote = remoteOf(socket)
    const release = remote === undefined ? undefined : this.#counter.admit(socket.remoteAddress ?? '')
    if (remote === undefined || release === undefined) {
      drop(socket)
      if (remote !== undefined)
        this.#options.onRefused(new LimitError('HALF_OPEN', `${remote}: too many half-open connections`), remote)
      return
    }
    const entry = { socket, release }
    this.#unfinished.set(remote, entry)
    socket.once('close', () => {
      // The same endpoint may be back already.
      if (this.#unfinished.get(remote) === entry) this.#unfinished.delete(remote)
      release()
    })
    this.#tlsServer.emit('connection', socket)
  }

  dropUnfinished(): void {
    for (const { socket } of this.#unfinished.values()) socket.destroy()
  }

  #hear(tlsServer: TlsServer): TlsServer {
    tlsServer.on('secureConnection', (socket) => this.#secured(socket))
    tlsServer.on('tlsClientError', (error, socket) => {
      const remote = remoteOf(socket)
      drop(socket)
      this.#options.onRefused(transportError(error, remote ?? 'TLS'), remote)
    })
    return tlsServer
  }

  #secured(socket: TLSSocket): void {
    const remote = remoteOf(socket)
    const entry = remote === undefined ? undefined : this.#unfinished.get(remote)
    if (remote === undefined || entry === undefined) {
      drop(socket)
      return
    }
    this.#unfinished.delete(remote)
    // WIRE-001: a client that offers no ALPN at all is let through by TLS itself.
    if (socket.alpnProtocol !== ALPN) {
      drop(socket)
      this.#options.onRefused(alpnRefused(socket.alpnProtocol, remote), remote)
      return
    }
    this.#options.onTransport(new SocketTransport(socket, socketInfo(socket)), entry.release)
  }
}

async function serverOptions(tls: ListenTlsMode, handshakeTimeout: number): Promise<TlsOptions> {
  const groups = groupsFor(tls.postQuantum)
  return {
    handshakeTimeout,
    minVersion: 'TLSv1.3',
    maxVersion: 'TLSv1.3',
    // Not a list: node copies that for every connection, out of its shared pool, of which each would then keep 64 KiB.
    ALPNCallback: ({ protocols }) => (protocols.includes(ALPN) ? ALPN : undefined),
    ...(groups === undefined ? {} : { ecdhCurve: groups }),
    ...(tls.mode === 'pinned' ? await mintCertificate(new Date()) : { cert: buffer(tls.cert), key: buffer(tls.key) }),
    ...(tls.mode === 'ca' && tls.ca !== undefined
      ? { ca: buffer(tls.ca), requestCert: true, rejectUnauthorized: true }
      : {}),
  }
}

function createTls(options: TlsOptions): TlsServer {
  try {
    return createTlsServer(options)
  } catch (error) {
    throw new MisuseError('ARGUMENT', `TLS listener: ${error instanceof Error ? error.message : 'bad options'}`)
  }
}

function bind(server: Server, options: ListenOptions): Promise<{ host: string; port: number }> {
  return new Promise((resolve, reject) => {
    const where = endpoint(options.host, options.port)
    const onError = (error: Error & { code?: string }) =>
      reject(new ClosedError('TRANSPORT_LOST', `${where}: cannot listen: ${error.code ?? error.message}`))
    server.once('error', onError)
    server.listen({ host: options.host, port: options.port }, () => {
      server.off('error', onError)
      const { address, port } = server.address() as AddressInfo
      resolve({ host: address, port })
    })
  })
}

/** Whatever the socket still has to say is about a connection that nobody has. */
function drop(socket: Socket): void {
  socket.on('error', () => {})
  socket.destroy()
}

function remoteOf(socket: Socket): string | undefined {
  return socket.remoteAddress === undefined ? undefined : endpoint(socket.remoteAddress, socket.remotePort)
}

function buffer(pem: string | Uint8Array): string | Buffer {
  return typeof pem === 'string' ? pem : Buffer.from(pem)
}
