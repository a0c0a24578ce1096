import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { requirement } from '@causeway/test/requirements'
import { afterEach, describe, expect, it } from 'vitest'
import { mintCertificate } from '../../../../test/fixtures/http/certificate.ts'
import { type ScriptedServer, scriptedServer } from '../../../../test/fixtures/http/scripted-server.ts'
import { openPool } from './pool.ts'
import { Post, type ResponseReceiver } from './post.ts'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

function poolTo(url: URL, ca?: string) {
  const pool = openPool({ url, limits: {}, ...(ca === undefined ? {} : { ca }) })
  cleanUps.push(() => pool.destroy())
  return pool
}

async function server(...script: Parameters<typeof scriptedServer>): Promise<ScriptedServer> {
  const started = await scriptedServer(...script)
  cleanUps.push(() => started.close())
  return started
}

interface Told {
  readonly log: string[]
  readonly over: Promise<void>
  post: Post
}

function post(pool: ReturnType<typeof poolTo>, changes: Partial<ResponseReceiver> = {}): Told {
  const { promise, resolve } = Promise.withResolvers<void>()
  const log: string[] = []
  const receiver: ResponseReceiver = {
    head: (status) => log.push(`head ${status}`),
    chunk: (octets) => log.push(`chunk ${Buffer.from(octets).toString()}`),
    end: () => {
      log.push('end')
      resolve()
    },
    error: () => {
      log.push('error')
      resolve()
    },
    ...changes,
  }
  const request = { method: 'POST', path: '/mcp', headers: [], body: Buffer.from('body') } as const
  return { log, over: promise, post: new Post({ pools: { newest: pool }, headers: [] }, request, receiver) }
}

/** A port where nobody listens. */
async function deadPort(): Promise<number> {
  const listener = createTcpServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  listener.close()
  await once(listener, 'close')
  return port
}

describe('Post', () => {
  it('tells the start, the status, the body and the end, in this order', async () => {
    const backend = await server((arrival) => arrival.json(200, 'answer'))
    const told = post(poolTo(backend.url))
    await told.over
    expect(told.log).toEqual(['head 200', 'chunk answer', 'end'])
    expect(told.post.sent).toBe(true)
    expect(backend.arrivals.map((arrival) => arrival.text)).toEqual(['body'])
  })

  it('was not sent when the connection is refused', async () => {
    const told = post(poolTo(new URL(`http://127.0.0.1:${await deadPort()}/mcp`)))
    await told.over
    expect(told.log).toEqual(['error'])
    expect(told.post.sent).toBe(false)
  })

  it('was not sent when TLS cannot be established', async () => {
    const plain = await server()
    const untrusted = await server(undefined, { server: createHttpsServer(await mintCertificate('localhost')) })
    for (const url of [new URL(plain.url.href.replace('http:', 'https:')), untrusted.url]) {
      const told = post(poolTo(url))
      await told.over
      expect(told.log).toEqual(['error'])
      expect(told.post.sent).toBe(false)
    }
    expect([...plain.arrivals, ...untrusted.arrivals]).toEqual([])
  })

  it('crosses TLS when the bundle vouches for the backend', async () => {
    const certificate = await mintCertificate('127.0.0.1')
    const backend = await server((arrival) => arrival.json(200, 'answer'), { server: createHttpsServer(certificate) })
    const told = post(poolTo(backend.url, certificate.cert))
    await told.over
    expect(told.log).toEqual(['head 200', 'chunk answer', 'end'])
  })

  it(`${requirement('BRG-019')} counts as sent from its first octet on, and is never sent again`, async () => {
    const backend = await server((arrival) => arrival.socket.destroy())
    const told = post(poolTo(backend.url))
    await told.over
    expect(told.log).toEqual(['error'])
    expect(told.post.sent).toBe(true)
    // A request on a fresh connection afterwards is the only other one that arrives.
    await post(poolTo(backend.url)).over
    expect(backend.arrivals).toHaveLength(2)
  })

  it('is sent once, on a new connection, when the backend has closed the idle one', async () => {
    const backend = await server((arrival) => arrival.json(200, 'answer'))
    const pool = poolTo(backend.url)
    await post(pool).over
    const closed = once(pool, 'disconnect')
    backend.closeIdle()
    await closed
    const told = post(pool)
    await told.over
    expect(told.log).toEqual(['head 200', 'chunk answer', 'end'])
    expect([backend.arrivals.length, backend.connections]).toEqual([2, 2])
  })

  it('keeps a connection, but not one that the backend means to close within a second', async () => {
    const patient = await server((arrival) => arrival.json(200, ''))
    const hasty = await server((arrival) => arrival.json(200, '', { 'keep-alive': 'timeout=1' }))
    for (const backend of [patient, hasty]) {
      const pool = poolTo(backend.url)
      await post(pool).over
      await setImmediate() // undici takes a connection back in a turn of its own
      await post(pool).over
    }
    expect([patient.connections, hasty.connections]).toEqual([1, 2])
  })

  it('is not sent when it is aborted before the connection stands', async () => {
    const certificate = await mintCertificate('127.0.0.1')
    const backend = await server(undefined, { server: createHttpsServer(certificate) })
    const held: Socket[] = []
    const gatekeeper = createTcpServer({ pauseOnConnect: true }, (socket) => held.push(socket)).listen(0, '127.0.0.1')
    cleanUps.push(async () => gatekeeper.close())
    await once(gatekeeper, 'listening')
    const { port } = gatekeeper.address() as AddressInfo
    const pool = poolTo(new URL(`https://127.0.0.1:${port}/mcp`), certificate.cert)

    const told = post(pool)
    await once(gatekeeper, 'connection')
    told.post.abort()
    const [socket] = held
    socket?.pipe(connectTcp(Number(backend.url.port), '127.0.0.1')).pipe(socket)
    await Promise.all([once(pool, 'connect'), once(pool, 'disconnect')])

    expect(told.log).toEqual([])
    expect(told.post.sent).toBe(false)
    expect(backend.arrivals).toEqual([])
  })

  it('is not sent when it is aborted at once, or before it is its turn', async () => {
    const backend = await server((arrival) => arrival.json(200, ''))
    const pool = poolTo(backend.url)
    post(pool).post.abort()
    const told = post(pool)
    // Dispatched by now, and without a connection yet.
    await Promise.resolve()
    told.post.abort()
    await post(pool).over
    expect(backend.arrivals).toHaveLength(1)
    expect(told.post.sent).toBe(false)
  })

  it('refuses to be started twice', () => {
    const told = post(poolTo(new URL('http://127.0.0.1:9/')))
    const aborted: string[] = []
    const controller = (name: string) => ({
      aborted: false,
      paused: false,
      reason: null,
      abort: () => aborted.push(name),
      pause() {},
      resume() {},
    })
    told.post.onRequestStart(controller('first'))
    told.post.onRequestStart(controller('second'))
    expect(told.log).toEqual([])
    expect(aborted).toEqual(['second'])
    told.post.abort()
  })

  it('closes the connection of an answer that it aborts, and tells nothing more', async () => {
    const backend = await server((arrival) => arrival.stream().raw('x'))
    const told = post(poolTo(backend.url), { chunk: () => told.post.abort() })
    const arrival = await backend.next()
    await arrival.gone
    expect(told.log).toEqual(['head 200'])
  })

  it('tells no informational status', async () => {
    const backend = await server((arrival) => {
      arrival.response.writeEarlyHints({ link: '</x>; rel=preload' })
      arrival.json(200, '')
    })
    const told = post(poolTo(backend.url))
    await told.over
    expect(told.log).toEqual(['head 200', 'end'])
  })
})
