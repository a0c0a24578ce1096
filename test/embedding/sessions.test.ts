import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { describe, expect, it } from 'vitest'
import { firstClient, secondClient } from '../fixtures/embedding/clients.ts'
import { legacyServer, serveLegacy } from '../fixtures/embedding/legacy-server.ts'
import { type LinkOptions, overMemory } from '../fixtures/embedding/links.ts'
import { modernServer, serveModern } from '../fixtures/embedding/modern-server.ts'
import { Happened } from '../fixtures/embedding/server-parts.ts'
import { cleanUp } from '../integration/clean-up.ts'
import { callText, PIN_MODERN } from '../integration/clients.ts'

async function link(options: Partial<LinkOptions> & { readonly serve?: typeof serveLegacy | typeof serveModern } = {}) {
  const happened = new Happened()
  const serve = options.serve ?? serveModern
  const embedded = await overMemory({ onSession: (transport) => serve(transport, happened), ...options })
  return { ...cleanUp(embedded, () => embedded.stop()), happened }
}

describe('many transports on one association', () => {
  it('each has its own session and server, and all use the same ids', async () => {
    const { peer } = await link({ serve: serveLegacy })
    const clients = await Promise.all(Array.from({ length: 100 }, () => firstClient(peer.connect('embedded'))))
    const answers = await Promise.all(clients.map((client) => callText(client, 'session')))
    expect(new Set(answers.map((answer) => answer.split(' ')[0])).size).toBe(100)
    expect(new Set(answers.map((answer) => answer.split(' ')[1]))).toEqual(new Set(['1']))
  })

  it('modern requests of equal ids are answered each by its own', async () => {
    const { peer } = await link()
    const clients = await Promise.all(
      Array.from({ length: 20 }, () => secondClient(peer.connect('embedded'), PIN_MODERN)),
    )
    const answers = await Promise.all(clients.map((client, n) => callText(client, 'echo', { message: `of ${n}` })))
    expect(answers).toEqual(clients.map((_, n) => `of ${n}`))
  })

  it('a closed one ends its session at the server and leaves the others', async () => {
    const { peer, happened } = await link()
    const [one, other] = [
      await firstClient(peer.connect('embedded')),
      await firstClient(peer.connect('embedded')),
    ] as const
    const hanging = happened.next('hanging')
    const hung = callText(one, 'hang').catch(() => 'over')
    await hanging
    const aborted = happened.next('aborted')
    await one.close()
    await aborted
    expect(await hung).toBe('over')
    expect(await callText(other, 'echo', { message: 'still here' })).toBe('still here')
  })
})

describe('subscriptions of the modern era', () => {
  it('are told of changes on their own exchange, until they are closed', async () => {
    const servers: { sendToolListChanged(): void }[] = []
    const happened = new Happened()
    const { peer } = await link({
      onSession: (transport) =>
        serveStdio(
          () => {
            const server = modernServer(happened)
            servers.push(server)
            return server
          },
          { transport },
        ),
    })
    const client = await secondClient(peer.connect('embedded'), PIN_MODERN)
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler('notifications/tools/list_changed', () => resolve())
    })
    const subscription = await client.listen({ toolsListChanged: true })
    expect(subscription.honoredFilter).toEqual({ toolsListChanged: true })
    for (const server of servers) server.sendToolListChanged()
    await changed
    await subscription.close()
    expect(await callText(client, 'echo', { message: 'on' })).toBe('on')
  })
})

describe('limits', () => {
  it('a request larger than the peer accepts is an error that names the limit', async () => {
    const { peer } = await link({ server: { maxFrameOctets: 65_536 } })
    const client = await firstClient(peer.connect('embedded'))
    await expect(callText(client, 'echo', { message: 'x'.repeat(70_000) })).rejects.toMatchObject({
      code: -33113,
      message: expect.stringContaining('65536'),
      data: { causeway: { code: 'TooLarge', delivery: 'not_sent' } },
    })
    expect(await callText(client, 'echo', { message: 'small' })).toBe('small')
  })

  it('an answer larger than the peer accepts ends its call, and nothing else', async () => {
    const { peer } = await link({ client: { maxFrameOctets: 65_536 } })
    const client = await firstClient(peer.connect('embedded'))
    await expect(callText(client, 'big', { octets: 70_000 })).rejects.toMatchObject({
      code: -33110,
      data: { causeway: { code: 'NotDelivered', delivery: 'unknown' } },
    })
    expect(await callText(client, 'echo', { message: 'small' })).toBe('small')
  })

  it('sends wait for room in the send queue, in order, and none is lost', async () => {
    const { peer } = await link()
    const client = await firstClient(peer.connect('embedded'))
    // Four times what the queue takes before it is full.
    const messages = Array.from({ length: 32 }, (_, n) => `${n}`.padEnd(1024 * 1024, 'x'))
    const answers = await Promise.all(messages.map((message) => callText(client, 'echo', { message })))
    expect(answers.map((answer) => answer.length)).toEqual(messages.map((message) => message.length))
    expect(answers.map(Number.parseFloat)).toEqual(messages.map((_, n) => n))
  })

  it('a session beyond those of an association is refused, until one ends', async () => {
    const { peer } = await link({ server: { sessionsPerAssociation: 1 } })
    const first = await firstClient(peer.connect('embedded'))
    await expect(firstClient(peer.connect('embedded'))).rejects.toMatchObject({
      code: -33113,
      data: { causeway: { code: 'QuotaExceeded', delivery: 'not_sent' } },
    })
    await first.close()
    const next = await firstClient(peer.connect('embedded'))
    expect(await callText(next, 'echo', { message: 'in' })).toBe('in')
  })

  it('a target that is not served is refused', async () => {
    const { peer } = await link({ server: { targets: ['other'] } })
    await expect(firstClient(peer.connect('embedded'))).rejects.toMatchObject({ code: -33115 })
  })
})

describe('a server that ends', () => {
  it('in the middle of a call: its client is told, and its transport closes', async () => {
    const happened = new Happened()
    const servers: { close(): Promise<void> }[] = []
    const { peer } = await link({
      onSession: async (transport) => {
        const server = legacyServer(happened)
        servers.push(server)
        await server.connect(transport)
      },
    })
    const client = await firstClient(peer.connect('embedded'))
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve
    })
    const hanging = happened.next('hanging')
    const hung = callText(client, 'hang')
    await hanging
    await Promise.all([
      expect(hung).rejects.toMatchObject({ data: { causeway: { code: 'SessionLost', delivery: 'unknown' } } }),
      servers[0]?.close(),
    ])
    await closed
    // The association is there for the next session.
    expect(await callText(await firstClient(peer.connect('embedded')), 'echo', { message: 'on' })).toBe('on')
  })

  it('that never starts for want of something is an error of the request', async () => {
    const { peer, errors } = await link({
      onSession: () => {
        throw new Error('no database')
      },
    })
    await expect(firstClient(peer.connect('embedded'))).rejects.toMatchObject({ code: -33110 })
    expect(errors.map((error) => error.message)).toContain('no database')
  })
})
