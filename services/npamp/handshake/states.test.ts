import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { clientConfig, onlyFrame, serverConfig, shakeHands, type Wire } from '../../../test/fixtures/npamp/handshake.ts'
import { hex } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDERS } from '../../../test/fixtures/npamp/providers.ts'
import { WatchingProvider } from '../../../test/fixtures/npamp/watching-provider.ts'
import { peerHandle } from '../discovery/peer-handle.ts'
import { NpampError } from '../errors.ts'
import { startClient } from './client.ts'
import type { ClientConfig, ServerConfig } from './config.ts'
import { awaitClientHello } from './server.ts'

/** Both ends up to a chosen point, with the frame that would come next. */
function halfway(client: ClientConfig, server: ServerConfig) {
  const started = startClient(client)
  const waiting = awaitClientHello(server)
  const clientHello = onlyFrame(started.flight)
  const replied = waiting.receive(clientHello)
  const [hello, auth] = replied.flights.map(onlyFrame)
  if (hello === undefined || auth === undefined) throw new Error('a server sends two frames')
  return { started, waiting, clientHello, replied, hello, auth }
}

const code = (error: unknown) => (error instanceof NpampError ? `${error.family}/${error.code}` : error)

describe('a state consumes itself', () => {
  it('after success, so that a second frame is the caller’s mistake', () => {
    const { started, waiting, clientHello, replied, hello, auth } = halfway(clientConfig(), serverConfig())
    expect(failure(() => waiting.receive(clientHello))).toBe('misuse/STATE')
    const keyed = started.next.receive(hello)
    expect(failure(() => started.next.receive(hello))).toBe('misuse/STATE')
    const done = keyed.receive(auth)
    expect(failure(() => keyed.receive(auth))).toBe('misuse/STATE')
    replied.next.receive(onlyFrame(done.flight))
    expect(failure(() => replied.next.receive(onlyFrame(done.flight)))).toBe('misuse/STATE')
  })

  it('after failure, so that nothing is tried twice', () => {
    const { started, waiting, clientHello, replied, hello, auth } = halfway(clientConfig(), serverConfig())
    const fresh = awaitClientHello(serverConfig())
    expect(failure(() => fresh.receive(hello))).toBe('misbehaved/UNEXPECTED_FRAME')
    expect(failure(() => fresh.receive(clientHello))).toBe('misuse/STATE')
    expect(failure(() => started.next.receive(auth))).toBe('misbehaved/UNEXPECTED_FRAME')
    expect(failure(() => started.next.receive(hello))).toBe('misuse/STATE')
    expect(failure(() => replied.next.receive(auth))).toBe('misbehaved/UNEXPECTED_FRAME')
    expect(failure(() => replied.next.receive(auth))).toBe('misuse/STATE')
    expect(failure(() => waiting.receive(clientHello))).toBe('misuse/STATE')
  })

  it('after wipe, which may be called at any time and twice', () => {
    const { started, replied, hello, auth } = halfway(clientConfig(), serverConfig())
    const waiting = awaitClientHello(serverConfig())
    const keyed = startClient(clientConfig()).next
    for (const state of [waiting, keyed, started.next, replied.next]) {
      state.wipe()
      state.wipe()
      expect(failure(() => state.receive(hello))).toBe('misuse/STATE')
      expect(failure(() => state.receive(auth))).toBe('misuse/STATE')
    }
  })
})

describe.each(PROVIDERS)('secrets on $name', (provider) => {
  /** A handshake on watched providers. */
  function watched(wire?: Wire, client: Partial<ClientConfig> = {}, server: Partial<ServerConfig> = {}) {
    const clientProvider = new WatchingProvider(provider)
    const serverProvider = new WatchingProvider(provider)
    const outcome = shakeHands(
      clientConfig({ provider: clientProvider, ...client }),
      serverConfig({ provider: serverProvider, ...server }),
      wire,
    )
    return { clientProvider, serverProvider, outcome }
  }

  it(`${requirement('HS-039')} are wiped on success, all but master`, () => {
    const { clientProvider, serverProvider, outcome } = watched()
    const master = hex(outcome.client?.master.octets ?? new Uint8Array(0))
    expect(outcome.failed).toBeUndefined()
    for (const watching of [clientProvider, serverProvider]) {
      expect(watching.unwiped().map(hex)).toEqual([master])
      expect(watching.secrets.length).toBeGreaterThan(10)
      expect(watching.liveAeadKeys).toBe(0)
      expect(watching.liveKemKeyPairs).toBe(0)
    }
  })

  it.each([
    ['clientHello', 36 + 4],
    ['clientHello', 200],
    ['serverHello', 36 + 4],
    ['serverHello', 400],
    ['serverHello', 1183 - 1],
    ['serverAuth', 100],
    ['clientAuth', 100],
  ] as const)('are wiped when %s fails at octet %d', (flight, at) => {
    const { clientProvider, serverProvider, outcome } = watched((which, octets) => {
      if (which === flight) octets[at] = (octets[at] as number) ^ 1
      return octets
    })
    // What is left waiting for a frame that never comes is wiped by its owner.
    expect(outcome.failed?.error).toBeInstanceOf(NpampError)
    const failing = outcome.failed?.side === 'client' ? clientProvider : serverProvider
    expect(failing.unwiped()).toEqual([])
    expect(failing.liveAeadKeys).toBe(0)
    expect(failing.liveKemKeyPairs).toBe(0)
  })

  it('are wiped when the identity policy refuses', () => {
    const nobody = { mode: 'pins', handles: [] } as const
    for (const [client, server] of [[{ policy: nobody }, {}] as const, [{}, { policy: nobody }] as const]) {
      const { clientProvider, serverProvider, outcome } = watched(undefined, client, server)
      expect(code(outcome.failed?.error)).toBe('authentication/IDENTITY_REFUSED')
      const failing = outcome.failed?.side === 'client' ? clientProvider : serverProvider
      expect(failing.unwiped()).toEqual([])
    }
  })

  it('are wiped when a state is abandoned', () => {
    const clientProvider = new WatchingProvider(provider)
    const serverProvider = new WatchingProvider(provider)
    const { started, replied, hello } = halfway(
      clientConfig({ provider: clientProvider }),
      serverConfig({ provider: serverProvider }),
    )
    expect(clientProvider.liveKemKeyPairs).toBe(1)
    started.next.receive(hello).wipe()
    replied.next.wipe()
    for (const watching of [clientProvider, serverProvider]) {
      expect(watching.secrets.length).toBeGreaterThan(2)
      expect(watching.unwiped()).toEqual([])
      expect(watching.liveKemKeyPairs).toBe(0)
    }
  })
})

describe('identity', () => {
  const handle = (config: ClientConfig | ServerConfig) =>
    peerHandle(config.identity.scheme, config.identity.publicKey, (data) => config.provider.hash('sha256', data))
  const pinning = (...handles: string[]) => ({ policy: { mode: 'pins', handles } }) as const

  it('is pinned on both ends', () => {
    const client = clientConfig(pinning(handle(serverConfig())))
    const server = serverConfig(pinning('bciqnobody', handle(clientConfig())))
    const outcome = shakeHands(client, server)
    expect(outcome.failed).toBeUndefined()
    expect(outcome.server?.peerHandle).toBe(handle(clientConfig()))
  })

  it('of a server that is not pinned stops the client before it shows its own', () => {
    const outcome = shakeHands(clientConfig(pinning(handle(clientConfig()))), serverConfig())
    expect(code(outcome.failed?.error)).toBe('authentication/IDENTITY_REFUSED')
    expect(outcome.failed?.side).toBe('client')
    expect(outcome.flights.clientAuth).toBeUndefined()
  })

  it(`${requirement('HS-011')} of a client that is not pinned leaves the server unestablished`, () => {
    const outcome = shakeHands(clientConfig(), serverConfig(pinning(handle(serverConfig()))))
    expect(code(outcome.failed?.error)).toBe('authentication/IDENTITY_REFUSED')
    expect(outcome.failed?.side).toBe('server')
    expect(outcome.server).toBeUndefined()
  })

  it('is judged only after possession of its key was proven', () => {
    const asked: string[] = []
    const policy = { mode: 'allow', accept: (name: string) => asked.push(name) > 0 } as const
    const tampering: Wire = (flight, octets) => {
      if (flight === 'clientAuth') octets[60] = (octets[60] as number) ^ 1
      return octets
    }
    expect(code(shakeHands(clientConfig(), serverConfig({ policy }), tampering).failed?.error)).toBe(
      'authentication/TAG',
    )
    expect(asked).toEqual([])
  })
})
