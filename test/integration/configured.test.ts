import { once } from 'node:events'
import { rename, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:tls'
import { Agent, request } from 'undici'
import { describe, expect, it, vi } from 'vitest'
import { mintCertificate, type TestCertificate } from '../fixtures/http/certificate.ts'
import { LOOPBACK, onRelay, relay, resource } from '../fixtures/mesh/documents.ts'
import { RelaysHere } from '../fixtures/mesh/relays-here.ts'
import { cleanUp, stopped } from './clean-up.ts'
import { modernCall } from './clients.ts'

/** An MCP server that says yes to everything, and what it was told. */
async function recorder() {
  const heard: IncomingHttpHeaders[] = []
  const server = createServer((incoming, response) => {
    heard.push(incoming.headers)
    incoming.resume().on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end('{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[]}}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp(server, () => server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/mcp`, heard }
}

async function writeCertificate(relays: RelaysHere, { cert, key }: TestCertificate): Promise<void> {
  for (const [name, text] of Object.entries({ 'cert.pem': cert, 'key.pem': key })) {
    await writeFile(relays.path('new'), text)
    await rename(relays.path('new'), relays.path(name))
  }
}

/** A relay without peers, and so without a key of its own, that serves one backend over HTTPS. */
async function httpsRelay(certificate: TestCertificate, backend: object = {}, route: object = {}) {
  const relays = await stopped(RelaysHere.create())
  await writeCertificate(relays, certificate)
  await writeFile(relays.path('token.txt'), 'Bearer from-a-file\n')
  const { url, heard } = await recorder()
  const tls = { certFile: 'cert.pem', keyFile: 'key.pem' }
  const running = await relays.start('only', [
    relay('only', { mcp: { ...LOOPBACK, tls, publicURL: 'https://mcp.example.com' } }, { identity: {} }),
    resource('MeshBackend', 'tools', {
      ...onRelay('only'),
      mcp: { url, headers: [{ name: 'authorization', valueFile: 'token.txt' }] },
      ...backend,
    }),
    resource('MeshRoute', 'tools', {
      ...onRelay('only'),
      path: '/tools/mcp',
      transparent: { target: { backendRef: { name: 'tools' } } },
      ...route,
    }),
  ])
  return { relays, port: running.addresses.mcp?.port ?? 0, heard }
}

async function post(port: number, ca: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const dispatcher = cleanUp(new Agent({ connect: { ca, checkServerIdentity: () => undefined } }), (agent) =>
    agent.close(),
  )
  const call = modernCall('anything', {}, 1)
  const { statusCode, body } = await request(`https://127.0.0.1:${port}/tools/mcp`, {
    dispatcher,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...call.headers,
      ...headers,
    },
    body: call.body,
  })
  await body.dump()
  return statusCode
}

/** The certificate that a new connection is shown. */
async function shownCertificate(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { raw } = socket.getPeerCertificate()
  socket.destroy()
  return raw.toString('base64')
}

const base64Of = (pem: string): string => pem.replace(/-----[A-Z ]+-----|\s/g, '')

describe('what a configuration says of HTTP', () => {
  it('the server gets its own credentials and the headers that route and backend name, and no others', async () => {
    const certificate = await mintCertificate('127.0.0.1')
    const { relays, port, heard } = await httpsRelay(
      certificate,
      { acceptHeaders: ['x-tenant'] },
      { forwardHeaders: ['x-tenant', 'x-unwanted'] },
    )
    const sent = { authorization: 'Bearer of-the-client', 'x-tenant': 'blue', 'x-unwanted': '1', 'x-other': '1' }
    expect(await post(port, certificate.cert, sent)).toBe(200)
    expect(heard).toHaveLength(1)
    expect(heard[0]).toMatchObject({ authorization: 'Bearer from-a-file', 'x-tenant': 'blue' })
    expect(heard[0]).not.toHaveProperty('x-unwanted')
    expect(heard[0]).not.toHaveProperty('x-other')
    expect(JSON.stringify(relays.logs)).not.toMatch(/from-a-file|of-the-client/)
  })

  it('by its public URL a listener is known, by others it is not', async () => {
    const certificate = await mintCertificate('127.0.0.1')
    const { port } = await httpsRelay(certificate)
    expect(await post(port, certificate.cert, { host: 'mcp.example.com' })).toBe(200)
    expect(await post(port, certificate.cert, { host: 'evil.example.com' })).toBe(403)
  })

  it('new certificates are shown to new connections without a restart', async () => {
    const [first, second] = [await mintCertificate('127.0.0.1'), await mintCertificate('127.0.0.1')]
    const { relays, port } = await httpsRelay(first)
    expect(await shownCertificate(port)).toBe(base64Of(first.cert))
    await writeCertificate(relays, second)
    await vi.waitFor(async () => expect(await shownCertificate(port)).toBe(base64Of(second.cert)), { timeout: 5_000 })
    expect(await post(port, second.cert, {})).toBe(200)
  })
})
