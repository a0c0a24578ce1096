import {
  type McpSubscription,
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { startMeshHere } from '../fixtures/mesh/relays-here.ts'
import { closed, fixture, stopped } from '../integration/clean-up.ts'
import { callText, PIN_MODERN } from '../integration/clients.ts'

/** Resolves with the first thing that `resolve` is called with; later ones are kept in `all`. */
function heard<Value>(): { first: Promise<Value>; all: Value[]; tell: (value: Value) => void } {
  const { promise, resolve } = Promise.withResolvers<Value>()
  const all: Value[] = []
  return {
    first: promise,
    all,
    tell: (value) => {
      all.push(value)
      resolve(value)
    },
  }
}

async function everythingBehindMesh(): Promise<URL> {
  const { info } = await fixture('servers/everything.ts')
  const { endpoint } = await stopped(startMeshHere({ backends: { everything: info.url } }))
  return new URL(endpoint('everything'))
}

const CAPABILITIES = { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } }

describe('callbacks of the SDK clients through the mesh, legacy era', () => {
  it.each([
    [
      '1.x',
      () => {
        const client = new Client({ name: 'callbacks', version: '1' }, { capabilities: CAPABILITIES })
        const told = { log: heard<unknown>(), resource: heard<string>() }
        let roots = ['file:///one']
        client.setRequestHandler(CreateMessageRequestSchema, () => sampled)
        client.setRequestHandler(ElicitRequestSchema, () => elicited)
        client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots.map((uri) => ({ uri })) }))
        client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => told.log.tell(params.data))
        client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => told.resource.tell(params.uri))
        return {
          client,
          told,
          connect: (url: URL) => client.connect(new StreamableHTTPClientTransport(url)),
          setRoots: (uris: string[]) => {
            roots = uris
          },
        }
      },
    ],
    [
      '2.x',
      () => {
        const client = new ModernClient({ name: 'callbacks', version: '1' }, { capabilities: CAPABILITIES })
        const told = { log: heard<unknown>(), resource: heard<string>() }
        let roots = ['file:///one']
        client.setRequestHandler('sampling/createMessage', () => sampled)
        client.setRequestHandler('elicitation/create', () => elicited)
        client.setRequestHandler('roots/list', () => ({ roots: roots.map((uri) => ({ uri })) }))
        client.setNotificationHandler('notifications/message', ({ params }) => told.log.tell(params.data))
        client.setNotificationHandler('notifications/resources/updated', ({ params }) => told.resource.tell(params.uri))
        return {
          client,
          told,
          connect: (url: URL) => client.connect(new ModernTransport(url)),
          setRoots: (uris: string[]) => {
            roots = uris
          },
        }
      },
    ],
  ])('SDK %s: sampling, elicitation, roots and their change, logging, subscriptions, cancel', async (_name, create) => {
    const { client, told, connect, setRoots } = create()
    await connect(await everythingBehindMesh())
    await closed(client)

    expect(await callText(client, 'trigger-sampling-request', { prompt: 'p', maxTokens: 5 })).toContain('sampled text')
    expect(await callText(client, 'trigger-elicitation-request', {})).toMatch(/decline/i)
    expect(await callText(client, 'get-roots-list', {})).toContain('file:///one')
    setRoots(['file:///two'])
    await client.sendRootsListChanged()
    await expect.poll(() => callText(client, 'get-roots-list', {})).toContain('file:///two')

    await client.setLoggingLevel('debug')
    await callText(client, 'toggle-simulated-logging', {})
    expect(await told.log.first).toBeDefined()
    const { resources } = await client.listResources()
    const uri = resources[0]?.uri ?? ''
    await client.subscribeResource({ uri })
    await callText(client, 'toggle-subscriber-updates', {})
    expect(await told.resource.first).toBe(uri)
    await client.unsubscribeResource({ uri })

    const impatience = new AbortController()
    const long = { name: 'trigger-long-running-operation', arguments: { duration: 600, steps: 3_000 } }
    const options = { signal: impatience.signal, onprogress: () => impatience.abort('enough') }
    const call = client instanceof Client ? client.callTool(long, undefined, options) : client.callTool(long, options)
    await expect(call).rejects.toThrow()
    expect(await callText(client, 'echo', { message: 'still here' })).toBe('Echo: still here')
  })
})

const sampled = { role: 'assistant' as const, model: 'none', content: { type: 'text' as const, text: 'sampled text' } }
const elicited = { action: 'decline' as const }

describe('callbacks of the SDK client 2.x through the mesh, modern era', () => {
  it('hears of changes on its subscription, and of no others once it has closed it', async () => {
    const server = await fixture('servers/modern.ts', '--strict')
    const { endpoint, tools } = await stopped(startMeshHere({ backends: { modern: server.info.url } }))
    const client = new ModernClient({ name: 'callbacks', version: '1' }, { versionNegotiation: { mode: PIN_MODERN } })
    await client.connect(new ModernTransport(new URL(endpoint('modern'))))
    await closed(client)
    const changed = heard<undefined>()
    client.setNotificationHandler('notifications/tools/list_changed', () => changed.tell(undefined))
    const subscription: McpSubscription = await client.listen({ toolsListChanged: true })
    expect(subscription.honoredFilter).toMatchObject({ toolsListChanged: true })
    await server.command('toolsChanged')
    await changed.first
    await subscription.close()
    expect(await subscription.closed).toBe('local')
    // Close is cancel, down to the server: nothing of it is open anywhere.
    await expect.poll(() => tools.metrics.value('causeway_exchanges_open', { side: 'backend' })).toBe(0)
    await server.command('toolsChanged')
    expect(await callText(client, 'echo', { message: 'on' })).toBe('on')
    expect(changed.all).toHaveLength(1)
  })

  it('a cancelled call is cancelled at the server', async () => {
    const server = await fixture('servers/modern.ts')
    const { endpoint, tools } = await stopped(startMeshHere({ backends: { modern: server.info.url } }))
    const client = new ModernClient({ name: 'callbacks', version: '1' }, { versionNegotiation: { mode: PIN_MODERN } })
    await client.connect(new ModernTransport(new URL(endpoint('modern'))))
    await closed(client)
    const impatience = new AbortController()
    const call = client.callTool({ name: 'slow', arguments: { ms: 600_000 } }, { signal: impatience.signal })
    await expect.poll(() => tools.metrics.value('causeway_exchanges_open', { side: 'backend' })).toBe(1)
    impatience.abort()
    await expect(call).rejects.toThrow()
    await expect.poll(() => tools.metrics.value('causeway_exchanges_open', { side: 'backend' })).toBe(0)
    expect(await callText(client, 'echo', { message: 'on' })).toBe('on')
  })
})
