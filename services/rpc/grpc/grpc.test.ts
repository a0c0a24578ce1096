import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { create } from '@bufbuild/protobuf'
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { TestAuthority, TRUST_DOMAIN } from '../../../test/fixtures/control/test-authority.ts'
import type {
  ConfigHandler,
  ConfigStream,
  RelayIdentity,
  ServedConfigStream,
  ServedStatusStream,
} from '../channel/contract.ts'
import { RpcError } from '../channel/rpc-error.ts'
import {
  type StreamConfigRequest,
  StreamConfigRequestSchema,
  type StreamConfigResponse,
  StreamConfigResponseSchema,
} from '../generated/causeway/config/v1/config_pb.ts'
import { ForwardStatusRequestSchema, ForwardStatusResponseSchema } from '../generated/causeway/status/v1/forward_pb.ts'
import { grpcConfigChannel, grpcStatusChannel } from './channel.ts'
import { type GrpcServer, type GrpcServerOptions, startGrpcServer } from './server.ts'

let authority: TestAuthority
beforeAll(async () => {
  authority = await TestAuthority.create()
})

const servers: GrpcServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close(0)
})

async function serve(handler: ConfigHandler, options: Partial<GrpcServerOptions> = {}): Promise<GrpcServer> {
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: await authority.controlPlane(),
    config: { trustDomain: TRUST_DOMAIN, handler },
    ...options,
  })
  servers.push(server)
  return server
}

type Material = Awaited<ReturnType<TestAuthority['issue']>>

function open(server: Pick<GrpcServer, 'address'>, tls: Material, openTimeoutMs = 10_000): ConfigStream {
  const address = `127.0.0.1:${server.address.port}`
  const cancel = new AbortController()
  onTestFinished(() => cancel.abort())
  return grpcConfigChannel({ address, serverName: 'localhost', tls: () => tls, openTimeoutMs }).open(cancel.signal)
}

const hello = (relay: string): StreamConfigRequest =>
  create(StreamConfigRequestSchema, { message: { case: 'hello', value: { namespace: 'default', relay } } })
const delta = (nonce: bigint, octets = 0): StreamConfigResponse => {
  const upserts = [{ name: 'default/a', body: new Uint8Array(octets) }]
  return create(StreamConfigResponseSchema, { message: { case: 'delta', value: { nonce, upserts } } })
}
const nonceOf = ({ message }: StreamConfigResponse) => (message.case === 'delta' ? message.value.nonce : undefined)

/** A handler that keeps its streams. */
function kept() {
  const seen: { peer: RelayIdentity; stream: ServedConfigStream }[] = []
  const waiting: (() => void)[] = []
  const handler: ConfigHandler = (peer, stream) => {
    seen.push({ peer, stream })
    for (const wake of waiting.splice(0)) wake()
  }
  const next = async (index: number) => {
    while (seen[index] === undefined) await new Promise<void>((resolve) => waiting.push(resolve))
    return seen[index]
  }
  return { handler, next, seen }
}

describe('a configuration stream over gRPC', () => {
  it('carries messages both ways, and the server knows who it is', async () => {
    const { handler, next } = kept()
    const server = await serve(handler)
    const client = open(server, await authority.relay('default', 'edge', { uid: '0b5e-1' }))
    client.send(hello('edge'))
    const { peer, stream } = await next(0)
    expect(peer).toMatchObject({ namespace: 'default', relay: 'edge', uid: '0b5e-1' })
    const request = (await stream.received[Symbol.asyncIterator]().next()).value
    expect(request?.message.value).toMatchObject({ relay: 'edge' })
    stream.send(delta(1n))
    stream.send(delta(2n))
    stream.end()
    const nonces: unknown[] = []
    for await (const response of client.received) nonces.push(nonceOf(response))
    expect(nonces).toEqual([1n, 2n])
    expect([await client.closed, await stream.closed]).toEqual([undefined, undefined])
  })

  it('ends with the error of the server, after what was sent before', async () => {
    const server = await serve((_peer, stream) => {
      stream.send(delta(1n))
      throw new RpcError('FAILED_PRECONDITION', 'not synced')
    })
    const client = open(server, await authority.relay('default', 'edge'))
    const reader = client.received[Symbol.asyncIterator]()
    expect((await reader.next()).done).toBe(false)
    await expect(reader.next()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION', message: 'not synced' })
    expect(await client.closed).toMatchObject({ code: 'FAILED_PRECONDITION' })
  })

  it('does not tell what went wrong inside a handler', async () => {
    const server = await serve(() => {
      throw new Error('postgres://user:secret@host')
    })
    const client = open(server, await authority.relay('default', 'edge'))
    expect(await client.closed).toMatchObject({ code: 'INTERNAL', message: 'the control plane failed' })
  })

  it('is cancelled by the side that opened it', async () => {
    const { handler, next } = kept()
    const client = open(await serve(handler), await authority.relay('default', 'edge'))
    const { stream } = await next(0)
    client.fail(new RpcError('CANCELLED', 'enough'))
    expect(await stream.closed).toMatchObject({ code: 'CANCELLED' })
    await expect(stream.received[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it('a message beyond the limit is refused where it would be sent, and the stream goes on', async () => {
    const { handler, next } = kept()
    const client = open(await serve(handler), await authority.relay('default', 'edge'))
    const { stream } = await next(0)
    expect(() => stream.send(delta(1n, 64 * 1024 * 1024))).toThrow('at most 67108864 may be sent in one message')
    stream.send(delta(2n))
    expect(nonceOf((await client.received[Symbol.asyncIterator]().next()).value ?? delta(0n))).toBe(2n)
  })

  it('is paced by its reader: nothing is taken from the server that nobody reads', async () => {
    const { handler, next } = kept()
    const client = open(await serve(handler), await authority.relay('default', 'edge'))
    const { stream } = await next(0)
    const total = 200
    let sent = 0
    const sending = (async () => {
      for (; sent < total; sent++) if (!stream.send(delta(BigInt(sent), 256 * 1024))) await stream.writable()
    })()
    const reader = client.received[Symbol.asyncIterator]()
    await reader.next()
    let stalledAt = -1
    const stands = (): boolean => {
      const before = stalledAt
      stalledAt = sent
      return sent === before
    }
    await expect.poll(stands).toBe(true)
    // Far more than HTTP/2 windows, sockets and queues take fits into 50 MB: the sender must have been held back.
    expect(stalledAt).toBeLessThan(total)
    for (let taken = 1; taken < total; taken++) await reader.next()
    await sending
    expect(sent).toBe(total)
  })

  it('fails where nothing listens', async () => {
    const server = await serve(() => {})
    await server.close(0)
    const client = open(server, await authority.relay('default', 'edge'))
    expect(await client.closed).toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('is given up where a server takes the connection and says nothing', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const server = { address: { host: '127.0.0.1', port } }
    const client = open(server, await authority.relay('default', 'edge'), 300)
    const end = { code: 'DEADLINE_EXCEEDED', message: `127.0.0.1:${port} did not open the stream within 300 ms` }
    expect(await client.closed).toMatchObject(end)
  })

  it('is not opened with a signal that has come, and ends with one that comes', async () => {
    const { handler, next, seen } = kept()
    const server = await serve(handler)
    const tls = await authority.relay('default', 'edge')
    const address = `127.0.0.1:${server.address.port}`
    const channel = grpcConfigChannel({ address, serverName: 'localhost', tls: () => tls })
    expect(await channel.open(AbortSignal.abort()).closed).toMatchObject({ code: 'CANCELLED' })
    expect(seen).toEqual([])
    const cancel = new AbortController()
    const client = channel.open(cancel.signal)
    const { stream } = await next(0)
    cancel.abort()
    for (const side of [client, stream]) expect(await side.closed).toMatchObject({ code: 'CANCELLED' })
  })

  it('ends with the certificate of its relay', async () => {
    const { handler, next } = kept()
    // Time enough to open the stream.
    const endsAtMs = Math.ceil(Date.now() / 1000) * 1000 + 3_000
    const client = open(await serve(handler), await authority.relay('default', 'edge', { endsAtMs }))
    await next(0)
    expect(await client.closed).toMatchObject({ code: 'UNAUTHENTICATED', message: 'the certificate has ended' })
    expect(Date.now()).toBeGreaterThanOrEqual(endsAtMs)
  })
})

describe('a server that closes', () => {
  it('also ends who was just connecting', async () => {
    const material = await authority.relay('default', 'edge')
    for (let round = 0; round < 20; round++) {
      const server = await serve(() => {})
      const streams = [1, 2].map(() => open(server, material, 600_000))
      for (let turn = 0; turn < 2 * round; turn++) await new Promise((resolve) => setImmediate(resolve))
      await server.close(0)
      for (const { closed } of streams) expect(await closed).toBeInstanceOf(RpcError)
    }
  })
})

describe('a client with the wrong certificate learns nothing', () => {
  it.each([
    ['of another authority', async () => (await TestAuthority.create('other')).relay('default', 'edge')],
    ['that has ended', () => authority.relay('default', 'edge', { endsAtMs: Date.now() - 60_000 })],
  ])('%s: refused in the handshake', async (_what, issue) => {
    const { handler, seen } = kept()
    const material = { ...(await issue()), authorities: Buffer.from(authority.certificate) }
    const client = open(await serve(handler), material)
    client.send(hello('edge'))
    expect(await client.closed).toMatchObject({ code: 'UNAVAILABLE' })
    await expect(client.received[Symbol.asyncIterator]().next()).rejects.toThrow(RpcError)
    expect(seen).toEqual([])
  })

  it.each([
    ['of a control plane', { dnsNames: ['causeway-control-plane.causeway.svc'] }],
    ['of another trust domain', { uris: ['spiffe://other.test/ns/default/relay/edge'] }],
    ['of something that is not a relay', { uris: [`spiffe://${TRUST_DOMAIN}/ns/default/sa/edge`] }],
    ['of two relays', { uris: ['a', 'b'].map((name) => `spiffe://${TRUST_DOMAIN}/ns/default/relay/${name}`) }],
    ['with a tail', { uris: [`spiffe://${TRUST_DOMAIN}/ns/default/relay/edge/admin`] }],
    ['with a name that looks like another', { uris: [`spiffe://${TRUST_DOMAIN}/ns/default/relay/a", URI:x`] }],
    ['with two UIDs', { uris: [`spiffe://${TRUST_DOMAIN}/ns/default/relay/a`, 'causeway:uid:1', 'causeway:uid:2'] }],
    ['without names of ours', { uris: ['https://example.com'] }],
  ])('%s: refused before any message', async (_what, options) => {
    const { handler, seen } = kept()
    const client = open(await serve(handler), await authority.issue(options))
    client.send(hello('edge'))
    expect(await client.closed).toMatchObject({ code: 'PERMISSION_DENIED' })
    expect(seen).toEqual([])
  })

  it('and a relay does not speak to a server of another authority, or of another name', async () => {
    const { handler, seen } = kept()
    const other = await TestAuthority.create('other')
    const material = await authority.relay('default', 'edge')
    const wrongAuthority = await serve(handler, { tls: await other.controlPlane() })
    expect(await open(wrongAuthority, material).closed).toMatchObject({ code: 'UNAVAILABLE' })
    const wrongName = await serve(handler, { tls: await authority.controlPlane({ dnsNames: ['elsewhere'] }) })
    expect(await open(wrongName, material).closed).toMatchObject({ code: 'UNAVAILABLE' })
    expect(seen).toEqual([])
  })

  it('material that cannot be used is an error of the stream', async () => {
    const material = { ...(await authority.relay('default', 'edge')), key: Buffer.from('not a key') }
    const end = await open(await serve(() => {}), material).closed
    expect(end).toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(end?.message).toMatch(/^the certificates cannot be used: /)
  })
})

describe('the status of replicas', () => {
  const SERVICE = 'causeway-control-plane.causeway.svc'

  async function openStatus(tls: Material) {
    const seen: ServedStatusStream[] = []
    const server = await serve(() => {}, {
      status: { clientDnsNames: [SERVICE], handler: (stream) => void seen.push(stream) },
    })
    const address = `127.0.0.1:${server.address.port}`
    const cancel = new AbortController()
    onTestFinished(() => cancel.abort())
    const client = grpcStatusChannel({ address, serverName: SERVICE, tls: () => tls }).open(cancel.signal)
    return { client, seen }
  }

  it('crosses with a certificate of a control plane', async () => {
    const { client, seen } = await openStatus(await authority.controlPlane())
    client.send(create(ForwardStatusRequestSchema, { complete: true }))
    await expect.poll(() => seen.length).toBe(1)
    const [served] = seen
    expect((await served?.received[Symbol.asyncIterator]().next())?.value?.complete).toBe(true)
    served?.send(create(ForwardStatusResponseSchema, { taken: 1n }))
    served?.end()
    const taken: bigint[] = []
    for await (const response of client.received) taken.push(response.taken)
    expect([taken, await client.closed]).toEqual([[1n], undefined])
  })

  it('is nothing that a relay may tell', async () => {
    const { client, seen } = await openStatus(await authority.relay('default', 'edge'))
    expect(await client.closed).toMatchObject({ code: 'PERMISSION_DENIED' })
    expect(seen).toEqual([])
  })
})

describe('certificates are renewed without a restart', () => {
  it('of a server: streams that are open go on, the next ones see the new', async () => {
    const { handler, next } = kept()
    const server = await serve(handler)
    const material = await authority.relay('default', 'edge')
    const before = open(server, material)
    const first = await next(0)
    const renewed = await TestAuthority.create('renewed')
    const both = Buffer.from(`${authority.certificate}${renewed.certificate}`)
    server.renewTls({ ...(await renewed.controlPlane()), authorities: both })
    expect(await open(server, material).closed).toMatchObject({ code: 'UNAVAILABLE' })
    const after = open(server, { ...material, authorities: both })
    const second = await next(1)
    for (const { stream } of [first, second]) stream.send(delta(7n))
    for (const client of [before, after]) {
      expect((await client.received[Symbol.asyncIterator]().next()).done).toBe(false)
    }
  })

  it('and what cannot be used leaves the last ones', async () => {
    const { handler, next } = kept()
    const server = await serve(handler)
    expect(() =>
      server.renewTls({ certificateChain: Buffer.from('x'), key: Buffer.from('y'), authorities: Buffer.from('z') }),
    ).toThrow()
    open(server, await authority.relay('default', 'edge'))
    await next(0)
  })
})
