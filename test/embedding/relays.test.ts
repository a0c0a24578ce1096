import { readIdentityFile } from '@causeway/npamp/crypto/node'
import { connectMcp, listenMcp, type McpTransport } from '@causeway/npamp/sdk'
import { requirement } from '@causeway/test/requirements'
import { StreamableHTTPClientTransport as SecondHttp } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it } from 'vitest'
import { type AnyClient, callWith, firstClient, secondClient } from '../fixtures/embedding/clients.ts'
import { serveLegacy } from '../fixtures/embedding/legacy-server.ts'
import { serveModern } from '../fixtures/embedding/modern-server.ts'
import { Happened } from '../fixtures/embedding/server-parts.ts'
import { edgeResources, toolsResources } from '../fixtures/mesh/documents.ts'
import { addressOf, handleOf, RelaysHere } from '../fixtures/mesh/relays-here.ts'
import { cleanUp, fixture } from '../integration/clean-up.ts'
import { callText, legacyClient, modernClient, PIN_MODERN } from '../integration/clients.ts'

/** A relay `tools` before one server, and what an agent that it lists needs to reach that. */
async function relayBefore(script: string, ...args: string[]) {
  const server = await fixture(script, ...args)
  const relays = cleanUp(await RelaysHere.create(), (all) => all.stop())
  const backends = { server: server.info.url }
  const relay = await relays.start('tools', toolsResources({ backends }, await relays.handleOf('edge'), 0))
  const options = {
    address: `npamp://${addressOf(relay.addresses.npamp)}`,
    identity: await readIdentityFile(relays.path('edge.key')),
    peer: handleOf(relay),
  }
  return { server, relays, relay, options, connect: (target = 'server') => connectMcp({ ...options, target }) }
}

async function progressOf(client: AnyClient, steps: number): Promise<number[]> {
  const seen: number[] = []
  const onprogress = ({ progress }: { readonly progress: number }) => seen.push(progress)
  await callWith(client, { name: 'progress', arguments: { steps } }, { onprogress })
  return seen
}

/** A relay `edge` with a route to an embedded server. */
async function relayTo(serve: (transport: McpTransport, happened: Happened) => unknown) {
  const happened = new Happened()
  const relays = cleanUp(await RelaysHere.create(), (all) => all.stop())
  const allow = [await relays.handleOf('edge')]
  const handle = await relays.handleOf('embedded')
  const errors: Error[] = []
  const listener = await listenMcp({
    host: '127.0.0.1',
    port: 0,
    identity: await readIdentityFile(relays.path('embedded.key')),
    allow,
    onSession: (transport) => serve(transport, happened),
    onError: (error) => errors.push(error),
  })
  cleanUp(listener, () => listener.close())
  const resources = edgeResources({ backends: { server: '' } }, handle, `npamp://127.0.0.1:${listener.port}`)
  const edge = await relays.start('edge', resources)
  return { relays, listener, happened, errors, url: `http://${addressOf(edge.addresses.mcp)}/server/mcp` }
}

describe('an agent without a relay, through a relay', () => {
  it('to server-everything, with either SDK', async () => {
    const { connect } = await relayBefore('servers/everything.ts')
    const clients = [
      firstClient(await connect()),
      secondClient(await connect(), 'legacy'),
      secondClient(await connect()),
    ]
    for (const client of await Promise.all(clients)) {
      expect(await callText(client, 'echo', { message: 'hi' })).toBe('Echo: hi')
      await client.close()
    }
  })

  it('to a server of the modern era', async () => {
    const { connect } = await relayBefore('servers/modern.ts', '--strict', '--sse')
    const client = await secondClient(await connect(), PIN_MODERN)
    expect(await callText(client, 'echo', { message: 'hi' })).toBe('hi')
    expect(await progressOf(client, 5)).toEqual([1, 2, 3, 4, 5])
    expect((await callText(client, 'big', { octets: 10_000_000 })).length).toBe(10_000_000)
    await client.close()
  })

  it(`${requirement('MCP-012')} is asked by server-everything, and hears its progress`, async () => {
    const { connect } = await relayBefore('servers/everything.ts')
    const transport = await connect()
    const client = await firstClient(transport)
    await expect.poll(async () => (await client.listTools()).tools.map(({ name }) => name)).toContain('get-roots-list')
    const sampled = await callText(client, 'trigger-sampling-request', { prompt: 'what?', maxTokens: 10 })
    expect(sampled).toContain('an answer')
    expect(await callText(client, 'trigger-elicitation-request')).toContain('✅')
    expect(await callText(client, 'get-roots-list')).toContain('file:///here')
    const seen: number[] = []
    await client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 0.1, steps: 4 } },
      undefined,
      { onprogress: ({ progress }) => seen.push(progress) },
    )
    expect(seen).toEqual([1, 2, 3, 4])
    await client.close()
  })

  it('a target that the relay does not know is an error that says so', async () => {
    const { connect } = await relayBefore('servers/modern.ts')
    await expect(firstClient(await connect('nothing'))).rejects.toMatchObject({
      code: -33115,
      data: { causeway: { code: 'MethodUnsupported', delivery: 'not_sent' } },
    })
  })

  it('a relay that stops ends the transport', async () => {
    const { connect, relay } = await relayBefore('servers/everything.ts')
    const client = await firstClient(await connect())
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve
    })
    await relay.stop()
    await closed
  })

  it('an identity that the relay does not list is told what to look at', async () => {
    const { options, relays } = await relayBefore('servers/modern.ts')
    await relays.handleOf('stranger')
    const identity = await readIdentityFile(relays.path('stranger.key'))
    await expect(connectMcp({ ...options, identity, target: 'server' })).rejects.toThrow(
      'does it list the handle of this identity?',
    )
  })
})

describe.each([
  ['SDK 1.x', serveLegacy],
  ['SDK 2.x', serveModern],
])('a server of %s without a relay, through a relay', (generation, serve) => {
  it('answers clients of either SDK', async () => {
    const { url, errors } = await relayTo(serve)
    for (const client of [await legacyClient(url), await modernClient(url)]) {
      expect(await callText(client, 'echo', { message: 'hi' })).toBe('hi')
      expect((await callText(client, 'big', { octets: 10_000_000 })).length).toBe(10_000_000)
      await client.close()
    }
    expect(errors).toEqual([])
  })

  it.each(['SDK 1.x', 'SDK 2.x'])(
    `${requirement('MCP-012')} asks its client, tells progress and hears of a cancel: client of %s`,
    async (kind) => {
      const { url, happened } = await relayTo(serve)
      const client =
        kind === 'SDK 1.x'
          ? await firstClient(new FirstHttp(new URL(url)))
          : await secondClient(new SecondHttp(new URL(url)), 'legacy')
      expect(JSON.parse(await callText(client, 'sample'))).toMatchObject({ content: { text: 'an answer' } })
      expect(JSON.parse(await callText(client, 'elicit'))).toEqual({ action: 'accept', content: { name: 'Ada' } })
      expect(JSON.parse(await callText(client, 'roots'))).toMatchObject({ roots: [{ name: 'here' }] })
      expect(await callText(client, 'ping')).toBe('{}')
      expect(await progressOf(client, 20)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
      const abort = new AbortController()
      const hanging = happened.next('hanging')
      const hung = callWith(client, { name: 'hang' }, { signal: abort.signal })
      await hanging
      const aborted = happened.next('aborted')
      abort.abort('enough')
      await expect(hung).rejects.toThrow()
      await aborted
      expect(await callText(client, 'echo', { message: 'on' })).toBe('on')
      await client.close()
    },
  )

  if (generation === 'SDK 2.x') {
    it('speaks the modern era', async () => {
      const { url } = await relayTo(serve)
      const client = await modernClient(url, PIN_MODERN)
      expect(await progressOf(client, 5)).toEqual([1, 2, 3, 4, 5])
      await client.close()
    })
  }

  it(`${requirement('MCP-019')} keeps a hundred sessions apart, which use the same ids on the same associations`, async () => {
    const { url, listener } = await relayTo(serve)
    const clients = await Promise.all(Array.from({ length: 100 }, () => legacyClient(url)))
    const answers = await Promise.all(clients.map((client) => callText(client, 'session')))
    expect(new Set(answers.map((answer) => answer.split(' ')[0])).size).toBe(100)
    expect(new Set(answers.map((answer) => answer.split(' ')[1]))).toEqual(new Set(['1']))
    expect(listener.associations).toBeLessThanOrEqual(2)
    await Promise.all(clients.map((client) => client.close()))
  })
})
