import { afterEach, describe, expect, it } from 'vitest'
import type { Arrival } from '../fixtures/http/scripted-server.ts'
import { answerText, causewayOf, INITIALIZED, textsOf, toolCall } from './legacy-client.ts'
import { resultOf } from './legacy-server.ts'
import { openExchanges, sharedWorld } from './world.ts'

const world = sharedWorld()
const NOTE = '{"jsonrpc":"2.0","method":"notifications/message","params":{"n":1}}'

afterEach(() => {
  world.server.onGet = undefined
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

describe('servers without a GET stream (class: a gateway takes 405 or 404 to GET for the end of the session)', () => {
  it.each<[number, string]>([
    [405, ''],
    [404, 'Not Found'],
    [400, '{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"},"id":null}'],
    [501, ''],
    [200, '{"jsonrpc":"2.0","id":null,"result":{}}'],
  ])('GET is answered %i: calls, their notifications and server requests go on', async (status, body) => {
    world.server.onGet = (arrival) => arrival.json(status, body)
    const client = await world.client()
    world.server.tool('talk', ({ arrival, id, session }) => {
      const stream = arrival.stream().event(NOTE).event('{"jsonrpc":"2.0","id":1,"method":"ping"}')
      void world.server
        .heard(session, (said) => said.includes(resultOf('1')))
        .then(() => stream.event(resultOf(id)).end())
    })
    // Whatever came of the GET has been seen by then.
    expect((await client.call('1', 'any')).status).toBe(200)
    const answer = await client.openCall('2', 'talk')
    await answer.text((text) => text.includes('"ping"'))
    await client.post(resultOf('1'))
    expect(textsOf((await answer.whole()).body)).toEqual([
      NOTE,
      '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      resultOf('2'),
    ])
    const listening = await client.listen()
    expect([listening.status, listening.headers['content-type']]).toEqual([200, 'text/event-stream'])
    listening.disconnect()
  })
})

it.each([
  [400, 'Session registration failed: session already exists'],
  [400, '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: no multiple GET requests"},"id":""}'],
  [
    409,
    '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Conflict: Only one SSE stream is allowed per session"},"id":null}',
  ],
])(
  'a GET stream that breaks, and is refused with %i when it is asked for again: the session and its calls live on (class: the old stream is not noticed to be gone)',
  async (status, body) => {
    const client = await world.client()
    world.server.tool('who', ({ arrival, id, session }) => arrival.json(200, resultOf(id, `"${session}"`)))
    const session = JSON.parse((await client.call('1', 'who')).text).result as string
    world.server.tool('long', ({ arrival, id }) => {
      const refused = new Promise<void>((resolve) => {
        world.server.onGet = (get) => {
          get.json(status, body)
          get.response.once('close', resolve)
        }
      })
      void world.server.stream(session).then(({ socket }) => socket.destroy())
      // The relay has been refused by then.
      void refused.then(() => setTimeout(() => arrival.json(200, resultOf(id)), 100))
    })
    expect((await client.call('2', 'long')).text).toBe(resultOf('2'))
    expect((await client.call('3', 'any')).status).toBe(200)
  },
)

it('every request to a server says that it wants no compression (class: bodies that nobody decodes)', async () => {
  const client = await world.client()
  await client.call('1', 'any')
  const own = world.server.http.arrivals.slice(-4)
  expect(own.map(({ headers }) => headers['accept-encoding'])).toEqual(own.map(() => 'identity'))
})

it('a GET that is never answered holds nothing up but a moment', async () => {
  world.server.onGet = () => {}
  const client = await world.client()
  world.server.tool('note', ({ arrival, id }) => arrival.stream().event(NOTE).event(resultOf(id)).end())
  expect(textsOf((await client.call('1', 'note')).body)).toEqual([NOTE, resultOf('1')])
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

describe('streams with event ids', () => {
  it('one that closes without an answer is gone on with, once, and nothing comes twice (class: replayed events)', async () => {
    const client = await world.client()
    const resumed: string[] = []
    world.server.onGet = (arrival) => {
      const last = arrival.headers['last-event-id']
      const stream = arrival.stream()
      if (last === undefined) return
      resumed.push(String(last))
      // It repeats one that was told.
      stream.raw(`id: e2\ndata: ${NOTE}\n\nid: e3\ndata: ${resultOf('1', '"resumed"')}\n\n`).end()
    }
    world.server.tool('polled', ({ arrival }) => {
      arrival.stream().raw(`id: e1\nretry: 1\ndata: \n\nid: e2\ndata: ${NOTE}\n\n`).end()
    })
    const answer = await client.call('1', 'polled')
    expect(textsOf(answer.body)).toEqual([NOTE, resultOf('1', '"resumed"')])
    expect(resumed).toEqual(['e2'])
  })

  it.each([
    [405, 'NotDelivered', 'unknown'],
    [400, 'NotDelivered', 'unknown'],
    [404, 'SessionLost', 'unknown'],
  ])('one that is answered %i when it is to go on ends the call with a typed error', async (status, code, delivery) => {
    const client = await world.client()
    world.server.onGet = (arrival) => {
      if (arrival.headers['last-event-id'] === undefined) arrival.stream()
      else arrival.json(status, '')
    }
    world.server.tool('polled', ({ arrival }) => arrival.stream().raw('id: e1\nretry: 1\ndata: \n\n').end())
    expect(causewayOf((await client.call('1', 'polled')).text)).toMatchObject({ code, delivery })
  })

  it("the ids that clients see are the edge's own, and a stream goes on at the edge whatever the server numbers", async () => {
    const client = await world.client()
    world.server.tool('numbered', ({ arrival, id }) => {
      arrival
        .stream()
        .raw(`id: 7\ndata: ${NOTE}\n\nid: 7\ndata: ${NOTE}\n\nid: 7\ndata: ${resultOf(id)}\n\n`)
        .end()
    })
    const { body } = await client.call('1', 'numbered')
    const ids = [...body.matchAll(/^id: (.+)$/gm)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(textsOf(body)).toEqual([NOTE, NOTE, resultOf('1')])
    const after = await (await client.listen(ids[1])).whole()
    expect(textsOf(after.body)).toEqual([NOTE, resultOf('1')])
  })
})

describe('servers that ask too much', () => {
  it('a question that nobody ever fetched, pushed out by what was said since, is answered to the server by an error', async () => {
    const client = await world.client()
    world.server.tool('who', ({ arrival, id, session }) => arrival.json(200, resultOf(id, `"${session}"`)))
    const session = JSON.parse((await client.call('1', 'who')).text).result as string
    const { response } = await world.server.stream(session)
    response.write('data: {"jsonrpc":"2.0","id":"q","method":"elicitation/create"}\n\n')
    for (let n = 0; n < 1_200; n++)
      response.write(`data: {"jsonrpc":"2.0","method":"notifications/x","params":{"n":${n}}}\n\n`)
    const said = await world.server.heard(session, (all) => all.some((text) => text.includes('"q"')))
    expect(JSON.parse(said.at(-1) ?? '')).toMatchObject({
      id: 'q',
      error: { code: -33110, data: { causeway: { code: 'NotDelivered', delivery: 'not_sent' } } },
    })
    // The newest are still there.
    const listening = await client.listen()
    expect(textsOf(await listening.text((text) => text.includes('"n":1199'))).length).toBeGreaterThan(500)
    listening.disconnect()
  })

  it('a second request under an open id is refused to the server, and the first goes on', async () => {
    const client = await world.client()
    world.server.tool('twice', ({ arrival, id, session }) => {
      const ping = '{"jsonrpc":"2.0","id":5,"method":"ping"}'
      const stream = arrival.stream().event(ping).event(ping.replace('5', '5.0'))
      void world.server
        .heard(session, (said) => said.some((text) => text.includes('"result"')))
        .then((said) => {
          stream.event(resultOf(id, `[${said.filter((text) => text.includes('"id"')).join(',')}]`)).end()
        })
    })
    const answer = await client.openCall('1', 'twice')
    await answer.text((text) => text.includes('"ping"'))
    await client.post(resultOf('5'))
    const [ping, reply] = textsOf((await answer.whole()).body)
    expect(ping).toContain('"id":5,')
    expect(JSON.parse(reply ?? '').result).toMatchObject([
      { id: 5, error: { code: -32600 } },
      { id: 5, result: {} },
    ])
  })

  it('a modern server that asks is not heard, and its answer arrives', async () => {
    world.server.tool('asks', ({ arrival, id }) => {
      arrival.stream().event('{"jsonrpc":"2.0","id":1,"method":"roots/list"}').event(resultOf(id)).end()
    })
    expect(textsOf((await world.modern('asks', '"m"')).body).concat()).not.toContain('roots/list')
  })

  it.each<[string, string]>([
    ['nested 200,000 deep', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['of a number of a million digits', '9'.repeat(1_000_000)],
    ['of a million members', `{${Array.from({ length: 1_000_000 }, (_, n) => `"${n}":0`)}}`],
    ['of a million escapes', `"${'\\u0000'.repeat(1_000_000)}"`],
  ])('a result %s crosses or fails alone, and stops nobody', async (_name, value) => {
    const [client, other] = [await world.client(), await world.client()]
    world.server.tool('hostile', ({ arrival, id }) => arrival.json(200, resultOf(id, value)))
    const answer = client.call('1', 'hostile')
    const meanwhile = await Promise.all(Array.from({ length: 20 }, (_, n) => other.call(String(n), 'any')))
    expect(meanwhile.every(({ status }) => status === 200)).toBe(true)
    const { text } = await answer
    if (text !== resultOf('1', value)) expect(causewayOf(text)).toMatchObject({ delivery: 'unknown' })
    expect((await client.call('2', 'any')).status).toBe(200)
  })

  it('a message above maxReplyBytes fails its call alone, in JSON and in a stream', async () => {
    const client = await world.client()
    const tooLong = `"${'x'.repeat(17 * 1024 * 1024)}"`
    for (const how of ['json', 'stream']) {
      world.server.tool(how, ({ arrival, id }) => {
        if (how === 'json') arrival.json(200, resultOf(id, tooLong))
        else arrival.stream().event(resultOf(id, tooLong)).end()
      })
      expect(causewayOf((await client.call('1', how)).text)).toMatchObject({ delivery: 'unknown' })
    }
    expect((await client.call('2', 'any')).status).toBe(200)
  })

  it('a tool that floods its stream reaches a client that reads, in order', async () => {
    const client = await world.client()
    world.server.tool('flood', ({ arrival, id }) => {
      const stream = arrival.stream()
      for (let n = 0; n < 5_000; n++) stream.event(`{"jsonrpc":"2.0","method":"notifications/x","params":{"n":${n}}}`)
      stream.event(resultOf(id)).end()
    })
    const texts = textsOf((await client.post(toolCall('1', 'flood'))).body)
    expect(texts.length).toBe(5_001)
    expect(texts.slice(0, -1).every((text, n) => text.includes(`"n":${n}}`))).toBe(true)
  })
})
