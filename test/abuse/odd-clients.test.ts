import { describe, expect, it } from 'vitest'
import { eventually } from '../integration/at-most-once/in-time.ts'
import { answerText, causewayOf, INITIALIZED, type LegacyClient, replied, textsOf, toolCall } from './legacy-client.ts'
import { type Asked, resultOf } from './legacy-server.ts'
import { openExchanges, sharedWorld } from './world.ts'

const world = sharedWorld()
const note = (n: number) => `{"jsonrpc":"2.0","method":"notifications/message","params":{"n":${n}}}`
const cancel = (id: string) =>
  `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":"x"}}`

/** The name that the server has for the session of a client. */
async function serverNameOf(client: LegacyClient): Promise<string> {
  world.server.tool('who', ({ arrival, id, session }) => arrival.json(200, resultOf(id, `"${session}"`)))
  return JSON.parse((await client.call('"who"', 'who')).text).result as string
}

function nextCall(name: string): Promise<Asked> {
  return new Promise((resolve) => world.server.tool(name, resolve))
}

function openSessions(): number {
  return world.mesh.edge.metrics.value('causeway_sessions_open', { side: 'edge' })
}

describe('clients that lose or misuse their session', () => {
  it('one that drops the session id reaches the server outside any session, and no other session', async () => {
    const client = await world.client()
    const other = await world.client()
    const arrived = nextCall('lost')
    const refused = client.post(toolCall('1', 'lost'), { 'mcp-session-id': undefined })
    const { arrival, session } = await arrived
    expect(session).toBe('')
    const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID"}}'
    arrival.json(400, body)
    // What the server itself says, with its status: a client may fall back on that.
    expect(await refused).toMatchObject({ status: 400, body })
    for (const whole of [client, other]) expect((await whole.call('2', 'any')).status).toBe(200)
  })

  it('one that ignores 404 gets nothing but 404, at once, and costs nobody anything', async () => {
    const client = await world.client()
    await client.end()
    const sessions = openSessions()
    const arrivals = world.server.http.arrivals.length
    const answers = await Promise.all(Array.from({ length: 300 }, (_, n) => client.call(String(n), 'any')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]))
    expect(answers.map(({ body }) => JSON.parse(body).id)).toEqual(answers.map((_, n) => n))
    expect((await client.post(INITIALIZED)).status).toBe(404)
    expect(openSessions()).toBe(sessions)
    // Only the DELETE of the session itself may have come since.
    const since = world.server.http.arrivals.slice(arrivals)
    expect(since.filter(({ method }) => method !== 'DELETE')).toEqual([])
  })

  it('DELETE ends the session at the server too, ends its streams and its calls, and cannot be repeated (class: DELETE ignored)', async () => {
    const client = await world.client()
    const name = await serverNameOf(client)
    const listening = await client.listen()
    const arrived = nextCall('endless')
    const call = client.call('1', 'endless')
    await arrived
    expect(await client.end()).toBe(200)
    await eventually('the server is told', () =>
      world.server.http.arrivals.some(
        ({ method, headers }) => method === 'DELETE' && headers['mcp-session-id'] === name,
      ),
    )
    await listening.whole()
    const answer = await call
    const text = answerText(answer)
    if (text !== '') expect(causewayOf(text)).toMatchObject({ delivery: 'unknown' })
    expect(await client.end()).toBe(404)
    await eventually('nothing is left open', () => openExchanges(world.mesh) === 0)
  })

  it('one that initializes again in its session gets another one, and both live', async () => {
    const client = await world.client()
    const again = await client.post(
      '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}',
    )
    expect(again.status).toBe(200)
    expect(again.headers['mcp-session-id']).not.toBe(client.session)
    expect((await client.call('1', 'any')).status).toBe(200)
  })

  it('one that never says initialized is served all the same', async () => {
    const { http, path } = await world.client()
    const opened = await http.post(
      '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}',
      {},
      path,
    )
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    expect(replied(await http.post(toolCall('1', 'any'), headers, path)).text).toBe(resultOf('1'))
  })

  it.each([['2024-11-05'], ['1999-01-01']])(
    'one that speaks of version %s is passed on as it is: the server decides',
    async (version) => {
      const client = await world.client(version)
      expect((await client.call('1', 'any')).text).toBe(resultOf('1'))
    },
  )
})

describe('clients that go away, and come back', () => {
  it('a call whose client went away goes on, and the client fetches the rest once, in order (class: replays twice, or from other streams)', async () => {
    const client = await world.client()
    const arrived = nextCall('long')
    const answer = client.openCall('1', 'long')
    const { arrival, id } = await arrived
    const stream = arrival.stream().event(note(1))
    const first = await (await answer).text((text) => text.includes('"n":1'))
    ;(await answer).disconnect()
    // Of another stream, which must not show up in this one.
    const name = await serverNameOf(client)
    ;(await world.server.stream(name)).response.write(`data: ${note(77)}\n\n`)
    stream.event(note(2)).event(resultOf(id, '"done"')).end()
    const last = [...first.matchAll(/^id: (.+)$/gm)].at(-1)?.[1]
    const rest = await (await client.listen(last)).whole()
    expect(textsOf(rest.body)).toEqual([note(2), resultOf('1', '"done"')])
    const general = await client.listen()
    expect(textsOf(await general.text((text) => text.includes('"n":77')))).toEqual([note(77)])
    general.disconnect()
    expect((await client.call('2', 'any')).status).toBe(200)
  })

  it.each(['0', 'x', '1/1', '999999-1', '"', 'a'.repeat(2_000)])(
    'Last-Event-ID %.20s that names nothing here is refused, and the stream opens without',
    async (id) => {
      const client = await world.client()
      const refused = await (await client.listen(id)).whole()
      expect(refused.status).toBe(400)
      const listening = await client.listen()
      expect(listening.status).toBe(200)
      listening.disconnect()
    },
  )

  it("the event ids of one session open nothing in another's", async () => {
    const [mine, stranger] = [await world.client(), await world.client()]
    world.server.tool('noted', ({ arrival, id }) => arrival.stream().event(note(5)).event(resultOf(id)).end())
    const { body } = await mine.call('1', 'noted')
    const [first = ''] = [...body.matchAll(/^id: (.+)$/gm)].map(([, id]) => id)
    const refused = await stranger.listen(first)
    const text = refused.status === 200 ? '' : (await refused.whole()).body
    expect([refused.status, text.includes('"n":5')]).toEqual([400, false])
  })

  it('of two GET streams the newer one gets what comes, once, and the older one ends (class: concurrent GET streams)', async () => {
    const client = await world.client()
    const name = await serverNameOf(client)
    const older = await client.listen()
    const newer = await client.listen()
    const from = await world.server.stream(name)
    from.response.write(`data: ${note(1)}\n\n`)
    expect(textsOf(await newer.text((text) => text.includes('"n":1')))).toEqual([note(1)])
    const { body } = await older.whole()
    expect(textsOf(body)).toEqual([])
    newer.disconnect()
  })

  it('what a server says while nobody listens waits for the client, in order', async () => {
    const client = await world.client()
    const from = await world.server.stream(await serverNameOf(client))
    for (let n = 1; n <= 50; n++) from.response.write(`data: ${note(n)}\n\n`)
    const listening = await client.listen()
    const texts = textsOf(await listening.text((text) => text.includes('"n":50')))
    expect(texts).toEqual(Array.from({ length: 50 }, (_, n) => note(n + 1)))
    listening.disconnect()
  })

  it('a client that never reads its GET stream harms nobody: the server goes on, other calls go on', async () => {
    const [lazy, busy] = [await world.client(), await world.client()]
    const from = await world.server.stream(await serverNameOf(lazy))
    const stream = await lazy.listen()
    stream.pause()
    const pad = 'x'.repeat(64 * 1024)
    const big = `data: {"jsonrpc":"2.0","method":"notifications/x","params":{"pad":"${pad}"}}\n\n`
    for (let n = 0; n < 400; n++) {
      from.response.write(big)
      if (n % 40 === 0) expect((await busy.call(String(n), 'any')).status).toBe(200)
    }
    expect((await lazy.call('1', 'any')).text).toBe(resultOf('1'))
    stream.disconnect()
  })
})

describe('cancels (class: cancellation lost, or of the wrong request)', () => {
  it("the client's own words reach the server in its session, its call ends without an answer, a late one is nobody's", async () => {
    const client = await world.client()
    const name = await serverNameOf(client)
    const arrived = nextCall('cancelled')
    const call = client.call('"c"', 'cancelled')
    const { arrival, id } = await arrived
    const words = cancel('"\\u0063"')
    expect((await client.post(words)).status).toBe(202)
    const said = await world.server.heard(name, (all) => all.some((text) => text.includes('cancelled')))
    expect(said.at(-1)).toBe(words)
    const answer = await call
    expect(textsOf(answer.body)).toEqual([])
    arrival.json(200, resultOf(id))
    // The id is free, and the late answer is not taken for the next call's.
    const next = nextCall('again')
    const again = client.call('"c"', 'again')
    ;(await next).arrival.json(200, resultOf('"c"', '"second"'))
    expect((await again).text).toBe(resultOf('"c"', '"second"'))
  })

  it.each([
    ['the same id in another session', '1'],
    ['an id that nobody uses', '"nobody"'],
    ['an id of another type', '"1"'],
  ])('%s cancels nothing of ours', async (_name, id) => {
    const [mine, stranger] = [await world.client(), await world.client()]
    const arrived = nextCall('kept')
    const call = mine.call('1', 'kept')
    const asked = await arrived
    await stranger.post(cancel(id))
    if (id !== '1') await mine.post(cancel(id))
    expect((await stranger.call('"after"', 'any')).status).toBe(200)
    asked.arrival.json(200, resultOf(asked.id))
    expect((await call).text).toBe(resultOf('1'))
  })

  it.each(['{"requestId":null}', '{}', '{"requestId":[1]}', '[]', 'null', '"x"'])(
    'a cancel with params %s names nothing, and cancels nothing',
    async (params) => {
      const client = await world.client()
      const arrived = nextCall('kept')
      const call = client.call('1', 'kept')
      const asked = await arrived
      const words = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}`
      expect((await client.post(words)).status).toBe(202)
      expect((await client.call('2', 'any')).status).toBe(200)
      asked.arrival.json(200, resultOf(asked.id))
      expect((await call).text).toBe(resultOf('1'))
    },
  )
})

describe('bodies that are no single message', () => {
  it.each<[string, string, number, number]>([
    ['nothing', '', 400, -32700],
    ['blanks', ' \n', 400, -32700],
    ['no JSON', '{', 400, -32700],
    ['two messages', `${INITIALIZED}\n${INITIALIZED}`, 400, -32700],
    ['a number', '1', 400, -32600],
    ['null', 'null', 400, -32600],
    ['an object of no kind', '{"jsonrpc":"2.0","id":1}', 400, -32600],
    ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
    ['no jsonrpc', '{"id":1,"method":"ping"}', 400, -32600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
    ['an id that is true', '{"jsonrpc":"2.0","id":true,"method":"ping"}', 400, -32600],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":7}', 400, -32600],
    ['a method with a lone surrogate', '{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', 400, -32600],
    ['a batch', `[${toolCall('1', 'any')}]`, 400, -32600],
    ['an empty batch', '[]', 400, -32600],
    [
      'deep nesting',
      `{"jsonrpc":"2.0","id":1,"method":"x","params":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      400,
      -32700,
    ],
    ['a method of 256 octets', `{"jsonrpc":"2.0","id":1,"method":"${'m'.repeat(256)}"}`, 200, -32601],
  ])('%s', async (_name, body, status, code) => {
    const client = await world.client()
    const answer = await client.post(body)
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([status, code])
    expect((await client.call('1', 'any')).status).toBe(200)
  })

  it('a batch of 2025-03-26 with equal ids inside is refused whole, and nothing of it is sent', async () => {
    const client = await world.client('2025-03-26')
    const before = world.server.http.arrivals.length
    const answer = await client.post(`[${toolCall('1', 'any')},${toolCall('1.0', 'any')}]`)
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([400, -32600])
    const good = await client.post(`[${toolCall('1', 'any')},${INITIALIZED},${toolCall('2', 'any')}]`)
    expect(JSON.parse(good.text)).toHaveLength(2)
    const calls = world.server.http.arrivals.slice(before).filter(({ text }) => text.includes('tools/call'))
    expect(calls).toHaveLength(2)
  })
})
