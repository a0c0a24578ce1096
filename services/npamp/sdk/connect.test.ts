import { createServer, type Server } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { newIdentity, recorded } from '../../../test/fixtures/npamp/raw-sdk-peer.ts'
import type { PROFILE } from '../index.ts'
import { memoryPair, systemClock } from '../transports/index.ts'
import { associateOver, connectMcp } from './connect.ts'
import { listenMcp } from './listen.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function listener(...allow: string[]) {
  const identity = newIdentity()
  const server = await listenMcp({ host: '127.0.0.1', port: 0, identity, allow, onSession: () => {} })
  ends.push(() => server.close())
  return { server, handle: identity.handle, address: `npamp://127.0.0.1:${server.port}` }
}

describe('connecting', () => {
  it('closes its association with the transport', async () => {
    const identity = newIdentity()
    const { server, handle, address } = await listener(identity.handle)
    const { transport } = recorded(
      await connectMcp({ address, identity, peer: [newIdentity().handle, handle], target: 'x' }),
    )
    expect(server.associations).toBe(1)
    await transport.close()
    await expect.poll(() => server.associations).toBe(0)
  })

  it('to somebody else than expected fails', async () => {
    const identity = newIdentity()
    const { address } = await listener(identity.handle)
    const peer = newIdentity().handle
    await expect(connectMcp({ address, identity, peer })).rejects.toMatchObject({ family: 'authentication' })
  })

  it('where one is not listed fails, and says what to look at', async () => {
    const { address, handle } = await listener()
    await expect(connectMcp({ address, identity: newIdentity(), peer: handle })).rejects.toThrow(
      'does it list the handle',
    )
  })

  it('to a profile that is not implemented is refused before anything is sent', async () => {
    const [near] = memoryPair()
    const options = { identity: newIdentity(), peer: newIdentity().handle, profile: 0x7f as typeof PROFILE.HIGH }
    await expect(associateOver(near, systemClock(), options)).rejects.toThrow()
  })

  it.each(['TLS', 'handshake'])('fails when the time is over: no %s', async (what) => {
    const identity = newIdentity()
    const peer = newIdentity().handle
    if (what === 'TLS') {
      const silent = await new Promise<Server>((resolve) => {
        const server = createServer().listen(0, '127.0.0.1', () => resolve(server))
      })
      ends.push(() => silent.close())
      const address = `npamp://127.0.0.1:${(silent.address() as { port: number }).port}`
      const sockets: { destroy(): void }[] = []
      silent.on('connection', (socket) => sockets.push(socket))
      ends.push(() => sockets.forEach((socket) => void socket.destroy()))
      await expect(connectMcp({ address, identity, peer, timeoutMs: 100 })).rejects.toMatchObject({
        code: 'HANDSHAKE_TIMEOUT',
      })
      return
    }
    const [near] = memoryPair()
    await expect(associateOver(near, systemClock(), { identity, peer, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'HANDSHAKE_TIMEOUT',
    })
  })

  it('can be given up', async () => {
    const abort = new AbortController()
    const [near] = memoryPair()
    const options = { identity: newIdentity(), peer: newIdentity().handle, signal: abort.signal }
    const connecting = associateOver(near, systemClock(), options)
    abort.abort()
    await expect(connecting).rejects.toMatchObject({ family: 'closed' })
  })
})
