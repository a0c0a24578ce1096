import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { requirement } from '@causeway/test/requirements'
import { afterAll, describe, expect, it } from 'vitest'
import { callRequest } from '../../../../test/fixtures/http/http-backend-harness.ts'
import { PUBLISHED } from '../../../../test/fixtures/stdio/published.ts'
import {
  AskableSink,
  ClientDouble,
  eventually,
  inSession,
  modern,
  notify,
  resultOf,
  type StdioHarness,
  sessionOf,
  useStdioHarnesses,
} from '../../../../test/fixtures/stdio/stdio-backend-harness.ts'
import type { Session } from '../../exchanges/contract.ts'

const modernServer = fileURLToPath(new URL('../../../../test/fixtures/stdio/modern.ts', import.meta.url))

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'servers-')))
afterAll(() => rmSync(folder, { recursive: true }))

const harnessOf = useStdioHarnesses()

interface World extends StdioHarness {
  readonly client: ClientDouble
  readonly session: Session
  readonly ask: (id: string | number, method: string, params?: object) => ReturnType<typeof inSession>
}

function world(script: string, args: readonly string[] = [], env: ReadonlyMap<string, string> = new Map()): World {
  const harness = harnessOf([], {}, { args: [script, ...args], env })
  const client = new ClientDouble()
  const session = sessionOf('s', client)
  const ask: World['ask'] = (id, method, params = {}) => inSession(harness.scope, session, id, method, { ...params })
  return { ...harness, client, session, ask }
}

/** As a client with these capabilities. */
async function initialized(made: World, capabilities: object = {}): Promise<World> {
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'test', version: '1' } }
  expect(await resultOf(made.ask('init', 'initialize', params))).toMatchObject({ protocolVersion: '2025-11-25' })
  notify(made.scope, made.session, '{"jsonrpc":"2.0","method":"notifications/initialized"}')
  return made
}

const tool = (name: string, args: object, more: object = {}) => ({ name, arguments: args, ...more })

describe('server-everything', () => {
  it(`${requirement('MCP-015')} lists, calls, and tells progress before its result`, async () => {
    const made = await initialized(world(PUBLISHED.everything))
    expect(await made.ask(1, 'tools/list').sink.replyText()).toContain('"name":"echo"')
    expect(await made.ask(2, 'tools/call', tool('echo', { message: 'grüße' })).sink.replyText()).toContain('grüße')
    const running = made.ask(
      3,
      'tools/call',
      tool('trigger-long-running-operation', { duration: 0.05, steps: 2 }, { _meta: { progressToken: 'p' } }),
    )
    await running.sink.replyText()
    expect(running.sink.notifications.filter((text) => text.includes('"progressToken":"p"')).length).toBeGreaterThan(1)
    expect(await made.ask(4, 'no/such').sink.end).toMatchObject({ kind: 'error', status: undefined })
  })

  it(`${requirement('MCP-012')} asks the client for its roots and for samples, and hears the answers`, async () => {
    const made = await initialized(world(PUBLISHED.everything), { roots: {}, sampling: {} })
    await eventually(() => made.client.requests).toHaveLength(1)
    const roots = made.client.requests[0]
    expect(roots?.request.method).toBe('roots/list')
    const idOf = (octets: Uint8Array | undefined) => Buffer.from(octets ?? []).toString()
    roots?.reply(`{"jsonrpc":"2.0","id":${idOf(roots.request.idToken)},"result":{"roots":[]}}`)
    const sink = new AskableSink()
    const params = tool('trigger-sampling-request', { prompt: 'p', maxTokens: 5 })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    made.scope.call(callRequest(body, { session: made.session }), sink)
    await eventually(() => sink.requests).toHaveLength(1)
    const asked = sink.requests[0]
    expect(asked?.request.method).toBe('sampling/createMessage')
    asked?.reply(
      `{"jsonrpc":"2.0","id":${idOf(asked.request.idToken)},"result":{"role":"assistant","model":"m","content":{"type":"text","text":"sampled"}}}`,
    )
    expect(await sink.replyText()).toContain('sampled')
  })

  it('is of the legacy era, and so told to a modern client', async () => {
    const made = world(PUBLISHED.everything)
    const { sink } = modern(made.scope, 1, 'server/discover')
    expect(await sink.end).toMatchObject({ kind: 'error', status: 400 })
    expect(await sink.replyText()).toContain('"code":-32000')
  })

  it('stops a call that is cancelled', async () => {
    const made = await initialized(world(PUBLISHED.everything))
    const running = made.ask(1, 'tools/call', tool('trigger-long-running-operation', { duration: 600, steps: 600 }))
    running.handle.cancel('deadline')
    expect(await running.sink.failure()).toMatchObject({ outcome: 2 })
    expect(await resultOf(made.ask(2, 'ping'))).toEqual({})
  })
})

describe('server-filesystem', () => {
  it('reads and writes in the folder that it was given', async () => {
    const files = join(folder, 'files')
    mkdirSync(files)
    writeFileSync(join(files, 'a.txt'), 'hello from a file\r\nsecond line')
    const made = await initialized(world(PUBLISHED.filesystem, [files]))
    const read = made.ask(1, 'tools/call', tool('read_text_file', { path: join(files, 'a.txt') }))
    expect(await read.sink.replyText()).toContain('hello from a file\\r\\nsecond line')
    await resultOf(made.ask(2, 'tools/call', tool('write_file', { path: join(files, 'b.txt'), content: 'new' })))
    expect(readFileSync(join(files, 'b.txt'), 'utf8')).toBe('new')
    const outside = made.ask(3, 'tools/call', tool('read_text_file', { path: '/etc/hostname' }))
    expect(await outside.sink.replyText()).toContain('"isError":true')
  })
})

describe('server-memory', () => {
  it('keeps what one session told it for the next, in the file that its environment names', async () => {
    const env = new Map([['MEMORY_FILE_PATH', join(folder, 'memory.jsonl')]])
    const made = await initialized(world(PUBLISHED.memory, [], env))
    const entities = [{ name: 'Causeway', entityType: 'mesh', observations: ['carries MCP'] }]
    await resultOf(made.ask(1, 'tools/call', tool('create_entities', { entities })))
    made.scope.endSession(made.session, 'client')
    await initialized(made)
    expect(await made.ask(2, 'tools/call', tool('read_graph', {})).sink.replyText()).toContain('carries MCP')
  })
})

describe('a server on the published modern SDK', () => {
  it('is discovered, lists, calls and tells progress', async () => {
    const made = world(modernServer)
    expect(await modern(made.scope, 1, 'server/discover').sink.replyText()).toContain('2026-07-28')
    expect(await modern(made.scope, 1, 'tools/list').sink.replyText()).toContain('"name":"big"')
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      progressToken: 7,
    }
    const progress = modern(made.scope, 2, 'tools/call', tool('progress', { steps: 3 }, { _meta: meta }))
    expect(await progress.sink.end).toMatchObject({ kind: 'result' })
    expect(progress.sink.notifications).toHaveLength(3)
    const big = await modern(made.scope, 3, 'tools/call', tool('big', {})).sink.replyText()
    expect(big.length).toBeGreaterThan(10 * 1024 * 1024)
    expect(await modern(made.scope, 4, 'no/such').sink.replyText()).toContain('-32601')
  })

  it('acknowledges a subscription, and ends it when it is cancelled', async () => {
    const made = world(modernServer)
    const listen = modern(made.scope, 'l', 'subscriptions/listen', { notifications: { toolsListChanged: true } })
    await listen.sink.notified(1)
    expect(listen.sink.notifications[0]).toContain('notifications/subscriptions/acknowledged')
    listen.handle.cancel('disconnect')
    expect(await listen.sink.failure()).toMatchObject({ outcome: 2 })
    await eventually(() => made.metrics.value('causeway_backend_processes', { backend: 'default/under-test' })).toBe(0)
  })

  it('serves the legacy era too, in a process of its own', async () => {
    const made = await initialized(world(modernServer))
    expect(await made.ask(1, 'tools/call', tool('echo', { message: 'hello' })).sink.replyText()).toContain('hello')
    expect(await modern(made.scope, 1, 'server/discover').sink.end).toMatchObject({ kind: 'result' })
  })

  it('that knows no other era says so to a client of the legacy one', async () => {
    const made = world(modernServer, ['--strict'])
    const { sink } = made.ask('init', 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })
    expect(await sink.end).toMatchObject({ kind: 'error', status: 400 })
    expect(JSON.parse(await sink.replyText())).toMatchObject({
      error: { code: -32000, data: { causeway: { eras: { client: 'legacy', server: 'modern' } } } },
    })
  })
})
