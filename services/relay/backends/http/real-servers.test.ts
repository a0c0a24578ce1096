import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requirement } from '@causeway/test/requirements'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  backendHarness,
  call,
  callRequest,
  clientNotification,
  modernBody,
  session,
} from '../../../../test/fixtures/http/http-backend-harness.ts'
import { AskableSink, RecordingClient } from '../../../../test/fixtures/http/recording-client.ts'
import { type Fixture, startFixture } from '../../../../test/fixtures/process/fixture.ts'
import { readLedger } from '../../../../test/fixtures/servers/ledger-file.ts'
import type { BackendScope } from '../contract.ts'

const fixture = (script: string, ...args: string[]): Promise<Fixture<{ url: string }>> =>
  startFixture(new URL(`../../../../test/fixtures/servers/${script}`, import.meta.url), args)

const S = session('s')
const inSession = (scope: BackendScope, id: number, method: string, params: object = {}) =>
  call(scope, callRequest(JSON.stringify({ jsonrpc: '2.0', id, method, params }), { session: S }))
const modern = (scope: BackendScope, id: number, method: string, params: Record<string, unknown> = {}) =>
  call(scope, callRequest(modernBody(id, method, params), { era: 'modern' }))

async function initialize(scope: BackendScope): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const reply = await inSession(scope, 0, 'initialize', params).sink.replyText()
  scope.notify(clientNotification('{"jsonrpc":"2.0","method":"notifications/initialized"}', { session: S }))
  return reply
}

describe('the published legacy server', () => {
  let server: Fixture<{ url: string }>
  beforeAll(async () => {
    server = await fixture('everything.ts')
  })
  afterAll(() => server.stop())

  it(`${requirement('MCP-015')} is initialised, lists and calls tools, and forgets the session when it is told`, async () => {
    const { scope, backend, timers } = backendHarness(new URL(server.info.url))
    expect(await initialize(scope)).toContain('"protocolVersion":"2025-11-25"')
    expect(await inSession(scope, 1, 'tools/list').sink.replyText()).toContain('"name":"echo"')
    const echo = inSession(scope, 2, 'tools/call', { name: 'echo', arguments: { message: 'hello' } })
    expect(await echo.sink.replyText()).toContain('Echo: hello')
    const unknown = inSession(scope, 3, 'no/such/method')
    expect(await unknown.sink.end).toMatchObject({ kind: 'error', status: 200 })
    scope.endSession(S, 'client')
    expect(await inSession(scope, 4, 'ping').sink.failure()).toMatchObject({ code: 'SessionLost' })
    const closed = backend.close()
    timers.fire()
    await closed
  })

  it('tells the progress of a call before its result', async () => {
    const { scope, backend } = backendHarness(new URL(server.info.url))
    await initialize(scope)
    const { sink } = inSession(scope, 1, 'tools/call', {
      name: 'trigger-long-running-operation',
      arguments: { duration: 0.02, steps: 2 },
      _meta: { progressToken: 'p' },
    })
    await sink.end
    const progress = sink.notifications.filter((text) => text.includes('notifications/progress'))
    expect(progress.length).toBeGreaterThanOrEqual(2)
    await backend.close()
  })

  it('answers a modern client with the status and the body that it falls back on', async () => {
    const { scope, backend } = backendHarness(new URL(server.info.url))
    expect(await modern(scope, 1, 'server/discover').sink.end).toMatchObject({ kind: 'error', status: 400 })
    await backend.close()
  })
})

describe.each([
  ['Streamable HTTP', 'streamableHttp', '2025-11-25'],
  ['HTTP+SSE', 'httpSse', '2024-11-05'],
] as const)('the published legacy server over %s', (_, transport, version) => {
  let server: Fixture<{ url: string }>
  beforeAll(async () => {
    server = await (transport === 'httpSse' ? fixture('everything.ts', 'sse') : fixture('everything.ts'))
  })
  afterAll(() => server.stop())

  it(`${requirement('MCP-012')} asks its client, in a call and outside, and hears the answers`, async () => {
    const { scope, backend, timers } = backendHarness(new URL(server.info.url), { transport })
    const client = new RecordingClient()
    const own = session('own', client)
    const ask = (id: number, method: string, params: object) => {
      const sink = new AskableSink()
      scope.call(callRequest(JSON.stringify({ jsonrpc: '2.0', id, method, params }), { session: own }), sink)
      return sink
    }
    const capabilities = { sampling: {}, roots: { listChanged: true } }
    const opening = ask(0, 'initialize', {
      protocolVersion: version,
      capabilities,
      clientInfo: { name: 'test', version: '1' },
    })
    expect(await opening.replyText()).toContain(`"protocolVersion":"${version}"`)
    scope.notify(clientNotification('{"jsonrpc":"2.0","method":"notifications/initialized"}', { session: own }))

    // Outside any call: the server asks for the roots by itself, and logs what it got.
    const roots = await client.asked()
    expect(roots.request.method).toBe('roots/list')
    roots.reply(`{"jsonrpc":"2.0","id":${roots.idText},"result":{"roots":[{"uri":"file:///a","name":"a"}]}}`)
    await expect.poll(() => client.notifications.join()).toContain('Roots updated: 1 root(s)')

    const name = 'trigger-sampling-request'
    const calling = ask(1, 'tools/call', { name, arguments: { prompt: 'hello', maxTokens: 5 } })
    const sampling = await calling.asked()
    expect(sampling.request.method).toBe('sampling/createMessage')
    const answer = { role: 'assistant', model: 'm', content: { type: 'text', text: 'sampled text' } }
    sampling.reply(`{"jsonrpc":"2.0","id":${sampling.idText},"result":${JSON.stringify(answer)}}`)
    expect(await calling.replyText()).toContain('sampled text')

    const running = ask(2, 'tools/call', {
      name: 'trigger-long-running-operation',
      arguments: { duration: 0.02, steps: 2 },
      _meta: { progressToken: 'p' },
    })
    expect(await running.end).toMatchObject({ kind: 'result' })
    expect(running.notifications.filter((text) => text.includes('notifications/progress')).length).toBeGreaterThan(1)

    const closed = backend.close()
    await expect.poll(() => backend.openSessions).toBe(0)
    await closed
    expect(timers.pending).toBe(0)
  })
})

describe('a server on the published modern SDK', () => {
  let server: Fixture<{ url: string }>
  beforeAll(async () => {
    server = await fixture('modern.ts', '--strict')
  })
  afterAll(() => server.stop())

  it(`${requirement('MCP-051')} accepts the headers that were generated from the body`, async () => {
    const { scope, backend } = backendHarness(new URL(server.info.url))
    expect(await modern(scope, 1, 'server/discover').sink.replyText()).toContain('2026-07-28')
    expect(await modern(scope, 2, 'tools/list').sink.replyText()).toContain('"name":"big"')
    const echo = modern(scope, 3, 'tools/call', { name: 'echo', arguments: { message: 'größe' } })
    expect(await echo.sink.replyText()).toContain('größe')
    const missing = modern(scope, 4, 'tools/call', { name: 'größe\n', arguments: {} })
    expect(await missing.sink.end).toMatchObject({ kind: 'error', status: 200 })
    expect(await modern(scope, 5, 'no/such').sink.end).toMatchObject({ kind: 'error', status: 404 })
    await backend.close()
  })

  it('tells progress, and results of 10 MB', async () => {
    const { scope, backend } = backendHarness(new URL(server.info.url))
    const meta = { ...metaOf(), progressToken: 7 }
    const progress = modern(scope, 1, 'tools/call', { name: 'progress', arguments: { steps: 3 }, _meta: meta })
    expect(await progress.sink.end).toMatchObject({ kind: 'result' })
    expect(progress.sink.notifications).toHaveLength(3)
    const big = await modern(scope, 2, 'tools/call', { name: 'big', arguments: {} }).sink.replyText()
    expect(big.length).toBeGreaterThan(10 * 1024 * 1024)
    await backend.close()
  })

  it('ends a cancelled call at once', async () => {
    const { scope, backend } = backendHarness(new URL(server.info.url))
    const slow = modern(scope, 1, 'tools/call', { name: 'slow', arguments: { ms: 60_000 } })
    await modern(scope, 2, 'tools/list').sink.end
    slow.handle.cancel('disconnect')
    expect(await slow.sink.failure()).toMatchObject({ outcome: 2 })
    await backend.close()
  })

  const metaOf = () => (JSON.parse(modernBody(1, 'x')) as { params: { _meta: object } }).params._meta
})

describe('a legacy server on the published modern SDK', () => {
  let server: Fixture<{ url: string }>
  beforeAll(async () => {
    server = await startFixture(new URL('../../../../test/fixtures/mcp-server/server.ts', import.meta.url))
  })
  afterAll(() => server.stop())

  it('that closes the stream of a call has it asked for again, and answers there', async () => {
    const { scope, backend, timers } = backendHarness(new URL(server.info.url))
    await initialize(scope)
    const { sink } = inSession(scope, 1, 'tools/call', { name: 'test_reconnection', arguments: {} })
    await expect.poll(() => timers.delaysMs).toEqual([200])
    timers.fire()
    expect(await sink.end).toMatchObject({ kind: 'result' })
    await backend.close()
    expect(timers.pending).toBe(0)
  })
})

describe('a server that keeps a ledger and misbehaves', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'))
  const file = join(folder, 'ledger')
  afterAll(() => rmSync(folder, { recursive: true }))

  it(`${requirement('BRG-019')} runs every call at most once, and never one that was not sent`, async () => {
    const server = await fixture('ledger.ts', file)
    const { scope, backend } = backendHarness(new URL(server.info.url))
    const run = (key: string, how: string) =>
      modern(scope, 1, 'tools/call', { name: 'run', arguments: { key, how, ms: 60_000 } })
    for (const how of ['answer', 'stream']) expect(await run(how, how).sink.replyText()).toContain(`ran ${how}`)
    const broken = [
      'close',
      'closeBeforeRun',
      'reset',
      'closeMidway',
      'closeMidStream',
      'rubbish',
      'rubbishStream',
      'status500',
    ]
    for (const how of broken) expect(await run(how, how).sink.failure(), how).toMatchObject({ outcome: 1 })

    // Resetting idle connections costs no call: the next one finds them gone, or dies as possibly executed.
    for (let n = 0; n < 20; n++) {
      await server.command('resetIdle')
      const end = await run(`idle-${n}`, 'answer').sink.end
      if ('code' in end) expect(end.outcome).toBe(1)
    }

    const hanging = run('hang', 'hang')
    await expect.poll(() => readLedger(file).get('hang')).toBe(1)
    await server.kill()
    expect(await hanging.sink.failure()).toMatchObject({ outcome: 1 })
    expect(await run('down', 'answer').sink.failure()).toMatchObject({ outcome: 0 })
    await backend.close()

    const counts = readLedger(file)
    expect([...counts.values()].every((count) => count === 1)).toBe(true)
    expect(counts.has('closeBeforeRun')).toBe(false)
    expect(counts.has('down')).toBe(false)
  })
})
