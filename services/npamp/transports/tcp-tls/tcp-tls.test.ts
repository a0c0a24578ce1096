import { once } from 'node:events'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
  connect as tcpConnect,
} from 'node:net'
import {
  type ConnectionOptions,
  createServer as createTlsServer,
  type TlsOptions,
  connect as tlsConnect,
} from 'node:tls'
import { requirement } from '@causeway/test/requirements'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  AuthenticationError,
  ClosedError,
  IncompatibleError,
  LimitError,
  MisuseError,
  NpampError,
} from '../../errors.ts'
import { concatOctets } from '../../wire/octets.ts'
import type { Transport } from '../contract.ts'
import { testAuthority } from './authority.test-support.ts'
import { mintCertificate } from './certificate.ts'
import { type DialOptions, dialTls } from './dial.ts'
import { type ListenOptions, listenTls, type TlsListener } from './listen.ts'
import type { TlsMode } from './options.ts'

const HOST = '127.0.0.1'
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

interface Relay {
  readonly listener: TlsListener
  readonly port: number
  readonly accepted: Inbox<Accepted>
  readonly refused: Inbox<NpampError>
}

async function listen(options: Partial<ListenOptions> = {}): Promise<Relay> {
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

async function dial(port: number, options: Partial<DialOptions> = {}): Promise<Transport> {
  const transport = await dialTls({ host: HOST, port, tls: PINNED, timeoutMs: 10_000, ...options })
  cleanups.push(() => transport.destroy())
  return transport
}

async function failureOf(work: Promise<unknown>): Promise<NpampError> {
  const error: unknown = await work.then(
    () => expect.fail('it did not fail'),
    (reason: unknown) => reason,
  )
  return error instanceof NpampError ? error : expect.fail(`not an NpampError: ${String(error)}`)
}

/** Starts a transport and remembers what it says. */
function hear(transport: Transport) {
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
async function foreign(server: Server): Promise<number> {
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

const foreignTls = async (options: TlsOptions) =>
  foreign(
    createTlsServer({ ...(await mintCertificate(new Date())), ...options }, (socket) => socket.on('error', () => {})),
  )

/** A TLS client of somebody else; resolves to what it negotiated, or to undefined when it failed. */
async function foreignClient(port: number, options: ConnectionOptions): Promise<string | false | null | undefined> {
  const socket = tlsConnect({ host: HOST, port, rejectUnauthorized: false, ...options })
  cleanups.push(() => socket.destroy())
  return new Promise((resolve) => {
    socket.once('secureConnect', () => resolve(socket.alpnProtocol))
    socket.on('error', () => resolve(undefined))
    socket.on('close', () => resolve(undefined))
  })
}

async function rawTcp(port: number): Promise<Socket> {
  const socket = tcpConnect({ host: HOST, port })
  socket.on('error', () => {})
  cleanups.push(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

async function connected(options: Partial<ListenOptions> = {}, dialling: Partial<DialOptions> = {}) {
  const relay = await listen(options)
  const near = await dial(relay.port, dialling)
  const { transport: far, settled } = await relay.accepted.take()
  return { ...relay, near, far, settled }
}

describe('a connection', () => {
  it(`${requirement('WIRE-001')} negotiates n-pamp/2 on TLS 1.3 and carries octets both ways`, async () => {
    const { near, far } = await connected()
    const [nearEar, farEar] = [hear(near), hear(far)]
    near.write([Uint8Array.of(1, 2), Uint8Array.of(3)])
    far.write([Uint8Array.of(4)])
    expect(await farEar.take(3)).toEqual(Uint8Array.of(1, 2, 3))
    expect(await nearEar.take(1)).toEqual(Uint8Array.of(4))
    for (const { info } of [near, far])
      expect(info).toMatchObject({ kind: 'tcp-tls', alpn: 'n-pamp/2', tlsVersion: 'TLSv1.3' })
    expect(near.info.remote).toBe(far.info.local)
    expect(near.info.local).toBe(far.info.remote)
  })

  it('keeps octets that come before its receiver', async () => {
    const { near, far } = await connected()
    near.write([Uint8Array.of(9)])
    expect(await hear(far).take(1)).toEqual(Uint8Array.of(9))
  })

  it('carries large writes whole, and says when to wait and when to go on', async () => {
    const { near, far } = await connected()
    const nearEar = hear(near)
    far.pauseReading()
    const farEar = hear(far)
    const block = Uint8Array.from({ length: 1024 * 1024 }, (_, index) => index % 251)
    const pieces = [block.subarray(0, 36), block.subarray(36)]
    // More than any socket buffers take: some write must ask to wait.
    const answers = Array.from({ length: 24 }, () => near.write(pieces))
    expect(answers.at(-1)).toBe(false)
    far.resumeReading()
    const got = await farEar.take(24 * block.length)
    for (let index = 0; index < 24; index++)
      expect(Buffer.compare(got.subarray(index * block.length, (index + 1) * block.length), block)).toBe(0)
    expect(await nearEar.log.take()).toBe('writable')
  })
})

describe('ALPN', () => {
  it(`${requirement('WIRE-001')} makes the dialler refuse a server that negotiated nothing`, async () => {
    const error = await failureOf(dial(await foreignTls({})))
    expect(error).toBeInstanceOf(IncompatibleError)
    expect(error.code).toBe('ALPN')
  })

  it(`${requirement('WIRE-001', 'WIRE-002')} makes the dialler refuse a server that speaks something else, n-pamp/1 too`, async () => {
    for (const other of ['h2', 'n-pamp/1'])
      expect((await failureOf(dial(await foreignTls({ ALPNProtocols: [other] })))).code).toBe('ALPN')
    // A server that answers with what was never offered.
    const odd = await foreignTls({
      ALPNCallback: ({ protocols }) => (protocols.includes('n-pamp/1') ? 'n-pamp/1' : undefined),
    })
    expect((await failureOf(dial(odd))).code).toBe('ALPN')
  })

  it(`${requirement('WIRE-001')} makes the listener refuse a client that offers none`, async () => {
    const { port, refused, accepted, listener } = await listen()
    await foreignClient(port, {})
    const error = await refused.take()
    expect(error).toBeInstanceOf(IncompatibleError)
    expect(error.code).toBe('ALPN')
    expect(accepted.waiting).toBe(0)
    await vi.waitFor(() => expect(listener.halfOpen).toBe(0))
  })

  it(`${requirement('WIRE-001', 'WIRE-002')} makes the listener refuse a client that offers others only`, async () => {
    const { port, refused } = await listen()
    for (const ALPNProtocols of [['h2'], ['n-pamp/1'], ['http/1.1', 'n-pamp/3']]) {
      expect(await foreignClient(port, { ALPNProtocols })).toBeUndefined()
      expect((await refused.take()).code).toBe('ALPN')
    }
    expect(await foreignClient(port, { ALPNProtocols: ['n-pamp/1', 'n-pamp/2'] })).toBe('n-pamp/2')
  })
})

describe('TLS', () => {
  it(`${requirement('WIRE-001')} is 1.3 or nothing, on both ends`, async () => {
    const { port, refused } = await listen()
    expect(await foreignClient(port, { maxVersion: 'TLSv1.2', ALPNProtocols: ['n-pamp/2'] })).toBeUndefined()
    expect((await refused.take()).code).toBe('TLS')
    const old = await foreignTls({ maxVersion: 'TLSv1.2', ALPNProtocols: ['n-pamp/2'] })
    expect((await failureOf(dial(old))).code).toBe('TLS')
  })

  it('survives plain TCP garbage, and says so', async () => {
    const { port, refused } = await listen()
    for (const garbage of [
      'GET / HTTP/1.1\r\n\r\n',
      '\x16\x03\x01\xff\xff',
      '\0'.repeat(5000),
      '\x15\x03\x03\x00\x02\x02\x28',
    ]) {
      const socket = await rawTcp(port)
      socket.end(garbage, 'latin1')
      expect(await refused.take()).toBeInstanceOf(NpampError)
    }
    await expect(dial(port)).resolves.toBeDefined()
  })

  it('survives a ClientHello that is cut or damaged anywhere', async () => {
    const { promise: firstFlight, resolve } = Promise.withResolvers<Buffer>()
    const listening = await foreign(createTcpServer((socket) => socket.once('data', resolve)))
    void dial(listening).catch(() => {})
    const hello = await firstFlight
    const { port, refused, accepted } = await listen({ limits: { tlsHandshakeTimeoutMs: 100 } })
    for (let at = 0; at < hello.length; at += 37) {
      const cut = await rawTcp(port)
      cut.end(hello.subarray(0, at))
      expect(await refused.take()).toBeInstanceOf(NpampError)
      const damaged = Buffer.from(hello)
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0xff, at)
      const socket = await rawTcp(port)
      // Half of these are no error yet; then it is the missing rest of the handshake that is.
      socket.end(damaged)
      expect(await refused.take()).toBeInstanceOf(NpampError)
    }
    expect(accepted.waiting).toBe(0)
    await expect(dial(port)).resolves.toBeDefined()
  })

  it('survives a connection that ends or is reset before it said anything', async () => {
    const { port, refused, listener } = await listen()
    const ended = await rawTcp(port)
    ended.end()
    expect((await refused.take()).family).toBe('closed')
    const reset = await rawTcp(port)
    reset.resetAndDestroy()
    expect((await refused.take()).family).toBe('closed')
    await vi.waitFor(() => expect(listener.halfOpen).toBe(0))
  })

  it('has a time limit at the listener', async () => {
    const { port, refused } = await listen({ limits: { tlsHandshakeTimeoutMs: 30 } })
    await rawTcp(port)
    expect((await refused.take()).code).toBe('HANDSHAKE_TIMEOUT')
  })
})

describe('the post-quantum stage', () => {
  it('is readable at the dialler only', async () => {
    const { near, far } = await connected()
    expect(near.info.group).toBe('X25519MLKEM768')
    expect(far.info.group).toBeUndefined()
  })

  it('`prefer` takes the hybrid group where it can, another one where it must', async () => {
    const tls: TlsMode = { mode: 'pinned', postQuantum: 'prefer' }
    expect((await connected({}, { tls })).near.info.group).toBe('X25519MLKEM768')
    const classic = await foreignTls({ ecdhCurve: 'X25519', ALPNProtocols: ['n-pamp/2'] })
    expect((await dial(classic, { tls })).info.group).toBe('X25519')
  })

  it('`require` connects with the hybrid group or not at all, on either end', async () => {
    const tls = { mode: 'pinned', postQuantum: 'require' } as const
    expect((await connected({ tls }, { tls })).near.info.group).toBe('X25519MLKEM768')
    const classic = await foreignTls({ ecdhCurve: 'X25519', ALPNProtocols: ['n-pamp/2'] })
    expect((await failureOf(dial(classic, { tls }))).code).toBe('TLS')
    const { port, refused } = await listen({ tls })
    expect(await foreignClient(port, { ecdhCurve: 'X25519', ALPNProtocols: ['n-pamp/2'] })).toBeUndefined()
    expect((await refused.take()).code).toBe('TLS')
  })
})

describe('mode `ca`', () => {
  it('accepts a certificate of the bundle for the server name, whatever host was dialled', async () => {
    const authority = await testAuthority()
    for (const serverName of ['relay.example', '10.1.2.3']) {
      const leaf = await authority.issue(serverName)
      const { port } = await listen({ tls: { mode: 'ca', ...leaf } })
      await expect(dial(port, { tls: { mode: 'ca', ca: authority.ca, serverName } })).resolves.toBeDefined()
    }
  })

  it('refuses another name and another authority', async () => {
    const [authority, stranger] = [await testAuthority(), await testAuthority('stranger')]
    const { port } = await listen({ tls: { mode: 'ca', ...(await authority.issue('relay.example')) } })
    const bad: TlsMode[] = [
      { mode: 'ca', ca: authority.ca, serverName: 'other.example' },
      { mode: 'ca', ca: authority.ca, serverName: HOST },
      { mode: 'ca', ca: stranger.ca, serverName: 'relay.example' },
    ]
    for (const tls of bad) {
      const error = await failureOf(dial(port, { tls }))
      expect(error).toBeInstanceOf(AuthenticationError)
      expect(error.code).toBe('IDENTITY_REFUSED')
    }
  })

  it('refuses a minted certificate, which `pinned` takes', async () => {
    const { port } = await listen()
    const { ca } = await testAuthority()
    expect((await failureOf(dial(port, { tls: { mode: 'ca', ca, serverName: 'n-pamp' } }))).code).toBe(
      'IDENTITY_REFUSED',
    )
    await expect(dial(port)).resolves.toBeDefined()
  })

  it('asks for a client certificate when it has a bundle for clients', async () => {
    const [servers, clients] = [await testAuthority(), await testAuthority()]
    const leaf = await servers.issue('relay.example')
    const { port, refused, accepted } = await listen({ tls: { mode: 'ca', ...leaf, ca: clients.ca } })
    const tls = { mode: 'ca', ca: servers.ca, serverName: 'relay.example' } as const
    await dial(port, { tls: { ...tls, ...(await clients.issue('client')) } })
    await accepted.take()
    for (const identity of [{}, await servers.issue('client')]) {
      // In TLS 1.3 the client learns of it only after its own handshake.
      await dial(port, { tls: { ...tls, ...identity } }).catch(() => {})
      expect((await refused.take()).code).toBe('IDENTITY_REFUSED')
    }
    expect(accepted.waiting).toBe(0)
  })

  it('refuses PEM that is none, at both ends', async () => {
    const bad = { mode: 'ca', cert: 'x', key: 'y', ca: 'z', serverName: 'relay.example' } as const
    expect(await failureOf(listen({ tls: bad }))).toBeInstanceOf(MisuseError)
    expect(await failureOf(dial(1, { tls: bad }))).toBeInstanceOf(MisuseError)
  })
})

describe('dialling', () => {
  it('fails where nobody listens', async () => {
    const { port, listener } = await listen()
    await listener.close()
    const error = await failureOf(dial(port))
    expect(error).toBeInstanceOf(ClosedError)
    expect(error.message).toContain('ECONNREFUSED')
  })

  it('fails after its time limit against a server that says nothing', async () => {
    const silent = await foreign(createTcpServer())
    const error = await failureOf(dial(silent, { timeoutMs: 30 }))
    expect(error).toBeInstanceOf(LimitError)
    expect(error.code).toBe('HANDSHAKE_TIMEOUT')
  })

  it('fails against a server that hangs up, and one that talks rubbish', async () => {
    const hangsUp = await foreign(createTcpServer((socket) => socket.destroy()))
    expect((await failureOf(dial(hangsUp))).code).toBe('TRANSPORT_LOST')
    const rubbish = await foreign(createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
    expect((await failureOf(dial(rubbish))).code).toBe('TLS')
  })

  it('can be aborted, before and during', async () => {
    const silent = await foreign(createTcpServer())
    expect((await failureOf(dial(silent, { signal: AbortSignal.abort() }))).code).toBe('CLOSED')
    const controller = new AbortController()
    const dialled = failureOf(dial(silent, { signal: controller.signal }))
    controller.abort()
    expect((await dialled).code).toBe('CLOSED')
  })

  it('refuses a port that is none', async () => {
    expect(await failureOf(dial(70_000))).toBeInstanceOf(MisuseError)
  })
})

describe('the end of a connection', () => {
  it('of one side leaves the other able to finish', async () => {
    const { near, far } = await connected()
    const [nearEar, farEar] = [hear(near), hear(far)]
    near.write([Uint8Array.of(1)])
    near.end()
    expect(await farEar.take(1)).toEqual(Uint8Array.of(1))
    expect(await farEar.log.take()).toBe('end')
    far.write([Uint8Array.of(2)])
    far.end()
    expect(await nearEar.take(1)).toEqual(Uint8Array.of(2))
    expect(await nearEar.log.take()).toBe('end')
  })

  it('by a reset is a loss', async () => {
    const { near, far } = await connected()
    const farEar = hear(far)
    near.destroy()
    // A close without a word may still arrive as an orderly end of the TCP stream.
    expect(['lost', 'end']).toContain(await farEar.log.take())
    const relay = await listen()
    const upstream = await rawTcp(relay.port)
    // In between, so that the reset passes TLS by.
    const proxy = await foreign(createTcpServer((socket) => socket.pipe(upstream).pipe(socket)))
    const dialler = await dial(proxy)
    const { transport } = await relay.accepted.take()
    const ear = hear(transport)
    // Both ways, so that nothing of TLS itself is still to be written: a failed write would swallow the reset.
    transport.write([Uint8Array.of(1)])
    expect(await hear(dialler).take(1)).toEqual(Uint8Array.of(1))
    upstream.resetAndDestroy()
    expect(await ear.log.take()).toBe('lost')
  })

  it('before the receiver is told to the receiver', async () => {
    const relay = await listen()
    const socket = tlsConnect({ host: HOST, port: relay.port, rejectUnauthorized: false, ALPNProtocols: ['n-pamp/2'] })
    socket.on('error', () => {})
    const { transport } = await relay.accepted.take()
    transport.destroy()
    await once(socket, 'close')
    expect(await hear(transport).log.take()).toBe('lost')
  })

  it('does not wait for ever for a peer that never ends', async () => {
    const { near, far } = await connected()
    const nearEar = hear(near)
    const farEar = hear(far)
    // Only our own timer is false: sockets run on.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    near.end()
    expect(await farEar.log.take()).toBe('end')
    vi.advanceTimersByTime(4_999)
    expect(nearEar.log.waiting).toBe(0)
    vi.advanceTimersByTime(1)
    vi.useRealTimers()
    expect(await nearEar.log.take()).toBe('lost')
  })

  it('makes writing harmless', async () => {
    const { near } = await connected()
    const ear = hear(near)
    near.destroy()
    expect(await ear.log.take()).toBe('lost')
    expect(near.write([Uint8Array.of(1)])).toBe(true)
    near.end()
    near.destroy()
  })
})

describe('half-open connections', () => {
  const limits = { maxHalfOpen: 256, maxHalfOpenPerSource: 3, tlsHandshakeTimeoutMs: 10_000 }

  it('are limited per source, counted from TCP accept until settled', async () => {
    const { port, refused, accepted, listener } = await listen({ limits })
    const silent = await rawTcp(port)
    await dial(port)
    await dial(port)
    await vi.waitFor(() => expect(listener.halfOpen).toBe(3))
    expect((await failureOf(dial(port))).code).toBe('TRANSPORT_LOST')
    const error = await refused.take()
    expect(error).toBeInstanceOf(LimitError)
    expect(error.code).toBe('HALF_OPEN')

    const first = await accepted.take()
    first.settled()
    first.settled()
    expect(listener.halfOpen).toBe(2)
    await dial(port)
    expect(listener.halfOpen).toBe(3)

    silent.destroy()
    await vi.waitFor(() => expect(listener.halfOpen).toBe(2))
    await expect(dial(port)).resolves.toBeDefined()
  })

  it('no longer count once they are closed, settled or not', async () => {
    const { port, accepted, listener } = await listen({ limits })
    await dial(port)
    const { transport, settled } = await accepted.take()
    expect(listener.halfOpen).toBe(1)
    transport.destroy()
    await vi.waitFor(() => expect(listener.halfOpen).toBe(0))
    settled()
    expect(listener.halfOpen).toBe(0)
  })
})

describe('a listener', () => {
  it('that is closed takes nobody in, drops who is in the TLS handshake, and leaves the others alone', async () => {
    const { near, far, port, listener } = await connected()
    const silent = await rawTcp(port)
    await vi.waitFor(() => expect(listener.halfOpen).toBe(2))
    const dropped = once(silent, 'close')
    await listener.close()
    await dropped
    expect((await failureOf(dial(port))).code).toBe('TRANSPORT_LOST')
    near.write([Uint8Array.of(7)])
    expect(await hear(far).take(1)).toEqual(Uint8Array.of(7))
  })

  it('fails where the address is taken', async () => {
    const { port } = await listen()
    const error = await failureOf(listen({ port }))
    expect(error).toBeInstanceOf(ClosedError)
    expect(error.message).toContain('EADDRINUSE')
  })
})
