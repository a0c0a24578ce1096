import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type Socket, connect as tcpConnect } from 'node:net'
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls'
import type { Relay } from '@causeway/relay'
import { describe, expect, it } from 'vitest'
import { HttpClient } from '../fixtures/edge/http-client.ts'
import { mintCertificate } from '../fixtures/http/certificate.ts'
import { edgeResources, toolsResources } from '../fixtures/mesh/documents.ts'
import { addressOf, type MeshHere, RelaysHere, startMeshHere } from '../fixtures/mesh/relays-here.ts'
import { cleanUp, closed, fixture, stopped } from './clean-up.ts'
import { callText, modernCall, modernClient, PIN_MODERN } from './clients.ts'

async function meshWith(specs: object = {}): Promise<MeshHere> {
  const { info } = await fixture('servers/modern.ts')
  return stopped(startMeshHere({ backends: { modern: info.url }, ...specs }))
}

async function stillServes(mesh: MeshHere): Promise<void> {
  const client = await closed(modernClient(mesh.endpoint('modern'), PIN_MODERN))
  expect(await callText(client, 'add', { a: 1, b: 2 })).toBe('3')
}

function npampPort({ tools }: MeshHere): number {
  return tools.addresses.npamp?.port ?? 0
}

function dialTls(mesh: MeshHere, options: ConnectionOptions): TLSSocket {
  const socket = tlsConnect({ host: '127.0.0.1', port: npampPort(mesh), rejectUnauthorized: false, ...options })
  socket.on('error', () => {})
  return cleanUp(socket, () => socket.destroy())
}

function dialTcp(mesh: MeshHere): Socket {
  const socket = tcpConnect({ host: '127.0.0.1', port: npampPort(mesh) })
  socket.on('error', () => {})
  return cleanUp(socket, () => socket.destroy())
}

function gone(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

/** One modern call by hand: the published client hides why its first request failed. */
async function failureOf(edge: Relay): Promise<{ message: string; data: unknown }> {
  const http = cleanUp(new HttpClient(edge.addresses.mcp?.port ?? 0), (client) => client.close())
  const { body, headers } = modernCall('add', { a: 1, b: 2 })
  const answer = await http.post(body, headers, '/modern/mcp')
  return (JSON.parse(answer.body) as { error: { message: string; data: unknown } }).error
}

const NOT_SENT = { causeway: { code: 'NotDelivered', delivery: 'not_sent' } }

const refusedConnections = ({ tools }: MeshHere) => tools.metrics.total('causeway_connections_refused_total')

describe('who knocks at the npamp listener', () => {
  it('a peer that is not who it is pinned to be is refused; calls fail unsent and say so', async () => {
    const relays = await stopped(RelaysHere.create())
    const specs = { backends: { modern: (await fixture('servers/modern.ts')).info.url } }
    const tools = await relays.start('tools', toolsResources(specs, await relays.handleOf('edge'), 0))
    const address = `npamp://${addressOf(tools.addresses.npamp)}`
    const edge = await relays.start('edge', edgeResources(specs, await relays.handleOf('somebody'), address))
    const { message, data } = await failureOf(edge)
    expect(message).toContain('not who its MeshPeer says')
    expect(data).toMatchObject(NOT_SENT)
    expect(relays.logged('edge', 'handshake failed')[0]).toMatchObject({ code: 'identity_refused' })
    expect(tools.metrics.value('causeway_associations_open', { peer: 'default/edge' })).toBe(0)
  })

  it('a relay whose handle is on no list is refused by the one that accepts', async () => {
    const relays = await stopped(RelaysHere.create())
    const specs = { backends: { modern: (await fixture('servers/modern.ts')).info.url } }
    const tools = await relays.start('tools', toolsResources(specs, await relays.handleOf('somebody'), 0))
    const address = `npamp://${addressOf(tools.addresses.npamp)}`
    const edge = await relays.start('edge', edgeResources(specs, await relays.handleOf('tools'), address))
    const { message, data } = await failureOf(edge)
    expect(message).toContain('no association with peer default/tools')
    expect(data).toMatchObject(NOT_SENT)
    expect(relays.logged('tools', 'handshake failed')[0]).toMatchObject({ code: 'identity_refused' })
  })

  it.each([['h2'], ['n-pamp/1'], ['http/1.1']])('TLS with ALPN %s gets no connection', async (protocol) => {
    const mesh = await meshWith()
    const socket = dialTls(mesh, { ALPNProtocols: [protocol] })
    await gone(socket)
    expect(refusedConnections(mesh)).toBe(1)
    await stillServes(mesh)
  })

  it('TLS without ALPN gets no connection', async () => {
    const mesh = await meshWith()
    const socket = dialTls(mesh, {})
    await gone(socket)
    expect(refusedConnections(mesh)).toBe(1)
    await stillServes(mesh)
  })

  it('TLS 1.2 gets no connection', async () => {
    const mesh = await meshWith()
    const socket = dialTls(mesh, { ALPNProtocols: ['n-pamp/2'], maxVersion: 'TLSv1.2' })
    await gone(socket)
    expect(refusedConnections(mesh)).toBe(1)
  })

  it.each([
    ['HTTP', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['random octets', Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * 7919) % 256))],
  ])('plain TCP that speaks %s is dropped', async (_name, octets) => {
    const mesh = await meshWith()
    const socket = dialTcp(mesh)
    socket.write(octets)
    socket.resume()
    await gone(socket)
    expect(refusedConnections(mesh)).toBe(1)
    await stillServes(mesh)
  })

  it('garbage inside TLS with the right ALPN is a failed handshake, and nobody else notices', async () => {
    const mesh = await meshWith()
    await stillServes(mesh)
    const socket = dialTls(mesh, { ALPNProtocols: ['n-pamp/2'] })
    await once(socket, 'secureConnect')
    socket.resume()
    socket.write(Buffer.alloc(4096, 0x41))
    await gone(socket)
    expect(mesh.relays.logged('tools', 'handshake failed')).toHaveLength(1)
    await stillServes(mesh)
  })

  it('connections that say nothing do not keep others out beyond their own source limit', async () => {
    const mesh = await meshWith({ relaySpec: { limits: { halfOpenHandshakes: 8, halfOpenPerSource: 4 } } })
    for (let n = 0; n < 4; n++) await once(dialTcp(mesh), 'connect')
    const fifth = dialTcp(mesh)
    fifth.resume()
    await gone(fifth)
    expect(mesh.tools.metrics.value('causeway_connections_refused_total', { reason: 'half_open' })).toBe(1)
  })
})

describe('outer TLS', () => {
  it('with a certificate authority: the name and the bundle are checked, and X25519MLKEM768 can be required', async () => {
    const relays = await stopped(RelaysHere.create())
    const { cert, key } = await mintCertificate('tools.example')
    await writeFile(relays.path('tools.pem'), cert)
    await writeFile(relays.path('tools-key.pem'), key)
    await writeFile(relays.path('other.pem'), (await mintCertificate('tools.example')).cert)
    const backends = { modern: (await fixture('servers/modern.ts')).info.url }
    const listenTls = { tls: { mode: 'ca', certFile: 'tools.pem', keyFile: 'tools-key.pem' } }
    const edgeHandle = await relays.handleOf('edge')
    const tools = await relays.start('tools', toolsResources({ backends }, edgeHandle, 0, listenTls))
    const address = `npamp://${addressOf(tools.addresses.npamp)}`
    const edgeWith = async (caFile: string, serverName: string) => {
      const peerSpec = { tls: { mode: 'ca', caFile, serverName }, postQuantum: 'require' }
      const resources = edgeResources({ backends, peerSpec }, await relays.handleOf('tools'), address)
      return stopped(relays.start('edge', resources))
    }
    for (const edge of [await edgeWith('other.pem', 'tools.example'), await edgeWith('tools.pem', 'another.example')]) {
      expect(await failureOf(edge)).toMatchObject({ data: NOT_SENT })
    }
    expect(relays.logged('edge', 'dial failed').map(({ code }) => code)).toContain('identity_refused')
    const edge = await edgeWith('tools.pem', 'tools.example')
    await closed(modernClient(`http://${addressOf(edge.addresses.mcp)}/modern/mcp`, PIN_MODERN))
    expect(relays.logged('edge', 'association established')[0]).toMatchObject({ tlsGroup: 'X25519MLKEM768' })
  })
})
