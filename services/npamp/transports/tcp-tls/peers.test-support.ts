import { once } from 'node:events'
import { type AddressInfo, type Server, type Socket, connect as tcpConnect } from 'node:net'
import {
  type ConnectionOptions,
  createServer as createTlsServer,
  type TlsOptions,
  connect as tlsConnect,
} from 'node:tls'
import { afterEach, expect, vi } from 'vitest'
import { NpampError } from '../../errors.ts'
import { concatOctets } from '../../wire/octets.ts'
import type { Transport } from '../contract.ts'
import { mintCertificate } from './certificate.ts'
import { type DialOptions, dialTls } from './dial.ts'
import { type ListenOptions, listenTls, type TlsListener } from './listen.ts'

export const HOST = '127.0.0.1'
const PINNED = { mode: 'pinned' } as const

/** Undone after each test, last first. */
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (let undo = cleanups.pop(); undo !== undefined; undo = cleanups.pop()) await undo()
})

/** Values that arrive over time, taken in order. */
class Inbox<T> {
  readonly #items: T[] = []
  #wake: (() => void) | undefined

  put(item: T): void {
    this.#items.push(item)
    this.#wake?.()
  }

  get waiting(): number {
    return this.#items.length
  }

  async take(): Promise<T> {
    for (;;) {
      const item = this.#items.shift()
      if (item !== undefined) return item
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

interface Accepted {
  readonly transport: Transport
  readonly settled: () => void
}

export interface Relay {
  readonly listener: TlsListener
  readonly port: number
  readonly accepted: Inbox<Accepted>
  readonly refused: Inbox<NpampError>
}

export async function listen(options: Partial<ListenOptions> = {}): Promise<Relay> {
  const accepted = new Inbox<Accepted>()
  const refused = new Inbox<NpampError>()
  const listener = await listenTls({
    host: HOST,
    port: 0,
    tls: PINNED,
    onTransport: (transport, settled) => {
      cleanups.push(() => transport.destroy())
      accepted.put({ transport, settled })
    },
    onRefused: (error) => refused.put(error),
    ...options,
  })
  cleanups.push(() => listener.close())
  return { listener, port: listener.address.port, accepted, refused }
}

export async function dial(port: number, options: Partial<DialOptions> = {}): Promise<Transport> {
  const transport = await dialTls({ host: HOST, port, tls: PINNED, timeoutMs: 10_000, ...options })
  cleanups.push(() => transport.destroy())
  return transport
}

export async function failureOf(work: Promise<unknown>): Promise<NpampError> {
  const error: unknown = await work.then(
    () => expect.fail('it did not fail'),
    (reason: unknown) => reason,
  )
  return error instanceof NpampError ? error : expect.fail(`not an NpampError: ${String(error)}`)
}

/** Starts a transport and remembers what it says. */
export function hear(transport: Transport) {
  const octets = new Inbox<Uint8Array>()
  const log = new Inbox<string>()
  transport.start({
    onOctets: (piece) => octets.put(piece),
    onWritable: () => log.put('writable'),
    onEnd: (clean) => log.put(clean ? 'end' : 'lost'),
  })
  const take = async (count: number) => {
    const pieces: Uint8Array[] = []
    for (let got = 0; got < count; ) {
      const piece = await octets.take()
      pieces.push(piece)
      got += piece.length
    }
    return concatOctets(pieces)
  }
  return { take, log }
}

/** A TLS or TCP server of somebody else. */
export async function foreign(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  server.listen(0, HOST)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

export const foreignTls = async (options: TlsOptions) =>
  foreign(
    createTlsServer({ ...(await mintCertificate(new Date())), ...options }, (socket) => socket.on('error', () => {})),
  )

/** A TLS client of somebody else; resolves to what it negotiated, or to undefined when it failed. */
export async function foreignClient(
  port: number,
  options: ConnectionOptions,
): Promise<string | false | null | undefined> {
  const socket = tlsConnect({ host: HOST, port, rejectUnauthorized: false, ...options })
  cleanups.push(() => socket.destroy())
  return new Promise((resolve) => {
    socket.once('secureConnect', () => resolve(socket.alpnProtocol))
    socket.on('error', () => resolve(undefined))
    socket.on('close', () => resolve(undefined))
  })
}

export async function rawTcp(port: number): Promise<Socket> {
  const socket = tcpConnect({ host: HOST, port })
  socket.on('error', () => {})
  cleanups.push(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

export async function connected(options: Partial<ListenOptions> = {}, dialling: Partial<DialOptions> = {}) {
  const relay = await listen(options)
  const near = await dial(relay.port, dialling)
  const { transport: far, settled } = await relay.accepted.take()
  return { ...relay, near, far, settled }
}
