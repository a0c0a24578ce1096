import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { type AnyClient, callWith, firstClient, secondClient } from '../fixtures/embedding/clients.ts'
import { serveLegacy } from '../fixtures/embedding/legacy-server.ts'
import { type EmbeddedLink, overMemory, overTls } from '../fixtures/embedding/links.ts'
import { serveModern } from '../fixtures/embedding/modern-server.ts'
import { Happened } from '../fixtures/embedding/server-parts.ts'
import { cleanUp } from '../integration/clean-up.ts'

const SERVERS = { 'SDK 1.x': serveLegacy, 'SDK 2.x': serveModern }
const LINKS = { memory: overMemory, TLS: overTls }
const CLIENTS = {
  'SDK 1.x': firstClient,
  'SDK 2.x, legacy era': (transport: Parameters<typeof secondClient>[0]) => secondClient(transport, 'legacy'),
  'SDK 2.x, by itself': (transport: Parameters<typeof secondClient>[0]) => secondClient(transport, 'auto'),
}

interface Stand {
  readonly client: AnyClient
  readonly link: EmbeddedLink
  readonly happened: Happened
}

async function stand(
  link: keyof typeof LINKS,
  server: keyof typeof SERVERS,
  connect: (transport: Parameters<typeof secondClient>[0]) => Promise<AnyClient>,
): Promise<Stand> {
  const happened = new Happened()
  const embedded = await LINKS[link]({ onSession: (transport) => SERVERS[server](transport, happened) })
  cleanUp(embedded, () => embedded.stop())
  return { client: await connect(embedded.peer.connect('embedded')), link: embedded, happened }
}

async function call(
  client: AnyClient,
  name: string,
  args: Record<string, unknown> = {},
  options: Parameters<typeof callWith>[2] = {},
): Promise<string> {
  const result = (await callWith(client, { name, arguments: args }, options)) as { content?: { text?: string }[] }
  return result.content?.[0]?.text ?? ''
}

describe.each(Object.keys(LINKS) as (keyof typeof LINKS)[])('over %s', (link) => {
  describe.each(Object.keys(SERVERS) as (keyof typeof SERVERS)[])('a server of %s', (server) => {
    describe.each(Object.keys(CLIENTS) as (keyof typeof CLIENTS)[])('and a client of %s', (kind) => {
      const start = () => stand(link, server, CLIENTS[kind])
      // With a server of its own generation it speaks the modern era, where servers ask nothing by themselves.
      const legacy = !(server === 'SDK 2.x' && kind === 'SDK 2.x, by itself')

      it('call tools', async () => {
        const { client } = await start()
        expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('echo')
        expect(await call(client, 'echo', { message: 'héllo' })).toBe('héllo')
      })

      it('elicitation is answered by the client', async () => {
        const { client } = await start()
        expect(JSON.parse(await call(client, 'elicit'))).toEqual({ action: 'accept', content: { name: 'Ada' } })
      })

      if (legacy) {
        it(`${requirement('MCP-012')} sampling, roots and ping of the server reach the client`, async () => {
          const { client } = await start()
          expect(JSON.parse(await call(client, 'sample'))).toMatchObject({ content: { text: 'an answer' } })
          expect(JSON.parse(await call(client, 'roots'))).toEqual({ roots: [{ uri: 'file:///here', name: 'here' }] })
          expect(await call(client, 'ping')).toBe('{}')
        })

        it('ping of the client reaches the server', async () => {
          const { client } = await start()
          expect(await client.ping()).toEqual({})
        })
      }

      it('progress comes in order, before the answer', async () => {
        const { client } = await start()
        const seen: number[] = []
        await call(
          client,
          'progress',
          { steps: 20 },
          { onprogress: ({ progress }: { progress: number }) => seen.push(progress) },
        )
        expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
      })

      it('a cancelled call is cancelled at the server, and the next one goes on', async () => {
        const { client, happened } = await start()
        const abort = new AbortController()
        const hanging = happened.next('hanging')
        const hung = call(client, 'hang', {}, { signal: abort.signal })
        await hanging
        const aborted = happened.next('aborted')
        abort.abort('enough')
        await expect(hung).rejects.toThrow()
        await aborted
        expect(await call(client, 'echo', { message: 'on' })).toBe('on')
      })

      it('a result of 10 MB comes whole', async () => {
        const { client } = await start()
        expect((await call(client, 'big', { octets: 10_000_000 })).length).toBe(10_000_000)
      })

      it('a connection that breaks ends the call with what is known of it, then the transport', async () => {
        const { client, link: embedded, happened } = await start()
        const closed = new Promise<void>((resolve) => {
          client.onclose = resolve
        })
        const hanging = happened.next('hanging')
        const hung = call(client, 'hang').then(
          () => 'answered',
          (error) => error,
        )
        await hanging
        const aborted = happened.next('aborted')
        embedded.cut()
        expect(await hung).toMatchObject({
          code: -33110,
          data: { causeway: { code: 'NotDelivered', delivery: 'unknown' } },
        })
        await closed
        await aborted
      })
    })
  })
})
