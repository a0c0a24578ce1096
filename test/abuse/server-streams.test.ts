import { afterEach, describe, expect, it } from 'vitest'
import { causewayOf, textsOf, toolCall } from './legacy-client.ts'
import { resultOf } from './legacy-server.ts'
import { sharedWorld } from './world.ts'

const world = sharedWorld()
const NOTE = '{"jsonrpc":"2.0","method":"notifications/message","params":{"n":1}}'

afterEach(() => {
  world.server.onGet = undefined
})

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

it('a GET that is never answered holds nothing up but a moment', async () => {
  world.server.onGet = () => {}
  const client = await world.client()
  world.server.tool('note', ({ arrival, id }) => arrival.stream().event(NOTE).event(resultOf(id)).end())
  expect(textsOf((await client.call('1', 'note')).body)).toEqual([NOTE, resultOf('1')])
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

  it.each([405, 400, 404])(
    'one that is answered %i when it is to go on ends the call: it was taken, so its delivery is unknown',
    async (status) => {
      const client = await world.client()
      world.server.onGet = (arrival) => {
        if (arrival.headers['last-event-id'] === undefined) arrival.stream()
        else arrival.json(status, '')
      }
      world.server.tool('polled', ({ arrival }) => arrival.stream().raw('id: e1\nretry: 1\ndata: \n\n').end())
      expect(causewayOf((await client.call('1', 'polled')).text)).toMatchObject({ delivery: 'unknown' })
      expect((await client.call('2', 'any')).status).toBe(status === 404 ? 404 : 200)
    },
  )

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
