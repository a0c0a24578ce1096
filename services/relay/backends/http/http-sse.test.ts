import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import {
  backendHarness,
  call,
  callRequest,
  clientNotification,
  modernBody,
} from '../../../../test/fixtures/http/http-backend-harness.ts'
import {
  changed,
  INITIALIZE,
  INITIALIZED,
  initializeResult,
  legacyWorld,
  ping,
  result,
} from '../../../../test/fixtures/http/legacy-world.ts'
import { type Arrival, scriptedServer } from '../../../../test/fixtures/http/scripted-server.ts'
import type { HttpBackendOptions } from './contract.ts'

const world = (options: Partial<HttpBackendOptions> = {}) => legacyWorld({ transport: 'httpSse', ...options })
const endpoint = (data = '/messages?session=1') => `event: endpoint\ndata: ${data}\n\n`

/** A session that is initialised; `stream` is all that the server says in it. */
async function opened(options: Partial<HttpBackendOptions> = {}) {
  const made = await world(options)
  const { sink } = made.call(INITIALIZE)
  const get = await made.server.next()
  const stream = get.stream().raw(endpoint())
  const post = await made.server.next()
  post.json(202, 'Accepted')
  stream.event(initializeResult('2024-11-05'))
  await sink.end
  return { ...made, get, stream }
}

const accept = async (arrival: Promise<Arrival>): Promise<Arrival> => {
  const taken = await arrival
  taken.json(202, 'Accepted')
  return taken
}

describe('a session over HTTP+SSE', () => {
  it(`${requirement('MCP-015')} opens its stream before initialize, which goes where that says`, async () => {
    const { call: inSession, notify, server } = await world()
    const { sink } = inSession(INITIALIZE)
    notify(INITIALIZED)
    const get = await server.next()
    expect([get.method, get.path, get.headers.accept]).toEqual(['GET', '/mcp', 'text/event-stream'])
    const stream = get.stream().raw(': hello\n\n')
    expect(server.arrivals).toHaveLength(1)
    stream.raw(endpoint())
    const post = await accept(server.next())
    expect([post.method, post.path, post.text]).toEqual(['POST', '/messages?session=1', INITIALIZE])
    expect(post.headers).not.toHaveProperty('mcp-session-id')
    const notification = await accept(server.next())
    expect([notification.path, notification.text]).toEqual(['/messages?session=1', INITIALIZED])
    stream.event(initializeResult('2024-11-05'))
    expect(await sink.end).toMatchObject({ kind: 'result', status: 200 })
    expect(await sink.replyText()).toBe(initializeResult('2024-11-05'))
  })

  it('finds its answers on the stream, by type and value of the id, before or behind the status', async () => {
    const { call: inSession, server, stream, timers } = await opened()
    const calls = [ping(1), ping('1'), ping(2)].map((body) => inSession(body))
    const [first] = [await server.next(), await accept(server.next()), await accept(server.next())]
    stream.event(result('1')).event('{"jsonrpc":"2.0","id":1.0,"result":{}}').event(result(9)).event(result(2))
    const texts = await Promise.all(calls.map(({ sink }) => sink.replyText()))
    expect(texts).toEqual(['{"jsonrpc":"2.0","id":1.0,"result":{}}', result('1'), result(2)])
    first?.json(202, '')
    await expect.poll(() => timers.pending).toBe(0)
  })

  it('gives progress to the call that wants it, and all else to the client', async () => {
    const { call: inSession, server, stream, client } = await opened()
    const wants = (id: number, token: string) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"_meta":{"progressToken":${token}}}}`
    const [one, other] = [inSession(wants(1, '1')), inSession(wants(2, '"1"'))]
    await accept(server.next())
    await accept(server.next())
    const progress = (token: string) =>
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1}}`
    stream.event(progress('"1"')).event(progress('1.0')).event(progress('7')).event(changed(1))
    await client.notified(2)
    expect(one.sink.notifications).toEqual([progress('1.0')])
    expect(other.sink.notifications).toEqual([progress('"1"')])
    expect(client.notifications).toEqual([progress('7'), changed(1)])
  })

  it('gives the only call there is what it hears while that is open, as its client may have no other stream', async () => {
    const { call: inSession, server, stream, client } = await opened()
    const { sink } = inSession(ping(1))
    await accept(server.next())
    stream.event(changed(1)).event('{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}')
    const asked = await sink.asked()
    asked.reply(result(1))
    const answer = await accept(server.next())
    expect(answer.text).toBe(result(1))
    stream.event(result(1)).event(changed(2))
    await client.notified(1)
    expect([sink.notifications, client.notifications]).toEqual([[changed(1)], [changed(2)]])
  })

  it('is not read while a call has no room, and goes on when that call ends', async () => {
    const { call: inSession, server, stream, client } = await opened()
    for (const other of ['a', 'b']) {
      inSession(ping(other))
      await accept(server.next())
    }
    const { sink, handle } = inSession(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":1}}}',
    )
    await accept(server.next())
    sink.answer = 'wait'
    stream
      .event('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}')
      .event(changed(1))
      .event(changed(2))
    await sink.notified(1)
    expect(client.notifications).toEqual([])
    handle.resume()
    await client.notified(2)
    stream.event('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}').event(changed(3))
    await sink.notified(2)
    handle.cancel('abandoned')
    await client.notified(3)
  })

  it(`${requirement('MCP-012')} carries what the server asks, and the answer back`, async () => {
    const { server, stream, client } = await opened()
    const request = '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}'
    stream.event(request)
    const asked = await client.asked()
    expect(asked.text).toBe(request)
    asked.reply(result(1))
    const answer = await accept(server.next())
    expect([answer.path, answer.text]).toEqual(['/messages?session=1', result(1)])
  })

  it('forwards a cancel, and ends the call then', async () => {
    const { call: inSession, server } = await opened()
    const { sink, handle } = inSession(ping(1))
    await accept(server.next())
    handle.cancel('deadline')
    const notification = await server.next()
    expect(notification.text).toContain('"requestId":1')
    expect(sink.ends).toEqual([])
    notification.json(202, '')
    expect(await sink.failure()).toMatchObject({ outcome: 2 })
  })

  it('ends with its stream closed, behind all that waits', async () => {
    const { scope, session, server, get, notify, timers, call: inSession } = await opened()
    const { sink } = inSession(ping(1))
    await accept(server.next())
    notify(changed(1))
    scope.endSession(session, 'client')
    const notification = await server.next()
    expect(notification.text).toBe(changed(1))
    notification.json(202, '')
    await get.gone
    expect(await sink.failure()).toMatchObject({ outcome: 1 })
    await expect.poll(() => timers.pending).toBe(0)
    expect(server.arrivals.map(({ method }) => method)).not.toContain('DELETE')
  })

  it('leaves no connection and no timer behind when the backend is closed', async () => {
    const { backend, server, get, timers } = await opened()
    await backend.close()
    await get.gone
    expect([timers.pending, backend.openSessions]).toEqual([0, 0])
    await expect.poll(() => server.openConnections()).toBe(0)
  })
})

describe('a session over HTTP+SSE is lost', () => {
  it.each<[string, (arrival: Arrival) => void]>([
    ['ends', (arrival) => arrival.response.end()],
    ['breaks', (arrival) => arrival.socket.resetAndDestroy()],
  ])('when its stream %s: what was sent may have been executed', async (_, breakOff) => {
    const { call: inSession, notify, server, get, lost, backend, timers } = await opened()
    const { sink } = inSession(ping(1))
    await accept(server.next())
    notify(changed(1))
    await server.next()
    const { sink: waiting } = inSession(ping(2))
    breakOff(get)
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    expect(await waiting.failure()).toMatchObject({ code: 'SessionLost', outcome: 3 })
    expect(lost).toEqual(['s backend'])
    expect(backend.openSessions).toBe(0)
    expect(await inSession(ping(3)).sink.failure()).toMatchObject({ code: 'SessionLost' })
    timers.fire()
    expect(server.arrivals.filter(({ method }) => method === 'GET')).toHaveLength(1)
  })

  it('when a post is answered with 404', async () => {
    const { call: inSession, server, get } = await opened()
    const [first, second] = [inSession(ping(1)), inSession(ping(2))]
    await accept(server.next())
    const refused = await server.next()
    refused.json(404, '')
    expect(await second.sink.failure()).toMatchObject({ code: 'SessionLost', outcome: 3 })
    expect(await first.sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    await get.gone
  })
})

describe('initialize over HTTP+SSE fails, not sent,', () => {
  it.each<[string, (arrival: Arrival) => void, object]>([
    ['is refused', (arrival) => arrival.json(405, ''), { code: 'NotDelivered', status: 405 }],
    ['wants credentials', (arrival) => arrival.json(401, ''), { code: 'BackendAuthRequired' }],
    ['is JSON', (arrival) => arrival.json(200, '{}'), { code: 'NotDelivered' }],
    ['breaks', (arrival) => arrival.socket.destroy(), { code: 'NotDelivered' }],
    ['ends at once', (arrival) => arrival.stream().end(), { code: 'NotDelivered' }],
    ['names another origin', (arrival) => arrival.stream().raw(endpoint('http://127.0.0.1:9/x')), {}],
    ['names another scheme', (arrival) => arrival.stream().raw(endpoint('data:text/plain,x')), {}],
    ['names no URL', (arrival) => arrival.stream().raw(endpoint('http://')), {}],
    ['names a very long one', (arrival) => arrival.stream().raw(endpoint(`/${'x'.repeat(10_000)}`)), {}],
  ])('when the stream %s', async (_, answer, failure) => {
    const { call: inSession, server, backend, timers } = await world()
    const { sink } = inSession(INITIALIZE)
    const { sink: waiting } = inSession(ping(1))
    answer(await server.next())
    expect(await sink.failure()).toMatchObject({ outcome: 0, hint: expect.any(String), ...failure })
    expect(await waiting.failure()).toMatchObject({ outcome: 3 })
    expect([backend.openSessions, timers.pending, server.arrivals.length]).toEqual([0, 0, 1])
  })

  it('when the stream says nothing in time', async () => {
    const { call: inSession, server, timers } = await world({ limits: { firstHeaderTimeoutMs: 70 } })
    const { sink } = inSession(INITIALIZE)
    const get = await server.next()
    get.stream()
    expect(timers.delaysMs).toEqual([70])
    timers.fire()
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 0 })
    await get.gone
  })

  it('when the client gives it up while it waits for the stream', async () => {
    const { call: inSession, server, timers } = await world()
    const { sink, handle } = inSession(INITIALIZE)
    const get = await server.next()
    get.stream()
    handle.cancel('deadline')
    expect(await sink.failure()).toMatchObject({ outcome: 2 })
    await get.gone
    expect(timers.pending).toBe(0)
  })

  it('when the backend is down', async () => {
    const server = await scriptedServer()
    await server.close()
    const { scope, backend, timers } = backendHarness(server.url, { transport: 'httpSse' })
    const { sink } = call(scope, callRequest(INITIALIZE, { session: { key: new Uint8Array(16), id: 's' } }))
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 0 })
    await backend.close()
    expect(timers.pending).toBe(0)
  })
})

describe('HTTP+SSE', () => {
  it('takes an endpoint relative to the URL of the stream, and the first one only', async () => {
    const { call: inSession, server } = await world()
    inSession(INITIALIZE)
    const get = await server.next()
    get.stream().raw(endpoint('post/here?x=1#y')).raw(endpoint('/elsewhere'))
    const post = await accept(server.next())
    expect(post.path).toBe('/post/here?x=1')
  })

  it('has no modern era, nor anything outside a session, and says so', async () => {
    const { scope, server, metrics } = await world()
    for (const request of [callRequest(modernBody(1, 'server/discover'), { era: 'modern' }), callRequest(ping(1))]) {
      expect(await call(scope, request).sink.failure()).toMatchObject({
        code: 'ProtocolUnsupported',
        outcome: 0,
        status: 400,
        hint: expect.stringContaining('spec.mcp.transport'),
      })
    }
    scope.notify(clientNotification(changed(1)))
    expect(metrics.value('causeway_notifications_dropped_total', { reason: 'unknown_session' })).toBe(1)
    expect(server.arrivals).toEqual([])
  })
})
