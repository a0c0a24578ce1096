import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { callRequest, clientNotification, session } from '../../../../test/fixtures/http/http-backend-harness.ts'
import {
  changed,
  INITIALIZED,
  listeningWorld,
  openedWorld,
  ping,
  result,
} from '../../../../test/fixtures/http/legacy-world.ts'
import { RecordingSink } from '../../../../test/fixtures/http/recording-sink.ts'
import type { Arrival } from '../../../../test/fixtures/http/scripted-server.ts'

/** How long a session's next message waits for the backend to say whether it has a stream. */
const LISTEN_LIMIT_MS = 300

/** What the timers wait for that open a stream again. */
const reopenings = (timers: { readonly delaysMs: readonly number[] }) =>
  timers.delaysMs.filter((delayMs) => delayMs !== LISTEN_LIMIT_MS)

const dropped = (reason: string) => ({ backend: 'default/under-test', reason })

describe('the stream of a session', () => {
  it(`${requirement('MCP-015')} is asked for once the backend has taken notifications/initialized`, async () => {
    const { notify, server } = await openedWorld()
    notify(INITIALIZED)
    const notification = await server.next()
    expect(server.arrivals).toHaveLength(2)
    notification.json(202, '')
    const { method, path, headers } = await server.next()
    expect([method, path]).toEqual(['GET', '/mcp'])
    expect(headers).toMatchObject({
      accept: 'text/event-stream',
      'mcp-session-id': 'b-1',
      'mcp-protocol-version': '2025-11-25',
    })
    expect(headers).not.toHaveProperty('last-event-id')
    expect(headers).not.toHaveProperty('content-type')
  })

  it('is asked for in a session without an id of the backend', async () => {
    const { get } = await listeningWorld({}, { sessionId: '', version: '2025-03-26' })
    expect(get.method).toBe('GET')
    expect(get.headers).not.toHaveProperty('mcp-session-id')
    expect(get.headers).not.toHaveProperty('mcp-protocol-version')
  })

  it('is asked for once, however often the client says that it is initialised', async () => {
    const { notify, server, get } = await listeningWorld()
    get.stream()
    notify(INITIALIZED)
    const again = await server.next()
    again.json(202, '')
    notify(changed(1))
    const next = await server.next()
    expect(next.text).toBe(changed(1))
    next.json(202, '')
  })

  it('is there before the next message of the session is posted: what that has the server say finds it', async () => {
    const { get, server, notify, timers } = await listeningWorld()
    notify(changed(1))
    await expect.poll(() => timers.delaysMs).toEqual([LISTEN_LIMIT_MS])
    expect(server.arrivals.at(-1)?.method).toBe('GET')
    get.stream()
    const next = await server.next()
    expect([next.method, next.text]).toEqual(['POST', changed(1)])
    next.json(202, '')
    await expect.poll(() => timers.delaysMs).not.toContain(LISTEN_LIMIT_MS)
  })

  it('is not waited for longer than a moment, where the server says nothing', async () => {
    const { server, notify, timers } = await listeningWorld()
    notify(changed(1))
    timers.fire(LISTEN_LIMIT_MS)
    const next = await server.next()
    expect(next.text).toBe(changed(1))
    next.json(202, '')
  })

  it('is not asked for where the notification was refused, nor where there is no client to hear it', async () => {
    const { notify, server, scope } = await openedWorld()
    notify(INITIALIZED)
    const refused = await server.next()
    refused.json(500, '')
    const deaf = session('deaf')
    const sink = new RecordingSink()
    scope.call(callRequest('{"jsonrpc":"2.0","id":0,"method":"initialize"}', { session: deaf }), sink)
    const opening = await server.next()
    opening.json(200, '{"jsonrpc":"2.0","id":0,"result":{}}')
    await sink.end
    for (const body of [INITIALIZED, changed(1)]) {
      scope.notify(clientNotification(body, { session: deaf }))
      const arrival = await server.next()
      expect(arrival.method).toBe('POST')
      arrival.json(202, '')
    }
  })

  it('tells the client what belongs to no call', async () => {
    const { get, client } = await listeningWorld()
    get.stream().event(changed(1)).raw(': still here\n\n').event(changed(2))
    await client.notified(2)
    expect(client.notifications).toEqual([changed(1), changed(2)])
  })

  it('is not read while the client has no room, and loses nothing', async () => {
    const { get, client } = await listeningWorld()
    client.answer = 'wait'
    get.stream()
    const padding = ' '.repeat(64 * 1024)
    for (let n = 0; n < 200; n++) get.response.write(`data: ${changed(n)}${padding}\n\n`)
    await client.notified(1)
    expect(client.notifications).toHaveLength(1)
    expect(get.response.writableLength).toBeGreaterThan(1_000_000)
    client.answer = 'ok'
    client.room()
    await client.notified(200)
    expect(client.notifications).toEqual(Array.from({ length: 200 }, (_, n) => changed(n)))
  })

  it('carries the answer to an open call where the backend gives it there', async () => {
    const { get, server, call } = await listeningWorld()
    const stream = get.stream()
    const { sink } = call(ping('a'))
    const { sink: other } = call(ping('b'))
    const [first, second] = [await server.next(), await server.next()]
    first.stream()
    stream.event(result('a')).event(result('a'))
    expect(await sink.end).toMatchObject({ kind: 'result', status: 200 })
    second.json(200, result('b'))
    await other.end
  })

  it('drops and counts answers that nobody waits for', async () => {
    const { get, client, metrics } = await listeningWorld()
    get
      .stream()
      .event(result(7))
      .event('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}')
      .event('{}')
      .raw('event: ping\ndata: x\n\n')
      .event(changed(1))
    await client.notified(1)
    const count = (reason: string) => metrics.value('causeway_backend_messages_dropped_total', dropped(reason))
    expect(['unmatched_reply', 'not_json_rpc', 'event_type'].map(count)).toEqual([2, 1, 1])
  })

  it.each<[string, (arrival: Arrival) => void]>([
    ['405', (arrival) => arrival.json(405, '')],
    ['400', (arrival) => arrival.json(400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"x"}}')],
    ['401', (arrival) => arrival.json(401, '')],
    ['404, as servers do that know no GET', (arrival) => arrival.json(404, 'Not Found')],
    ['501', (arrival) => arrival.json(501, '')],
    ['a redirect', (arrival) => arrival.json(302, '', { location: 'http://127.0.0.1:9/' })],
    ['JSON', (arrival) => arrival.json(200, '{}')],
    ['202 and a body', (arrival) => arrival.json(202, 'Accepted')],
    ['a compressed stream', (arrival) => arrival.stream({ 'content-encoding': 'gzip' }).end()],
  ])('is not there when the backend answers %s, and the session works without it', async (_, answer) => {
    const { get, server, call, backend, timers } = await listeningWorld()
    answer(get)
    const { sink } = call(ping(1))
    const arrival = await server.next()
    expect(arrival.text).toBe(ping(1))
    arrival.json(200, result(1))
    await sink.end
    expect([backend.openSessions, timers.pending]).toEqual([1, 0])
  })
})

describe('the stream of a session that has ended', () => {
  it('is opened again where it stood, after the time that the server asked for', async () => {
    const { get, server, client, timers } = await listeningWorld()
    get
      .stream()
      .raw(`id: ü-1\nretry: 250\ndata:\n\nid: ü-2\ndata: ${changed(1)}\n\n`)
      .end()
    await expect.poll(() => reopenings(timers)).toEqual([250])
    timers.fire()
    const again = await server.next()
    expect(again.headers['last-event-id']).toBe(Buffer.from('ü-2').toString('latin1'))
    expect(again.headers['mcp-session-id']).toBe('b-1')
    again.stream().raw(`id: ü-3\ndata: ${changed(2)}\n\n`)
    await client.notified(2)
    expect(client.notifications).toEqual([changed(1), changed(2)])
  })

  it('is opened again without a word where no event had an id', async () => {
    const { get, server, client, timers } = await listeningWorld()
    get.stream().event(changed(1)).end()
    await client.notified(1)
    await expect.poll(() => reopenings(timers)).toEqual([1_000])
    timers.fire()
    const again = await server.next()
    expect(again.headers).not.toHaveProperty('last-event-id')
  })

  it('waits longer and longer, up to a bound, while nothing comes of it, and begins anew once something does', async () => {
    const limits = { reopenDelayMs: 100, maxReopenDelayMs: 350 }
    const { get, server, client, timers } = await listeningWorld({ limits })
    const breakings: ((arrival: Arrival) => void)[] = [
      (arrival) => arrival.stream().end(),
      (arrival) => arrival.json(503, ''),
      (arrival) => arrival.socket.destroy(),
      (arrival) => arrival.json(409, ''),
      (arrival) => arrival.stream().event(changed(1)).end(),
      (arrival) => arrival.json(502, ''),
    ]
    const waits: number[] = []
    let arrival = get
    for (const breaking of breakings) {
      breaking(arrival)
      await expect.poll(() => reopenings(timers)).toHaveLength(1)
      waits.push(...reopenings(timers))
      timers.fire()
      arrival = await server.next()
    }
    expect(waits).toEqual([100, 200, 350, 350, 100, 100])
    expect(client.notifications).toEqual([changed(1)])
  })

  it('tells no event twice, whatever the backend repeats, and each that only has the id of another', async () => {
    const { get, server, client, timers, metrics } = await listeningWorld()
    const event = (id: number, n: number) => `id: ${id}\ndata: ${changed(n)}\n\n`
    get.stream().raw(event(1, 1)).raw(event(2, 2)).end()
    await expect.poll(() => reopenings(timers)).toHaveLength(1)
    timers.fire()
    const again = await server.next()
    again.stream().raw(event(1, 1)).raw(event(2, 2)).raw(event(1, 3)).raw(event(3, 4)).raw(event(3, 4))
    await client.notified(5)
    expect(client.notifications).toEqual([1, 2, 3, 4, 4].map(changed))
    expect(metrics.value('causeway_backend_messages_dropped_total', dropped('repeated_event'))).toBe(2)
  })

  it('and is answered 404 when it is to go on, shows that the session is lost', async () => {
    const { get, server, timers, lost, backend } = await listeningWorld()
    get.stream().event(changed(1)).end()
    await expect.poll(() => reopenings(timers)).toHaveLength(1)
    timers.fire()
    const again = await server.next()
    again.json(404, '')
    await expect.poll(() => lost).toEqual(['s backend'])
    expect([backend.openSessions, timers.pending]).toEqual([0, 0])
  })

  it.each([400, 409])(
    'and is answered %i when it is to go on, is asked for again: the server may still hold the old one',
    async (status) => {
      const { get, server, client, timers, lost, backend } = await listeningWorld()
      get.stream().event(changed(1)).end()
      for (let n = 0; n < 3; n++) {
        await expect.poll(() => reopenings(timers)).toHaveLength(1)
        timers.fire()
        const again = await server.next()
        again.json(status, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"session already exists"}}')
      }
      await expect.poll(() => reopenings(timers)).toHaveLength(1)
      timers.fire()
      const last = await server.next()
      last.stream().event(changed(2))
      await client.notified(2)
      expect([lost, backend.openSessions]).toEqual([[], 1])
    },
  )

  it('by an event that is too large, is opened again, and that slower', async () => {
    const { get, server, timers, metrics } = await listeningWorld({ limits: { maxReplyOctets: 100 } })
    const long = `${changed(1)}data: ${'x'.repeat(200)}\n\n`
    get.stream().event(changed(1)).event(long)
    await expect.poll(() => reopenings(timers)).toEqual([1_000])
    timers.fire()
    const again = await server.next()
    again.stream().event(changed(1)).event(long)
    await expect.poll(() => reopenings(timers)).toEqual([2_000])
    expect(metrics.value('causeway_backend_messages_dropped_total', dropped('too_large'))).toBe(2)
  })
})

describe('when its session ends', () => {
  it('the stream is closed before the DELETE', async () => {
    const { get, server, scope, session: own, timers, client } = await listeningWorld()
    get.stream().event(changed(1))
    await client.notified(1)
    scope.endSession(own, 'client')
    await get.gone
    const deletion = await server.next()
    expect(deletion.method).toBe('DELETE')
    deletion.json(200, '')
    await expect.poll(() => timers.pending).toBe(0)
  })

  it('a stream that is to be opened again is not', async () => {
    const { get, server, scope, session: own, timers } = await listeningWorld()
    get.stream().event(changed(1)).end()
    await expect.poll(() => reopenings(timers)).toHaveLength(1)
    scope.endSession(own, 'client')
    const deletion = await server.next()
    deletion.json(200, '')
    await expect.poll(() => timers.pending).toBe(0)
    expect(server.arrivals.filter(({ method }) => method === 'GET')).toHaveLength(1)
  })

  it('on the close of the backend, no connection and no timer is left', async () => {
    const { get, server, backend, timers, client } = await listeningWorld()
    get.stream().event(changed(1))
    await client.notified(1)
    const closed = backend.close()
    const deletion = await server.next()
    deletion.json(200, '')
    await closed
    await get.gone
    expect(timers.pending).toBe(0)
    await expect.poll(() => server.openConnections()).toBe(0)
  })
})
