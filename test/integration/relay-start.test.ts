import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { mintCertificate } from '../fixtures/http/certificate.ts'
import { edgeResources, relay, singleRelayResources, toolsResources } from '../fixtures/mesh/documents.ts'
import {
  addressOf,
  RefusedError,
  RelaysHere,
  startMeshHere,
  startSingleRelayHere,
} from '../fixtures/mesh/relays-here.ts'
import { cleanUp, fixture, stopped } from './clean-up.ts'

async function refusal(start: (relays: RelaysHere) => Promise<unknown>): Promise<RefusedError['refusal']> {
  const relays = await stopped(RelaysHere.create())
  const error: unknown = await start(relays).catch((reason) => reason)
  if (error instanceof RefusedError) return error.refusal
  throw error instanceof Error ? error : new Error('it started')
}

describe('starting a relay', () => {
  it('opens its listeners, says where they are, and is ready', async () => {
    const { tools, edge } = await stopped(startMeshHere({ backends: {} }))
    expect(tools.addresses).toMatchObject({ npamp: { host: '127.0.0.1' }, admin: { host: '127.0.0.1' } })
    expect(tools.addresses.mcp).toBeUndefined()
    expect(tools.addresses.npamp?.port).toBeGreaterThan(0)
    expect(edge.ready()).toEqual({ ok: true, reasons: [] })
    for (const [path, status] of [
      ['healthz', 200],
      ['readyz', 200],
      ['metrics', 200],
    ] as const) {
      expect((await fetch(`http://${addressOf(edge.addresses.admin)}/${path}`)).status).toBe(status)
    }
  })

  it('names the file of an identity that cannot be read', async () => {
    const error = await refusal((relays) =>
      relays.start('only', [relay('only', {}, { identity: { algorithm: 'Ed25519', keyFile: 'missing.key' } })]),
    )
    expect(error).toMatchObject({ reason: 'FileUnusable', fieldPath: 'spec.identity.keyFile' })
    expect(error.message).toContain('missing.key does not exist')
  })

  it.each([
    ['is missing', undefined, 'does not exist'],
    ['is no PEM', 'rubbish', 'is not a PEM file'],
  ])('names a certificate file that %s', async (_name, content, message) => {
    const error = await refusal(async (relays) => {
      if (content !== undefined) await writeFile(relays.path('c.pem'), content)
      const tls = { tls: { mode: 'ca', certFile: 'c.pem', keyFile: 'c.pem' } }
      return relays.start('tools', toolsResources({ backends: {} }, await relays.handleOf('edge'), 0, tls))
    })
    expect(error).toMatchObject({ reason: 'FileUnusable', fieldPath: 'spec.listeners.npamp.tls.certFile' })
    expect(error.message).toContain(message)
  })

  it('refuses the key of another certificate, before peers fail to connect', async () => {
    const error = await refusal(async (relays) => {
      const [one, other] = [await mintCertificate('localhost'), await mintCertificate('localhost')]
      await writeFile(relays.path('c.pem'), one.cert)
      await writeFile(relays.path('k.pem'), other.key)
      const tls = { tls: { mode: 'ca', certFile: 'c.pem', keyFile: 'k.pem' } }
      return relays.start('tools', toolsResources({ backends: {} }, await relays.handleOf('edge'), 0, tls))
    })
    expect(error).toMatchObject({ reason: 'FileUnusable', fieldPath: 'spec.listeners.npamp.tls.keyFile' })
    expect(error.message).toMatch(/k\.pem is not the key of the certificate in .*c\.pem$/)
  })

  it('refuses a bundle for a peer without any certificate, by name of the peer', async () => {
    const error = await refusal(async (relays) => {
      await writeFile(relays.path('ca.pem'), (await mintCertificate('localhost')).key)
      const specs = { backends: {}, peerSpec: { tls: { mode: 'ca', caFile: 'ca.pem' } } }
      return relays.start('edge', edgeResources(specs, await relays.handleOf('tools'), 'npamp://localhost:4433'))
    })
    expect(error).toMatchObject({ reason: 'FileUnusable', name: 'default/tools', fieldPath: 'spec.tls.caFile' })
    expect(error.message).toMatch(/ca\.pem has no certificate in it$/)
  })

  it('closes what it had opened when a later listener cannot be had', async () => {
    const taken = cleanUp(createServer(), (server) => server.close())
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    const relays = await stopped(RelaysHere.create())
    const mcp = { host: '127.0.0.1', port: await freePort() }
    const documents = [relay('only', { mcp, admin: { host: '127.0.0.1', port } })]
    await expect(relays.start('only', documents)).rejects.toMatchObject({
      refusal: { reason: 'ListenFailed', fieldPath: 'spec.listeners.admin' },
    })
    await expect(fetch(`http://127.0.0.1:${mcp.port}/x`)).rejects.toThrow()
  })
})

describe('stopping a relay', () => {
  it('is not ready while it drains, and its listeners are gone afterwards', async () => {
    const { info } = await fixture('servers/modern.ts')
    const { only } = await stopped(startSingleRelayHere({ backends: { modern: info.url } }))
    const { mcp, admin } = only.addresses
    const draining = only.drain()
    expect(only.ready()).toEqual({ ok: false, reasons: ['the relay is draining'] })
    await draining
    expect(only.ready().ok).toBe(false)
    await expect(fetch(`http://${addressOf(mcp)}/modern/mcp`)).rejects.toThrow()
    await expect(fetch(`http://${addressOf(admin)}/readyz`)).rejects.toThrow()
  })

  it('may be asked for more than once', async () => {
    const relays = await stopped(RelaysHere.create())
    const only = await relays.start('only', singleRelayResources({ backends: {} }))
    await Promise.all([only.drain(), only.drain(1), only.stop(), only.stop()])
    await only.stop()
    expect(relays.logged('only', 'relay stopped')).toHaveLength(1)
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
