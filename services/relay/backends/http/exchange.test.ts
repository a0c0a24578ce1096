import { requirement } from '@causeway/test/requirements'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type BackendHarness,
  backendHarness,
  call,
  callRequest,
  clientNotification,
  modernBody,
} from '../../../../test/fixtures/http/http-backend-harness.ts'
import { RecordingSink } from '../../../../test/fixtures/http/recording-sink.ts'
import { type Arrival, type ScriptedServer, scriptedServer } from '../../../../test/fixtures/http/scripted-server.ts'
import type { HttpBackendOptions } from './contract.ts'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

interface World extends BackendHarness {
  readonly server: ScriptedServer
}

async function world(answer?: (arrival: Arrival) => void, options: Partial<HttpBackendOptions> = {}): Promise<World> {
  const server = await scriptedServer(answer)
  const harness = backendHarness(server.url, options)
  cleanUps.push(async () => {
    harness.timers.fire()
    await Promise.all([harness.backend.close(), server.close()])
  })
  return { ...harness, server }
}

const modern = (id: string | number, method = 'tools/list', params = {}) =>
  callRequest(modernBody(id, method, params), { era: 'modern' })
const result = (id: string | number) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{}}`
const progress = (n: number) => `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":${n}}}`

describe('an answer whose receiver has no room', () => {
  class SlowSink extends RecordingSink {
    room: 'ok' | 'wait' = 'wait'
    readonly arrived: number[] = []

    arriving(octets: number): 'ok' | 'wait' {
      this.arrived.push(octets)
      return this.room
    }
  }

  it.each([
    ['a JSON body', (arrival: Arrival, text: string) => arrival.json(200, text)],
    ['an event', (arrival: Arrival, text: string) => arrival.stream().event(text).end()],
  ])('%s is read no further, and to its end once there is some', async (_name, answer) => {
    const text = `{"jsonrpc":"2.0","id":1,"result":{"x":"${'x'.repeat(8 * 1024 * 1024)}"}}`
    const { scope, server } = await world((arrival) => {
      const { id } = JSON.parse(arrival.text) as { id: number }
      answer(arrival, text.replace('"id":1', `"id":${id}`))
    })
    const sink = new SlowSink()
    const handle = scope.call(modern(1), sink)
    await server.next()
    // Another call, over and over, gives the body all the time that it would need.
    for (let id = 2; id < 6; id++) {
      const other = new RecordingSink()
      scope.call(modern(id), other)
      const { length } = await other.replyText()
      expect(length).toBe(text.length)
    }
    expect(sink.ends).toEqual([])
    expect(Math.max(...sink.arrived)).toBeLessThan(1024 * 1024)
    sink.room = 'ok'
    handle.resume()
    expect(await sink.replyText()).toBe(text)
  })
})

describe('a request to an HTTP backend', () => {
  it(`${requirement('RPC-001')} ${requirement('MCP-002')} goes out and comes back octet for octet`, async () => {
    const request =
      '{ "jsonrpc" : "2.0",\t"id" : 9007199254740993, "method":"ping", "params":{"z":1.0,"a":1e2,"\\u0061":"\\/"}}'
    const reply = '{"result":{"b":1.50,"a":[ 1e0 ]}, "id":9007199254740993,"jsonrpc":"2.0"}'
    const { scope, server } = await world((arrival) => arrival.json(200, ` ${reply}\n`))
    const { sink } = call(scope, { ...callRequest(request), idToken: Buffer.from('9007199254740993') })
    expect(await sink.replyText()).toBe(reply)
    expect(server.arrivals.map((arrival) => arrival.text)).toEqual([request])
  })

  it('is posted to the path and query of the URL with the headers of its era', async () => {
    const server = await scriptedServer((arrival) => arrival.json(200, result(1)))
    cleanUps.push(() => server.close())
    const { scope, backend } = backendHarness(new URL('/some/path?key=1', server.url))
    cleanUps.push(() => backend.close())
    await call(scope, modern(1)).sink.end
    expect(server.arrivals).toMatchObject([
      {
        method: 'POST',
        path: '/some/path?key=1',
        headers: {
          host: server.url.host,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-method': 'tools/list',
          'mcp-protocol-version': '2026-07-28',
        },
      },
    ])
  })

  it('counts the parameters that do not become headers', async () => {
    const { scope, metrics } = await world((arrival) => arrival.json(200, result(1)))
    await call(scope, { ...modern(1), parameters: new Map([['x-other', 'a']]) }).sink.end
    expect(metrics.value('causeway_service_parameters_dropped_total', { reason: 'not_accepted' })).toBe(1)
  })

  it(`${requirement('RPC-014')} tells an error of the backend's unchanged, with its HTTP status`, async () => {
    const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":{"x":[1,2.0]}}}'
    const { scope } = await world((arrival) => arrival.json(404, error, { 'retry-after': '3' }))
    const end = await call(scope, modern(1)).sink.end
    expect(end).toMatchObject({ kind: 'error', status: 404, parameters: new Map([['retry-after', '3']]) })
    expect(await call(scope, modern(1)).sink.replyText()).toBe(error)
  })

  it('takes an error without an id as the answer to the one request that was asked', async () => {
    const error = '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request"},"id":null}'
    const { scope } = await world((arrival) => arrival.json(400, error))
    expect(await call(scope, modern(1)).sink.end).toMatchObject({ kind: 'error', status: 400 })
  })

  it(`${requirement('MCP-038')} tells a tool's own failure as a result`, async () => {
    const failed = '{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[]}}'
    const { scope } = await world((arrival) => arrival.json(200, failed))
    expect(await call(scope, modern(1, 'tools/call', { name: 'x' })).sink.end).toMatchObject({ kind: 'result' })
  })

  it('reads an event stream: notifications as they come, then the reply', async () => {
    const { scope, server } = await world()
    const { sink } = call(scope, modern('a'))
    const stream = (await server.next()).stream()
    stream.event(progress(1))
    await sink.notified(1)
    expect(sink.ends).toEqual([])
    stream
      .raw(`data: ${progress(2).replace(',', ',\ndata: ')}\r\n\r\n`)
      .event(result('a'))
      .end()
    expect(await sink.replyText()).toBe(result('a'))
    expect(sink.notifications).toEqual([progress(1), progress(2).replace(',', ',\n')])
  })

  it('matches ids by type and value, not by spelling', async () => {
    const { scope } = await world((arrival) => arrival.json(200, '{"jsonrpc":"2.0","id":10e-1,"result":{}}'))
    expect(await call(scope, { ...modern(1), idToken: Buffer.from('1.0') }).sink.end).toMatchObject({ kind: 'result' })
  })

  it(`${requirement('RPC-011')} does not take the reply to another request for its own`, async () => {
    const { scope, metrics } = await world((arrival) => {
      arrival
        .stream()
        .event(result('1'))
        .event(result(2))
        .event('{"jsonrpc":"2.0","id":null,"result":{}}')
        .event(result(1))
        .end()
    })
    expect(await call(scope, modern(1)).sink.replyText()).toBe(result(1))
    const dropped = { backend: 'default/under-test', reason: 'unmatched_reply' }
    expect(metrics.value('causeway_backend_messages_dropped_total', dropped)).toBe(3)
  })

  it(`${requirement('RPC-009')} has one end: what comes after the reply is dropped and counted`, async () => {
    const { scope, server, metrics } = await world()
    const { sink } = call(scope, modern(1))
    const arrival = await server.next()
    arrival.stream().event(result(1)).event(result(1)).event(progress(1)).end()
    await sink.end
    await expect.poll(() => metrics.value('causeway_late_replies_total', { side: 'backend' })).toBe(1)
    const late = { backend: 'default/under-test', reason: 'late_notification' }
    await expect.poll(() => metrics.value('causeway_backend_messages_dropped_total', late)).toBe(1)
    expect(sink.ends).toHaveLength(1)
    expect(sink.notifications).toEqual([])
  })

  it('lets a stream that goes on after its reply linger for a moment only', async () => {
    const { scope, server, timers } = await world()
    const { sink } = call(scope, modern(1))
    const arrival = await server.next()
    arrival.stream().event(result(1))
    await sink.end
    timers.fire()
    await arrival.gone
  })

  it('ignores events of other types, comments, and events without data', async () => {
    const { scope, metrics } = await world((arrival) => {
      arrival
        .stream()
        .raw(`: hello\n\nid: 1\ndata:\n\nevent: ping\ndata: ${result(1)}\n\n`)
        .raw(`data: ${result(1)}\n\n`)
        .end()
    })
    expect(await call(scope, modern(1)).sink.replyText()).toBe(result(1))
    const ignored = { backend: 'default/under-test', reason: 'event_type' }
    expect(metrics.value('causeway_backend_messages_dropped_total', ignored)).toBe(1)
  })

  it('runs beside any number of others', async () => {
    const { scope, server } = await world()
    const calls = Array.from({ length: 20 }, (_, id) => call(scope, modern(id)))
    const arrivals = await Promise.all(calls.map(() => server.next()))
    for (const arrival of arrivals.reverse()) {
      const { id } = JSON.parse(arrival.text) as { id: number }
      arrival.json(200, result(id))
    }
    expect(await Promise.all(calls.map(({ sink }) => sink.replyText()))).toEqual(calls.map((_, id) => result(id)))
  })
})

describe('an exchange that has no answer', () => {
  async function failureOf(answer: (arrival: Arrival) => void, options: Partial<HttpBackendOptions> = {}) {
    const { scope } = await world(answer, options)
    return call(scope, modern(1)).sink.failure()
  }

  it(`${requirement('RPC-017')} is not delivered, and says so, when the backend is down`, async () => {
    const server = await scriptedServer()
    await server.close()
    const { scope, backend, metrics } = backendHarness(server.url)
    cleanUps.push(() => backend.close())
    expect(await call(scope, modern(1)).sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 0 })
    const none = { backend: 'default/under-test', status: '0' }
    expect(metrics.value('causeway_backend_responses_total', none)).toBe(1)
  })

  it('says so when what the backend speaks is not HTTP', async () => {
    const failure = await failureOf((arrival) => arrival.socket.end('SSH-2.0-x\r\n'))
    expect(failure.message).toContain('is not HTTP/1.1')
  })

  it.each<[string, (arrival: Arrival) => void]>([
    ['closes before the answer', (arrival) => arrival.socket.destroy()],
    ['resets before the answer', (arrival) => arrival.socket.resetAndDestroy()],
    [
      'closes inside a JSON body',
      (arrival) => {
        arrival.response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        arrival.response.write(result(1), () => arrival.socket.destroy())
      },
    ],
    [
      'closes inside an event',
      (arrival) => {
        arrival.stream().raw(`data: ${result(1)}\n`)
        setImmediate(() => arrival.socket.end())
      },
    ],
    ['ends the stream without a reply', (arrival) => arrival.stream().event(progress(1)).end()],
    ['answers with no HTTP', (arrival) => arrival.socket.end('SSH-2.0-x\r\n')],
    ['answers with no JSON', (arrival) => arrival.json(200, 'Hello')],
    [
      'answers with no UTF-8',
      (arrival) => {
        arrival.response.writeHead(200, { 'content-type': 'application/json' })
        arrival.response.end(Buffer.from('{"jsonrpc":"2.0","id":1,"result":"\xff"}', 'latin1'))
      },
    ],
    ['answers with JSON of its own', (arrival) => arrival.json(200, '{"ok":true}')],
    ['answers with a batch', (arrival) => arrival.json(200, `[${result(1)}]`)],
    ['answers with HTML', (arrival) => arrival.json(200, result(1), { 'content-type': 'text/html' })],
    ['compresses without being asked', (arrival) => arrival.json(200, result(1), { 'content-encoding': 'gzip' })],
    ['answers nothing', (arrival) => arrival.json(200, '')],
    ['accepts and does not answer', (arrival) => arrival.json(202, '')],
    ['redirects', (arrival) => arrival.json(307, '', { location: 'http://127.0.0.1:9/' })],
    ['answers only another request', (arrival) => arrival.json(200, result(2))],
  ])(`${requirement('BRG-019')} may have been executed when the backend %s`, async (_, answer) => {
    const failure = await failureOf(answer)
    expect(failure).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    expect(failure).not.toHaveProperty('status')
  })

  it.each([400, 404, 409, 500, 503])('keeps the HTTP status %i of an error without JSON-RPC', async (status) => {
    for (const body of [
      '',
      'Bad',
      '{"error":"x"}',
      '{"jsonrpc":"2.0","id":"server-error","error":{"code":1,"message":""}}',
    ]) {
      const failure = await failureOf((arrival) => arrival.json(status, body, { 'retry-after': '7' }))
      expect(failure).toMatchObject({ code: 'NotDelivered', outcome: 1, status, retryAfter: '7' })
    }
  })

  it.each(['initialize', 'tools/list'])('points at the URL where %s outside a session meets 404', async (method) => {
    const { scope, server } = await world()
    const { sink } = call(scope, callRequest(`{"jsonrpc":"2.0","id":1,"method":"${method}"}`))
    const arrival = await server.next()
    arrival.json(404, 'Not Found')
    expect(await sink.failure()).toMatchObject({
      status: 404,
      hint: "compare spec.mcp.url of the MeshBackend with the server's endpoint",
    })
  })

  it.each([401, 403])('wants credentials at %i, whatever the body says', async (status) => {
    const failure = await failureOf((arrival) => arrival.json(status, result(1)))
    expect(failure).toMatchObject({ code: 'BackendAuthRequired', outcome: 1, hint: expect.any(String) })
    expect(failure).not.toHaveProperty('status')
  })

  it('names the limit that an answer breaks, in JSON and in an event', async () => {
    const long = `{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(1_000)}"}`
    const limits = { maxReplyOctets: 1_000 }
    for (const answer of [
      (arrival: Arrival) => arrival.json(200, long),
      (arrival: Arrival) => arrival.stream().event(long).end(),
    ]) {
      expect(await failureOf(answer, { limits })).toMatchObject({
        outcome: 1,
        message: expect.stringMatching(/1000 octets.*limits\.maxReplyBytes/),
      })
    }
  })

  it('may have been executed when the headers of the answer are larger than allowed', async () => {
    const answer = (arrival: Arrival) => arrival.json(200, result(1), { 'x-long': 'x'.repeat(2_000) })
    expect(await failureOf(answer, { limits: { maxHeaderOctets: 1_000 } })).toMatchObject({
      outcome: 1,
      message: 'the headers of the answer are larger than 1000 octets (limits.maxHeaderBytes of the relay)',
    })
  })

  it('may have been executed when the first header takes longer than configured', async () => {
    const { scope } = await world(undefined, { limits: { firstHeaderTimeoutMs: 50 } })
    expect(await call(scope, modern(1)).sink.failure()).toMatchObject({
      outcome: 1,
      message: expect.stringContaining('limits.firstHeaderTimeout'),
    })
  })

  it('was not sent when the backend has all the requests that it may have', async () => {
    const { scope, server } = await world(undefined, { limits: { maxConcurrency: 1 } })
    const calls = Array.from({ length: 18 }, (_, id) => call(scope, modern(id)))
    expect(await calls[17]?.sink.failure()).toMatchObject({
      code: 'QuotaExceeded',
      outcome: 0,
      message: expect.stringContaining('its 1 requests open (limits.maxConcurrency)'),
    })
    for (let id = 0; id < 17; id++) {
      const arrival = await server.next()
      expect(JSON.parse(arrival.text)).toMatchObject({ id })
      expect(server.arrivals).toHaveLength(id + 1)
      arrival.json(200, result(id))
      await calls[id]?.sink.end
    }
  })

  it('is no JSON-RPC: the modern era cannot be spoken without reading the body', async () => {
    const { scope, server } = await world()
    const { sink } = call(scope, { ...modern(1), octets: Buffer.from('{') })
    expect(await sink.failure()).toMatchObject({ outcome: 0 })
    expect(server.arrivals).toEqual([])
  })
})

describe('backpressure', () => {
  it('stops reading a stream while its receiver waits, and loses nothing', async () => {
    const { scope, server } = await world()
    const { sink, handle } = call(scope, modern(1))
    sink.answer = 'wait'
    const arrival = await server.next()
    const stream = arrival.stream()
    const padding = ' '.repeat(64 * 1024)
    const written: boolean[] = []
    for (let n = 0; n < 200; n++) written.push(arrival.response.write(`data: ${progress(n)}${padding}\n\n`))
    stream.event(result(1)).end()
    await sink.notified(1)
    // 13 MB were written and one message was taken: the rest stands in the server's own buffer.
    expect(sink.notifications).toHaveLength(1)
    expect(arrival.response.writableLength).toBeGreaterThan(1_000_000)
    sink.answer = 'ok'
    handle.resume()
    await sink.end
    expect(sink.notifications).toEqual(written.map((_, n) => progress(n)))
  })

  it('tells what it holds, one by one, even when the backend is gone', async () => {
    const { scope, server } = await world()
    const { sink, handle } = call(scope, modern(1))
    sink.answer = 'wait'
    const arrival = await server.next()
    arrival.stream().event(progress(1)).event(progress(2)).event(result(1))
    await sink.notified(1)
    arrival.socket.end()
    handle.resume()
    await sink.notified(2)
    expect(sink.ends).toEqual([])
    handle.resume()
    expect(await sink.replyText()).toBe(result(1))
  })
})

describe('cancelling', () => {
  it('closes the response of a modern request and ends as cancelled', async () => {
    const { scope, server } = await world()
    const { sink, handle } = call(scope, modern(1))
    const arrival = await server.next()
    arrival.stream().event(progress(1))
    await sink.notified(1)
    handle.cancel('disconnect')
    expect(sink.ends).toMatchObject([{ code: 'NotDelivered', outcome: 2 }])
    await arrival.gone
    handle.cancel('deadline')
    expect(sink.ends).toHaveLength(1)
  })

  it('takes back a request that has not left', async () => {
    const { scope, server } = await world(undefined, { limits: { maxConcurrency: 1 } })
    const first = call(scope, modern(1))
    const waiting = call(scope, modern(2))
    const last = call(scope, modern(3))
    waiting.handle.cancel('disconnect')
    expect(waiting.sink.ends).toMatchObject([{ outcome: 2 }])
    const arrival = await server.next()
    arrival.json(200, result(1))
    const third = await server.next()
    third.json(200, result(3))
    await Promise.all([first.sink.end, last.sink.end])
    expect(server.arrivals).toHaveLength(2)
  })

  it('frees its place among the requests', async () => {
    const { scope, server } = await world(undefined, { limits: { maxConcurrency: 1 } })
    const hanging = call(scope, modern(1))
    const next = call(scope, modern(2))
    await server.next()
    hanging.handle.cancel('deadline')
    const arrival = await server.next()
    arrival.json(200, result(2))
    expect(await next.sink.replyText()).toBe(result(2))
  })

  it('comes too late when the reply was there', async () => {
    const { scope } = await world((arrival) => arrival.json(200, result(1)))
    const { sink, handle } = call(scope, modern(1))
    await sink.end
    handle.cancel('disconnect')
    expect(sink.ends).toHaveLength(1)
  })

  it('tells a legacy backend with the raw id, and ends when that has its status', async () => {
    const { scope, server } = await world()
    const { sink, handle } = call(scope, {
      ...callRequest('{"jsonrpc":"2.0","id":1,"method":"x"}'),
      idToken: Buffer.from('1.0e0'),
    })
    const request = await server.next()
    request.stream().event(progress(1))
    await sink.notified(1)
    handle.cancel('deadline')
    const notification = await server.next()
    expect(notification.text).toBe('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0e0}}')
    expect(sink.ends).toEqual([])
    notification.json(202, '')
    expect(await sink.failure()).toMatchObject({ outcome: 2 })
    await request.gone
  })

  it('breaks an abandoned call of the legacy era off without a word: a disconnect is no cancel', async () => {
    const { scope, server } = await world()
    const { sink, handle } = call(scope, callRequest('{"jsonrpc":"2.0","id":1,"method":"x"}'))
    const request = await server.next()
    handle.cancel('abandoned')
    expect(sink.ends).toMatchObject([{ outcome: 2 }])
    await request.gone
    expect(server.arrivals).toHaveLength(1)
  })

  it('lets a real reply win over a legacy cancel', async () => {
    const { scope, server } = await world()
    const { sink, handle } = call(scope, callRequest('{"jsonrpc":"2.0","id":1,"method":"x"}'))
    const request = await server.next()
    handle.cancel('deadline')
    const notification = await server.next()
    request.json(200, result(1))
    expect(await sink.replyText()).toBe(result(1))
    notification.json(202, '')
  })
})

describe('a server that asks', () => {
  it('hears that a legacy client cannot be asked, with its own id, and the request goes on', async () => {
    const { scope, server, metrics } = await world()
    const { sink } = call(scope, callRequest('{"jsonrpc":"2.0","id":1,"method":"x"}'))
    const stream = (await server.next()).stream()
    stream.event('{"jsonrpc":"2.0","id":1e2,"method":"sampling/createMessage"}')
    const answer = await server.next()
    expect(answer.text).toBe(
      '{"jsonrpc":"2.0","id":1e2,"error":{"code":-33115,"message":"there is no client here that can be asked",' +
        '"data":{"causeway":{"code":"MethodUnsupported","delivery":"not_sent"}}}}',
    )
    answer.json(202, '')
    stream.event(result(1)).end()
    expect(await sink.replyText()).toBe(result(1))
    expect(metrics.value('causeway_server_requests_answered_total', { side: 'backend' })).toBe(1)
  })

  it('is not answered in the modern era, which has no such requests', async () => {
    const { scope, server } = await world((arrival) => {
      arrival.stream().event('{"jsonrpc":"2.0","id":1,"method":"ping"}').event(result(1)).end()
    })
    expect(await call(scope, modern(1)).sink.replyText()).toBe(result(1))
    expect(server.arrivals).toHaveLength(1)
  })
})

describe('a notification outside any session', () => {
  it(`${requirement('RPC-020')} is posted, and counted when the backend refuses it`, async () => {
    const { scope, server, metrics } = await world()
    scope.notify(clientNotification('{"jsonrpc":"2.0","method":"notifications/x"}', { era: 'modern' }))
    const arrival = await server.next()
    expect(arrival.text).toBe('{"jsonrpc":"2.0","method":"notifications/x"}')
    arrival.json(500, 'no')
    const refused = { backend: 'default/under-test' }
    await expect.poll(() => metrics.value('causeway_notifications_refused_total', refused)).toBe(1)
  })

  it('is dropped when too many have no status yet, and these get none for ever', async () => {
    const { scope, server, metrics, timers } = await world(undefined, { limits: { maxQueuedPerSession: 2 } })
    const post = (era: 'modern' | 'legacy' = 'modern') =>
      scope.notify(clientNotification('{"jsonrpc":"2.0","method":"notifications/x"}', { era }))
    for (const era of ['modern', 'legacy', 'modern'] as const) post(era)
    const silent = [await server.next(), await server.next()]
    expect(metrics.value('causeway_notifications_dropped_total', { reason: 'queue_full' })).toBe(1)
    timers.fire()
    await Promise.all(silent.map(({ gone }) => gone))
    post()
    const arrival = await server.next()
    arrival.json(202, '')
    expect(server.arrivals).toHaveLength(3)
  })
})

describe('close', () => {
  it('fails what is open as possibly executed and what comes later as not sent', async () => {
    const { scope, backend, server } = await world()
    const open = call(scope, modern(1))
    await server.next()
    const closed = backend.close()
    expect(await call(scope, modern(2)).sink.failure()).toMatchObject({ outcome: 0 })
    await closed
    expect(await open.sink.failure()).toMatchObject({ outcome: 1 })
    expect([backend.openExchanges, server.arrivals.length]).toEqual([0, 1])
  })

  it('fails a call that still waits for a place as not sent, and never sends it', async () => {
    const { scope, backend, server } = await world(undefined, { limits: { maxConcurrency: 1 } })
    const open = call(scope, modern(1))
    const waiting = [call(scope, modern(2)), call(scope, modern(3))]
    await server.next()
    const closed = backend.close()
    for (const { sink } of waiting) expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 0 })
    await closed
    expect(await open.sink.failure()).toMatchObject({ outcome: 1 })
    expect(server.arrivals).toHaveLength(1)
  })
})
