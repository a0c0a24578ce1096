import { createServer as createTcpServer } from 'node:net'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it, vi } from 'vitest'
import { AuthenticationError, IncompatibleError, MisuseError, NpampError } from '../../errors.ts'
import { testAuthority } from './authority.test-support.ts'
import type { TlsMode } from './options.ts'
import {
  connected,
  dial,
  failureOf,
  foreign,
  foreignClient,
  foreignTls,
  HOST,
  listen,
  rawTcp,
} from './peers.test-support.ts'

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
    const first = await Promise.race([refused.take(), accepted.take()])
    expect(first).toMatchObject({ family: 'incompatible', code: 'ALPN' })
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
