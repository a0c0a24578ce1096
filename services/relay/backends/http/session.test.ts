import { requirement } from '@causeway/test/requirements'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type BackendHarness,
  backendHarness,
  call,
  callRequest,
  clientNotification,
  session,
} from '../../../../test/fixtures/http/http-backend-harness.ts'
import { type Arrival, type ScriptedServer, scriptedServer } from '../../../../test/fixtures/http/scripted-server.ts'
import type { CallHandle } from '../../exchanges/contract.ts'
import type { BackendScope } from '../contract.ts'
import type { HttpBackendOptions } from './contract.ts'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

interface World extends BackendHarness {
  readonly server: ScriptedServer
}

async function world(options: Partial<HttpBackendOptions> = {}): Promise<World> {
  const server = await scriptedServer()
  const harness = backendHarness(server.url, options)
  cleanUps.push(async () => {
    const closed = harness.backend.close()
    harness.timers.fire()
    await Promise.all([closed, server.close()])
  })
  return { ...harness, server }
}

const S = session('s')
const INITIALIZE = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}'
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
const initializeResult = (version = '2025-06-18') =>
  `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"${version}","capabilities":{}}}`
const ping = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`
const result = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{}}`

const initialize = (scope: BackendScope, within = S) => call(scope, callRequest(INITIALIZE, { session: within }))
const inSession = (scope: BackendScope, body: string, within = S) => call(scope, callRequest(body, { session: within }))
const notify = (scope: BackendScope, body: string, within = S) =>
  scope.notify(clientNotification(body, { session: within }))

/** A world with one session that the backend calls `b-1`. */
async function opened(options: Partial<HttpBackendOptions> = {}): Promise<World> {
  const made = await world(options)
  const { sink } = initialize(made.scope)
  const arrival = await made.server.next()
  arrival.json(200, initializeResult(), { 'mcp-session-id': 'b-1' })
  await sink.end
  return made
}

const sessionOf = (arrival: Arrival) => arrival.headers['mcp-session-id']

describe('a legacy session', () => {
  it(`${requirement('MCP-015')} opens with initialize, whose answer brings the headers of what follows`, async () => {
    const { scope, server } = await world()
    const { sink } = initialize(scope)
    const first = await server.next()
    expect(first.text).toBe(INITIALIZE)
    expect(first.headers).not.toHaveProperty('mcp-session-id')
    expect(first.headers).not.toHaveProperty('mcp-protocol-version')
    first.json(200, initializeResult('2025-06-18'), { 'mcp-session-id': 'b-1' })
    expect(await sink.replyText()).toBe(initializeResult('2025-06-18'))
    notify(scope, INITIALIZED)
    const second = await server.next()
    expect(second.headers).toMatchObject({ 'mcp-session-id': 'b-1', 'mcp-protocol-version': '2025-06-18' })
    expect(second.text).toBe(INITIALIZED)
    second.json(202, '')
  })

  it('works with a backend that gives no session id', async () => {
    const { scope, server } = await world()
    const { sink } = initialize(scope)
    const first = await server.next()
    first.json(200, initializeResult())
    await sink.end
    const { sink: second } = inSession(scope, ping(1))
    const arrival = await server.next()
    expect(sessionOf(arrival)).toBeUndefined()
    arrival.json(200, result(1))
    expect(await second.replyText()).toBe(result(1))
  })

  it(`${requirement('MCP-017')} waits with early messages for the session id only, not for the reply`, async () => {
    const { scope, server } = await world()
    const { sink } = initialize(scope)
    const early = inSession(scope, ping(1))
    const stream = (await server.next()).stream({ 'mcp-session-id': 'b-1' })
    const arrival = await server.next()
    expect(sessionOf(arrival)).toBe('b-1')
    expect(sink.ends).toEqual([])
    arrival.json(200, result(1))
    await early.sink.end
    stream.event(initializeResult()).end()
    await sink.end
  })

  it('posts nothing behind a notification that has no status yet', async () => {
    const { scope, server } = await opened()
    notify(scope, '{"jsonrpc":"2.0","method":"notifications/a"}')
    notify(scope, '{"jsonrpc":"2.0","method":"notifications/b"}')
    const { sink } = inSession(scope, ping(1))
    const other = session('other')
    initialize(scope, other)
    const first = await server.next()
    const foreign = await server.next()
    expect([first, foreign].map(({ text }) => text)).toEqual([
      '{"jsonrpc":"2.0","method":"notifications/a"}',
      INITIALIZE,
    ])
    first.json(202, '')
    const second = await server.next()
    expect(second.text).toBe('{"jsonrpc":"2.0","method":"notifications/b"}')
    second.json(400, '')
    const third = await server.next()
    expect(third.text).toBe(ping(1))
    third.json(200, result(1))
    await sink.end
  })

  it('runs its requests concurrently', async () => {
    const { scope, server } = await opened()
    const calls = [1, 2, 3].map((id) => inSession(scope, ping(id)))
    const arrivals = [await server.next(), await server.next(), await server.next()]
    for (const arrival of arrivals.reverse()) arrival.json(200, result((JSON.parse(arrival.text) as { id: number }).id))
    expect(await Promise.all(calls.map(({ sink }) => sink.replyText()))).toEqual([1, 2, 3].map(result))
  })

  it(`${requirement('MCP-021')} is unknown in another scope, even under the same key`, async () => {
    const { backend, scope, server } = await opened()
    const stranger = backend.scope()
    expect(await inSession(stranger, ping(1)).sink.failure()).toMatchObject({ code: 'SessionLost', outcome: 3 })
    const { sink } = initialize(stranger)
    const arrival = await server.next()
    expect(sessionOf(arrival)).toBeUndefined()
    arrival.json(200, initializeResult(), { 'mcp-session-id': 'b-2' })
    await sink.end
    for (const [caller, id] of [
      [scope, 'b-1'],
      [stranger, 'b-2'],
    ] as const) {
      const { sink: pong } = inSession(caller, ping(1))
      const next = await server.next()
      expect(sessionOf(next)).toBe(id)
      next.json(200, result(1))
      await pong.end
    }
  })

  it('that was never opened is lost: a request is not posted, a notification is dropped and told', async () => {
    const { scope, server, lost, metrics } = await world()
    expect(await inSession(scope, ping(1)).sink.failure()).toMatchObject({ code: 'SessionLost', outcome: 3 })
    notify(scope, INITIALIZED)
    expect(lost).toEqual(['s unknown'])
    expect(metrics.value('causeway_notifications_dropped_total', { reason: 'unknown_session' })).toBe(1)
    expect(server.arrivals).toEqual([])
  })

  it.each<[string, (arrival: Arrival) => void]>([
    ['an error', (arrival) => arrival.json(200, '{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"no"}}')],
    ['an HTTP error', (arrival) => arrival.json(500, '')],
    ['an impossible session id', (arrival) => arrival.json(200, initializeResult(), { 'mcp-session-id': 'a b' })],
    ['nothing', (arrival) => arrival.socket.destroy()],
  ])('is forgotten when the answer to initialize is %s, with all that waits in it', async (_, answer) => {
    const { backend, scope, server } = await world()
    const { sink } = initialize(scope)
    const waiting = inSession(scope, ping(1))
    answer(await server.next())
    await sink.end
    expect(await waiting.sink.failure()).toMatchObject({ outcome: 3 })
    expect(backend.openSessions).toBe(0)
    expect(server.arrivals).toHaveLength(1)
  })

  it('is deleted when its initialize brings a session id and then no result', async () => {
    const { backend, scope, server } = await world()
    const { sink, handle } = initialize(scope)
    const first = await server.next()
    first.stream({ 'mcp-session-id': 'b-1' }).raw(': wait\n\n')
    const waiting = inSession(scope, ping(1))
    const second = await server.next() // it waited for the id only
    handle.cancel('deadline')
    expect(await sink.failure()).toMatchObject({ outcome: 2 })
    const deletion = await server.next()
    expect([deletion.method, sessionOf(deletion)]).toEqual(['DELETE', 'b-1'])
    second.json(200, result(1))
    expect(await waiting.sink.replyText()).toBe(result(1))
    deletion.json(200, '')
    expect(backend.openSessions).toBe(0)
  })

  it('is refused when there are as many as may be', async () => {
    const { scope } = await opened({ limits: { maxSessions: 1 } })
    const { sink } = initialize(scope, session('second'))
    const message = 'the backend has its 1 sessions open (limits.sessionsPerRoute of its relay)'
    expect(await sink.failure()).toMatchObject({ code: 'QuotaExceeded', outcome: 0, message })
  })

  it('goes on when a notification gets no status in time', async () => {
    const { scope, server, timers, metrics } = await opened()
    notify(scope, INITIALIZED)
    const { sink } = inSession(scope, ping(1))
    const silent = await server.next()
    timers.fire()
    await silent.gone
    const next = await server.next()
    expect(next.text).toBe(ping(1))
    next.json(200, result(1))
    expect(await sink.replyText()).toBe(result(1))
    expect(metrics.value('causeway_notifications_refused_total', { backend: 'default/under-test' })).toBe(1)
  })

  it('refuses more messages than may wait', async () => {
    const { scope, server, metrics } = await opened({ limits: { maxQueuedPerSession: 1 } })
    notify(scope, INITIALIZED)
    const waiting = inSession(scope, ping(1))
    expect(await inSession(scope, ping(2)).sink.failure()).toMatchObject({ code: 'QuotaExceeded', outcome: 0 })
    notify(scope, INITIALIZED)
    expect(metrics.value('causeway_notifications_dropped_total', { reason: 'queue_full' })).toBe(1)
    const first = await server.next()
    first.json(202, '')
    const second = await server.next()
    second.json(200, result(1))
    await waiting.sink.end
  })
})

describe('a session that the backend has lost', () => {
  it.each<[string, (arrival: Arrival) => void]>([
    [
      '404',
      (arrival) => arrival.json(404, '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Session not found"}}'),
    ],
    ['404 without a body', (arrival) => arrival.json(404, '')],
    [
      '400 with an error that has no id',
      (arrival) => arrival.json(400, '{"jsonrpc":"2.0","error":{"code":-32000,"message":"x"}}'),
    ],
    [
      '400 with a null id',
      (arrival) => arrival.json(400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"x"}}'),
    ],
  ])('shows as %s: the call ends as lost and later ones are not posted', async (_, answer) => {
    const { backend, scope, server } = await opened()
    const { sink } = inSession(scope, ping(1))
    answer(await server.next())
    expect(await sink.failure()).toMatchObject({ code: 'SessionLost', outcome: 3 })
    expect(await inSession(scope, ping(2)).sink.failure()).toMatchObject({ code: 'SessionLost', outcome: 3 })
    expect(backend.openSessions).toBe(0)
    expect(server.arrivals).toHaveLength(2)
  })

  it('is not lost by a 400 about one request, nor by a 404 of a backend without sessions', async () => {
    const { scope, server } = await opened()
    const { sink } = inSession(scope, ping(1))
    const first = await server.next()
    first.json(400, '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"x"}}')
    expect(await sink.end).toMatchObject({ kind: 'error', status: 400 })

    const sessionless = session('sessionless')
    initialize(scope, sessionless)
    const second = await server.next()
    second.json(200, initializeResult())
    const { sink: missing } = inSession(scope, ping(2), sessionless)
    const third = await server.next()
    third.json(404, '{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"x"}}')
    expect(await missing.end).toMatchObject({ kind: 'error', status: 404 })
  })

  it.each<[string, (arrival: Arrival) => void]>([
    ['404', (arrival) => arrival.json(404, '')],
    ['400', (arrival) => arrival.json(400, '{"jsonrpc":"2.0","error":{"code":-32000,"message":"x"}}')],
  ])('is told to the caller when a notification meets %s', async (_, answer) => {
    const { backend, scope, server, lost } = await opened()
    notify(scope, INITIALIZED)
    answer(await server.next())
    await expect.poll(() => lost).toEqual(['s backend'])
    expect(backend.openSessions).toBe(0)
  })
})

describe('the end of a session', () => {
  it('is told to the backend behind all that waits, and fails what is still open', async () => {
    const { scope, server, backend } = await opened()
    const open = inSession(scope, ping(1))
    await server.next()
    notify(scope, INITIALIZED)
    scope.endSession(S, 'client')
    expect(await inSession(scope, ping(2)).sink.failure()).toMatchObject({ outcome: 3 })
    const notification = await server.next()
    expect(notification.text).toBe(INITIALIZED)
    notification.json(202, '')
    const deletion = await server.next()
    expect([deletion.method, deletion.text, sessionOf(deletion)]).toEqual(['DELETE', '', 'b-1'])
    expect(open.sink.ends).toEqual([])
    deletion.json(204, '')
    expect(await open.sink.failure()).toMatchObject({ outcome: 1 })
    expect(backend.openSessions).toBe(0)
  })

  it('does not wait for a backend that says nothing', async () => {
    const { scope, server, timers } = await opened()
    const open = inSession(scope, ping(1))
    await server.next()
    notify(scope, INITIALIZED)
    const hanging = await server.next()
    scope.endSession(S, 'idle')
    timers.fire()
    expect(await open.sink.failure()).toMatchObject({ outcome: 1 })
    await hanging.gone
    expect(server.arrivals.map(({ method }) => method)).not.toContain('DELETE')
  })

  it('is not told to a backend that ended it, nor to one that gave no id', async () => {
    const { scope, server, backend } = await opened()
    scope.endSession(S, 'backend')
    const sessionless = session('sessionless')
    const { sink } = initialize(scope, sessionless)
    const second = await server.next()
    second.json(200, initializeResult())
    await sink.end
    scope.endSession(sessionless, 'client')
    await backend.close()
    expect(server.arrivals.map(({ method }) => method)).toEqual(['POST', 'POST'])
  })

  it('comes for all sessions of a scope when its caller is gone, and for those of others not', async () => {
    const { backend, scope, server } = await opened()
    const stranger = backend.scope()
    const { sink } = initialize(stranger)
    const arrival = await server.next()
    arrival.json(200, initializeResult(), { 'mcp-session-id': 'b-2' })
    await sink.end
    scope.end('policy')
    const deletion = await server.next()
    expect([deletion.method, sessionOf(deletion)]).toEqual(['DELETE', 'b-1'])
    deletion.json(405, '')
    expect(backend.openSessions).toBe(1)
  })

  it('comes for all when the backend is closed', async () => {
    const { backend, server } = await opened()
    const closed = backend.close()
    const deletion = await server.next()
    expect(deletion.method).toBe('DELETE')
    deletion.json(200, '')
    await closed
  })

  it('fails a call that still waits for a place as not sent, the others as possibly executed', async () => {
    const { scope, server } = await opened({ limits: { maxConcurrency: 1 } })
    const running = inSession(scope, ping(1))
    const waiting = inSession(scope, ping(2))
    const request = await server.next()
    scope.endSession(S, 'client')
    const deletion = await server.next()
    deletion.json(200, '')
    expect(await waiting.sink.failure()).toMatchObject({ outcome: 0 })
    expect(await running.sink.failure()).toMatchObject({ outcome: 1 })
    await request.gone
    expect(server.arrivals.map(({ method }) => method)).toEqual(['POST', 'POST', 'DELETE'])
  })
})

describe('cancelling in a session', () => {
  it("passes the client's own words on, and ends its request when they have their status", async () => {
    const { scope, server } = await opened()
    const { sink } = inSession(scope, ping(1))
    const request = await server.next()
    const words = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"tired","requestId":1.0}}'
    notify(scope, words)
    const notification = await server.next()
    expect([notification.text, sessionOf(notification)]).toEqual([words, 'b-1'])
    expect(sink.ends).toEqual([])
    notification.json(202, '')
    expect(await sink.failure()).toMatchObject({ outcome: 2 })
    await request.gone
  })

  it.each(['while the cancel has no status', 'while the cancel waits behind others'])(
    'ends with a silent backend too, %s',
    async (when) => {
      const { scope, server, timers } = await opened()
      const { sink, handle } = inSession(scope, ping(1))
      await server.next()
      if (when.includes('behind')) for (const _ of [1, 2, 3]) notify(scope, INITIALIZED)
      handle.cancel('deadline')
      await server.next()
      expect(sink.ends).toEqual([])
      timers.fire()
      expect(await sink.failure()).toMatchObject({ outcome: 2 })
    },
  )

  it('passes words about no open request on as any other', async () => {
    const { scope, server } = await opened()
    const words = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}'
    const { sink } = inSession(scope, ping(1))
    const request = await server.next()
    notify(scope, words)
    const notification = await server.next()
    expect(notification.text).toBe(words)
    notification.json(202, '')
    request.json(200, result(1))
    expect(await sink.replyText()).toBe(result(1))
  })

  it('keeps the order: the cancel waits for the notification before it', async () => {
    const { scope, server } = await opened()
    const { sink, handle } = inSession(scope, ping(1))
    await server.next()
    notify(scope, INITIALIZED)
    handle.cancel('deadline')
    const first = await server.next()
    expect(first.text).toBe(INITIALIZED)
    first.json(202, '')
    const second = await server.next()
    expect(second.text).toContain('notifications/cancelled')
    second.json(202, '')
    expect(await sink.failure()).toMatchObject({ outcome: 2 })
  })

  it('takes back a request that waits behind a notification, and tells the backend nothing', async () => {
    const { scope, server } = await opened()
    notify(scope, INITIALIZED)
    const { sink } = inSession(scope, ping(1))
    const next = inSession(scope, ping(2))
    notify(scope, '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}')
    expect(await sink.failure()).toMatchObject({ outcome: 2 })
    const first = await server.next()
    first.json(202, '')
    const second = await server.next()
    expect(second.text).toBe(ping(2))
    second.json(200, result(2))
    await next.sink.end
  })

  it.each<[string, (scope: BackendScope, handle: CallHandle) => void]>([
    ['a deadline', (_, handle) => handle.cancel('deadline')],
    [
      'the words of a client',
      (scope) => notify(scope, '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}'),
    ],
  ])('closes the response of initialize, which no notification may cancel: %s', async (_, cancel) => {
    const { backend, scope, server } = await world()
    const { sink, handle } = initialize(scope)
    const arrival = await server.next()
    cancel(scope, handle)
    expect(await sink.failure()).toMatchObject({ outcome: 2 })
    await arrival.gone
    expect(backend.openSessions).toBe(0)
  })
})
