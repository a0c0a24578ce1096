import { afterEach, describe, expect, it } from 'vitest'
import type { Arrival } from '../fixtures/http/scripted-server.ts'
import { answerText, causewayOf, INITIALIZED, textsOf } from './legacy-client.ts'
import { resultOf } from './legacy-server.ts'
import { openExchanges, sharedWorld } from './world.ts'

const world = sharedWorld()
const NOTE = '{"jsonrpc":"2.0","method":"notifications/message","params":{"n":1}}'

afterEach(() => {
  world.server.onSaid = undefined
})

/** What was written has left this process. */
function afterFlush({ response }: Arrival, run: () => void): void {
  response.write(':\n', () => run())
}

/** A typed error of the edge's own, at once; the session lives on. */
async function expectTypedEnd(how: (arrival: Arrival) => void, expected: object = {}): Promise<void> {
  const client = await world.client()
  world.server.tool('end', ({ arrival }) => how(arrival))
  const answer = await client.call('1', 'end')
  const text = answerText(answer)
  expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: 1 })
  expect({ status: answer.status, ...causewayOf(text) }).toMatchObject({
    status: 200,
    code: 'NotDelivered',
    delivery: 'unknown',
    ...expected,
  })
  expect((await client.call('2', 'any')).text).toBe(resultOf('2'))
  expect(openExchanges(world.mesh)).toBe(0)
}

it('every request to a server says that it wants no compression (class: bodies that nobody decodes)', async () => {
  const client = await world.client()
  await client.call('1', 'any')
  const own = world.server.http.arrivals.slice(-4)
  expect(own.map(({ headers }) => headers['accept-encoding'])).toEqual(own.map(() => 'identity'))
})

describe('answers to notifications (class: clients that die of 200, 204, null or text/plain)', () => {
  it.each<[string, (arrival: Arrival) => void]>([
    ['202 with a body', (arrival) => arrival.response.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted')],
    ['204', (arrival) => arrival.response.writeHead(204).end()],
    ['200 without a body', (arrival) => arrival.response.writeHead(200).end()],
    ['200 and null', (arrival) => arrival.json(200, 'null')],
    ['200 and an empty stream', (arrival) => arrival.stream().end()],
    ['a stream that never ends', (arrival) => arrival.stream()],
    [
      '200 and a JSON-RPC error',
      (arrival) => arrival.json(200, '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}'),
    ],
    ['500', (arrival) => arrival.json(500, 'no')],
    ['a connection that breaks', (arrival) => arrival.socket.destroy()],
  ])('%s: the client got its 202, and the session goes on', async (_name, answer) => {
    world.server.onSaid = answer
    const client = await world.client()
    const accepted = await client.post(INITIALIZED.replace('initialized', 'roots/list_changed'))
    expect([accepted.status, accepted.body, accepted.headers['content-type']]).toEqual([202, '', undefined])
    expect((await client.call('1', 'any')).text).toBe(resultOf('1'))
  })
})

describe('answers to requests', () => {
  it.each<[string, (arrival: Arrival) => void]>([
    ['202 with a body', (arrival) => arrival.json(202, resultOf('1'))],
    ['204', (arrival) => arrival.response.writeHead(204).end()],
    ['200 without a body', (arrival) => arrival.response.writeHead(200, { 'content-length': 0 }).end()],
    ['200 and null', (arrival) => arrival.json(200, 'null')],
    ['HTML', (arrival) => arrival.response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['JSON that is cut', (arrival) => arrival.json(200, resultOf('1').slice(0, -1))],
    ['JSON with something behind', (arrival) => arrival.json(200, `${resultOf('1')}x`)],
    ['a stream that ends without an answer', (arrival) => arrival.stream().event(NOTE).end()],
    [
      'a stream that breaks without an answer',
      (arrival) => {
        arrival.stream().event(NOTE)
        afterFlush(arrival, () => arrival.socket.destroySoon())
      },
    ],
    [
      'a stream that ends inside the answer',
      (arrival) =>
        arrival
          .stream()
          .raw(`data: ${resultOf('1')}\n`)
          .end(),
    ],
    ['a foreign id', (arrival) => arrival.json(200, resultOf('99'))],
    ['the id as a string', (arrival) => arrival.json(200, resultOf('"1"'))],
    ['a foreign id in a stream', (arrival) => arrival.stream().event(resultOf('99')).end()],
    ['a result whose id is null', (arrival) => arrival.json(200, resultOf('null'))],
    ['a message of no kind', (arrival) => arrival.json(200, '{"jsonrpc":"2.0","id":1}')],
    [
      'both a result and an error',
      (arrival) => arrival.json(200, '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}'),
    ],
    [
      'a compressed answer that nobody asked for',
      (arrival) => {
        arrival.response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('x')
      },
    ],
    ['a redirect (class: /mcp to /mcp/)', (arrival) => arrival.response.writeHead(307, { location: '/mcp/' }).end()],
  ])('%s: one error, delivery unknown, and the session goes on', (_name, how) => expectTypedEnd(how))

  it.each<[string, (arrival: Arrival) => void, object]>([
    ['500', (arrival) => arrival.json(500, 'no'), { status: 500 }],
    [
      '502 of a proxy',
      (arrival) => arrival.response.writeHead(502, { 'content-type': 'text/html' }).end('<html>'),
      { status: 502 },
    ],
    ['401', (arrival) => arrival.json(401, '{}', { 'www-authenticate': 'Bearer' }), { code: 'BackendAuthRequired' }],
    ['403', (arrival) => arrival.json(403, ''), { code: 'BackendAuthRequired' }],
  ])('%s: its own typed error', (_name, how, expected) => expectTypedEnd(how, expected))

  it.each<[string, (arrival: Arrival) => void]>([
    ['JSON where a stream was asked', (arrival) => arrival.json(200, resultOf('1'))],
    [
      'a type with charset and capitals',
      (arrival) => {
        arrival.response.writeHead(200, { 'Content-Type': 'Application/JSON; Charset=UTF-8' }).end(resultOf('1'))
      },
    ],
    [
      'informational responses first',
      (arrival) => {
        arrival.response.writeProcessing()
        arrival.response.writeEarlyHints({ link: '</x>; rel=preload' })
        arrival.json(200, resultOf('1'))
      },
    ],
    ['answers twice in a stream', (arrival) => arrival.stream().event(resultOf('1')).event(resultOf('1', '2')).end()],
    ['a foreign id, then its own', (arrival) => arrival.stream().event(resultOf('99')).event(resultOf('1')).end()],
    [
      'rubbish, then its own',
      (arrival) => arrival.stream().event('<html>').event('[]').event('').event(resultOf('1')).end(),
    ],
    ['its own, and a stream that never ends', (arrival) => arrival.stream().event(resultOf('1'))],
    [
      'its own, and a broken connection',
      (arrival) => {
        arrival.stream().event(resultOf('1'))
        afterFlush(arrival, () => arrival.socket.destroySoon())
      },
    ],
    [
      'a second session id, written twice',
      (arrival) => {
        arrival.response.setHeader('mcp-session-id', ['x', 'y'])
        arrival.json(200, resultOf('1'))
      },
    ],
  ])('%s: the answer, once', async (_name, how) => {
    const client = await world.client()
    world.server.tool('fine', ({ arrival }) => how(arrival))
    const answer = await client.call('1', 'fine')
    expect([answer.status, answerText(answer)]).toEqual([200, resultOf('1')])
    expect(textsOf(answer.body).length).toBeLessThanOrEqual(1)
    expect(answer.headers['mcp-session-id']).toBeUndefined()
    // What comes too late is in nobody's way.
    expect((await client.call('1', 'any')).text).toBe(resultOf('1'))
  })

  it('the id written otherwise is the same id, and crosses as the server wrote it', async () => {
    const client = await world.client()
    world.server.tool('spelled', ({ arrival, id }) => arrival.json(200, resultOf(id === '2' ? '2.0' : '"\\u0061"')))
    expect((await client.call('2', 'spelled')).text).toBe(resultOf('2.0'))
    expect((await client.call('"a"', 'spelled')).text).toBe(resultOf('"\\u0061"'))
  })

  it('a request in place of an answer: an error for the call, and the client may still answer', async () => {
    const client = await world.client()
    world.server.tool('back', ({ arrival }) => arrival.json(200, '{"jsonrpc":"2.0","id":"back","method":"ping"}'))
    const texts = textsOf((await client.call('1', 'back')).body)
    expect(texts[0]).toBe('{"jsonrpc":"2.0","id":"back","method":"ping"}')
    expect(causewayOf(texts[1] ?? '')).toMatchObject({ code: 'NotDelivered', delivery: 'unknown' })
    await client.post(resultOf('"back"'))
    expect((await client.call('2', 'any')).status).toBe(200)
  })

  it('a batch in place of one answer, as revision 2025-03-26 allows it', async () => {
    const client = await world.client('2025-03-26')
    world.server.tool('batch', ({ arrival, id }) => arrival.json(200, ` [${NOTE} , ${resultOf(id)}]`))
    expect(textsOf((await client.call('1', 'batch')).body)).toEqual([NOTE, resultOf('1')])
  })

  it('an error without an id is the answer of the one request it came to', async () => {
    const client = await world.client()
    const error = '{"jsonrpc":"2.0","error":{"code":-32603,"message":"x"}}'
    world.server.tool('error', ({ arrival }) => arrival.json(500, error))
    const answer = await client.call('1', 'error')
    expect([answer.status, answer.body]).toEqual([500, error])
  })

  it.each<[string, (arrival: Arrival) => void]>([
    [
      '404',
      (arrival) =>
        arrival.json(404, '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}'),
    ],
    [
      '400 whose error has no id',
      (arrival) =>
        arrival.json(400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No valid session ID"}}'),
    ],
  ])(
    'a session that it has lost, said by %s: 404 at once and from then on (class: 400 in place of 404, hangs after a restart)',
    async (_name, how) => {
      const client = await world.client()
      world.server.tool('lost', ({ arrival }) => how(arrival))
      const listening = await client.listen()
      const answer = await client.call('1', 'lost')
      expect([answer.status, causewayOf(answer.body)]).toMatchObject([404, { code: 'SessionLost' }])
      const before = world.server.http.arrivals.length
      expect((await client.call('2', 'any')).status).toBe(404)
      expect((await client.post(INITIALIZED)).status).toBe(404)
      expect((await client.listen()).status).toBe(404)
      expect(await client.end()).toBe(404)
      expect(world.server.http.arrivals.length).toBe(before)
      // Its stream ends, so that a client that only listens finds out as well.
      await listening.whole()
      await client.initialize()
      expect((await client.call('3', 'any')).status).toBe(200)
    },
  )
})
