import { describe, expect, it } from 'vitest'
import { modernCall } from '../integration/clients.ts'
import { answerText, INITIALIZED, textsOf } from './legacy-client.ts'
import { resultOf } from './legacy-server.ts'
import { sharedWorld } from './world.ts'

/** What public bug reports of MCP proxies and gateways tell of, one by one, and is not told of in the other files here. */

const world = sharedWorld()
const INITIALIZE = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}'

describe('sessions', () => {
  it('initialize with a session id that is dead opens a new session (class: a client that keeps its old id is locked out)', async () => {
    const client = await world.client()
    const dead = client.session
    await client.end()
    const again = await client.http.post(INITIALIZE, { 'mcp-session-id': dead }, client.path)
    expect(again.status).toBe(200)
    const headers = { 'mcp-session-id': String(again.headers['mcp-session-id']) }
    expect((await client.http.post('{"jsonrpc":"2.0","id":1,"method":"ping"}', headers, client.path)).status).toBe(200)
  })

  it('answers to server requests get 202 and no body, whether or not they are waited for (class: 400 for responses, 200 and null)', async () => {
    const client = await world.client()
    for (const body of [
      resultOf('1'),
      '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"declined"}}',
      '{"jsonrpc":"2.0","error":{"code":-1,"message":"no id"}}',
      resultOf('null'),
    ]) {
      const answer = await client.post(body)
      expect([answer.status, answer.body]).toEqual([202, ''])
    }
    expect((await client.call('1', 'any')).status).toBe(200)
  })

  it('a server that pings on the GET stream hears its client, many times, while a call runs (class: heartbeats that never come through kill the session)', async () => {
    const client = await world.client()
    let session = ''
    let finish = (): void => {}
    world.server.tool('work', ({ arrival, id, session: own }) => {
      session = own
      finish = () => arrival.json(200, resultOf(id))
    })
    const call = client.call('1', 'work')
    const listening = await client.listen()
    while (session === '') await client.call('"poll"', 'any')
    const get = await world.server.stream(session)
    for (let n = 1; n <= 20; n++) {
      get.response.write(`data: {"jsonrpc":"2.0","id":${n},"method":"ping"}\n\n`)
      await listening.text((text) => text.includes(`"id":${n},`))
      await client.post(resultOf(String(n)))
      await world.server.heard(session, (said) => said.includes(resultOf(String(n))))
    }
    finish()
    expect((await call).text).toBe(resultOf('1'))
    listening.disconnect()
  })
})

describe('contents', () => {
  it('initialize crosses both ways as it is (class: instructions dropped, serverInfo and version replaced, extensions unknown)', async () => {
    const client = await world.client()
    const params =
      '{"protocolVersion":"2025-06-18","capabilities":{"experimental":{"x":{"n":1.0}},"extensions":{"a/b":{}}},"clientInfo":{"name":"n","version":"0","icons":[]},"name":"hello"}'
    const result =
      '{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"vendor":{"y":1e400}},"serverInfo":{"name":"s","version":"9.9.9","websiteUrl":"x"},"instructions":"USE \\u0057HEN","_meta":{"k":0}}'
    world.server.onInitialize = ({ arrival, id }) =>
      arrival.json(200, resultOf(id, result), { 'mcp-session-id': 'theirs' })
    try {
      const body = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":${params}}`
      const answer = await client.http.post(body, {}, client.path)
      expect(answerText(answer)).toBe(resultOf('"i"', result))
      expect(world.server.http.arrivals.at(-1)?.text).toBe(body)
    } finally {
      world.server.onInitialize = undefined
    }
  })

  it('cursors go down and next cursors come up, on every page (class: params.cursor dropped, nextCursor dropped)', async () => {
    const client = await world.client()
    world.server.tool('page', ({ arrival, id }) => {
      const cursor = /"cursor":"([^"]*)"/.exec(arrival.text)?.[1] ?? '0'
      const next = Number(cursor) + 1
      arrival.json(200, resultOf(id, `{"tools":[{"name":"t${cursor}"}]${next < 4 ? `,"nextCursor":"${next}"` : ''}}`))
    })
    const names: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const params = `{"name":"page"${cursor === '' ? '' : `,"cursor":"${cursor}"`}}`
      const { text } = await client.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${params}}`)
      const { result } = JSON.parse(text) as { result: { tools: { name: string }[]; nextCursor?: string } }
      names.push(...result.tools.map(({ name }) => name))
      cursor = result.nextCursor
    }
    expect(names).toEqual(['t0', 't1', 't2', 't3'])
  })

  it.each([
    [
      'a result with isError',
      '"result":{"isError":true,"content":[],"structuredContent":{"id":1915883588174806058}}',
      200,
    ],
    ['an error with a code of its own and data', '"error":{"code":-32063,"message":"m","data":{"a":[1.0]},"x":1}', 200],
    ['an error that the server sends with 400', '"error":{"code":-32602,"message":"m"}', 400],
    ['an error that the server sends with 500', '"error":{"code":-32603,"message":"m"}', 500],
    ['an error whose code is a text', '"error":{"code":"E1","message":"m"}', 200],
    ['a result that is null', '"result":null', 200],
    ['a result that is a text', '"result":"x"', 200],
  ])(
    '%s arrives as it is, with its status (class: errors re-coded as -32603, data lost, 500 for tool errors)',
    async (_name, outcome, status) => {
      const client = await world.client()
      world.server.tool('outcome', ({ arrival, id }) => arrival.json(status, `{"jsonrpc":"2.0","id":${id},${outcome}}`))
      const answer = await client.call('1', 'outcome')
      expect([answer.status, answer.text]).toEqual([status, `{"jsonrpc":"2.0","id":1,${outcome}}`])
      const modern = await world.modern('outcome', '1')
      expect([modern.status, modern.body]).toEqual([status, `{"jsonrpc":"2.0","id":1,${outcome}}`])
    },
  )

  it('notifications before an answer are never taken for it, whatever they hold (class: the first message is taken for the response)', async () => {
    const client = await world.client()
    const notes = [
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"id":1,"result":{}}}',
      '{"jsonrpc":"2.0","method":"id","params":{"jsonrpc":"2.0","id":1,"result":{}}}',
    ]
    world.server.tool('noisy', ({ arrival, id }) => {
      const stream = arrival.stream()
      for (const note of notes) stream.event(note)
      stream.event(resultOf(id)).end()
    })
    expect(textsOf((await client.call('1', 'noisy')).body)).toEqual([...notes, resultOf('1')])
  })

  it.each([
    ['tools/list_changed'],
    ['resources/list_changed'],
    ['prompts/list_changed'],
    ['resources/updated'],
    ['message'],
    ['elicitation/complete'],
    ['vendor/x'],
  ])(
    'notifications/%s of a server reach the client, on the GET stream and in a call (class: only progress and logging are forwarded)',
    async (name) => {
      const client = await world.client()
      const note = `{"jsonrpc":"2.0","method":"notifications/${name}","params":{"uri":"x:/y"}}`
      let session = ''
      world.server.tool('notes', ({ arrival, id, session: own }) => {
        session = own
        arrival.stream().event(note).event(resultOf(id)).end()
      })
      const listening = await client.listen()
      expect(textsOf((await client.call('1', 'notes')).body)).toEqual([note, resultOf('1')])
      ;(await world.server.stream(session)).response.write(`data: ${note}\n\n`)
      expect(textsOf(await listening.text((text) => text.includes(name)))).toEqual([note])
      listening.disconnect()
    },
  )
})

describe('headers', () => {
  it('those of the server stay with the relay, but Retry-After (class: Set-Cookie, CORS and session ids of backends leak)', async () => {
    const client = await world.client()
    const odd = {
      'set-cookie': 'a=b',
      'x-powered-by': 'x',
      'access-control-allow-origin': '*',
      'mcp-session-id': 'theirs',
      'www-authenticate': 'Bearer',
      location: '/x',
      'retry-after': '7',
    }
    const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"busy"}}'
    world.server.tool('headers', ({ arrival }) => arrival.json(503, error, odd))
    const { status, headers, text } = await client.call('1', 'headers')
    expect([status, headers['retry-after'], text]).toEqual([503, '7', error])
    for (const name of Object.keys(odd).slice(0, -1)) expect(headers).not.toHaveProperty(name)
  })

  it("the client's own stay with the edge: no credentials, no forwarding headers, no client address (class: headers passed on)", async () => {
    const client = await world.client()
    const odd = {
      authorization: 'Bearer x',
      cookie: 'a=b',
      'x-forwarded-for': '9.9.9.9',
      'x-api-key': 'k',
      'proxy-authorization': 'x',
      forwarded: 'for=x',
      te: 'trailers',
      'mcp-param-x': 'kept',
    }
    await client.post('{"jsonrpc":"2.0","id":1,"method":"ping"}', odd)
    const arrived = world.server.http.arrivals.at(-1)?.headers ?? {}
    expect(Object.keys(arrived).filter((name) => name in odd && name !== 'mcp-param-x')).toEqual([])
    expect(arrived['mcp-session-id']).not.toBe(client.session)
  })
})

describe('the modern era beside the legacy one', () => {
  it('a modern probe with headers that disagree is refused alone: the fallback on the same connection works (class: one 400 blocks all that follows)', async () => {
    const client = await world.client()
    const { body, headers } = modernCall('x', {}, '1')
    const discover = body.replace('"tools/call"', '"server/discover"')
    const refused = await client.http.post(discover, { ...headers, 'mcp-method': 'initialize' }, client.path)
    expect([refused.status, JSON.parse(refused.body).error.code]).toEqual([400, -32020])
    expect((await client.http.post(INITIALIZE, {}, client.path)).status).toBe(200)
  })

  it("a legacy server's refusal of a modern probe crosses with its status, so that clients fall back as they would directly", async () => {
    const client = await world.client()
    const { body, headers } = modernCall('probe', {}, '1')
    const refusal =
      '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}'
    world.server.tool('probe', ({ arrival }) => arrival.json(400, refusal))
    const answer = await client.http.post(body, headers, client.path)
    expect([answer.status, answer.body]).toEqual([400, refusal])
  })

  it('a session id that a modern client sends along is ignored, not answered by 404', async () => {
    const client = await world.client()
    const { body, headers } = modernCall('any', {}, '1')
    const answer = await client.http.post(body, { ...headers, 'mcp-session-id': 'dead' }, client.path)
    expect([answer.status, answer.body]).toEqual([200, resultOf('"1"')])
    expect(world.server.http.arrivals.at(-1)?.headers).not.toHaveProperty('mcp-session-id')
  })

  it('input_required rounds, tasks and unknown result types are plain traffic', async () => {
    const results = [
      '{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{}}},"requestState":"\\u0041=="}',
      '{"resultType":"task","taskId":"t","ttlMs":1.0}',
      '{"resultType":"com.example/other"}',
    ]
    for (const result of results) {
      world.server.tool('rounds', ({ arrival, id }) => arrival.json(200, resultOf(id, result)))
      expect((await world.modern('rounds', '1')).text).toBe(resultOf('1', result))
    }
  })

  it('a modern client that closes its stream ends the call at the server; a legacy one does not', async () => {
    const client = await world.client()
    const ended: string[] = []
    world.server.tool('watched', ({ arrival, id }) => {
      arrival.stream().event('{"jsonrpc":"2.0","method":"notifications/x"}')
      void arrival.gone.then(() => ended.push(id))
    })
    const legacy = await client.openCall('"legacy"', 'watched')
    await legacy.text((text) => text.includes('notifications/x'))
    legacy.disconnect()
    const { body, headers } = modernCall('watched', {}, 'modern')
    const modern = await client.http.open(body, headers, client.path)
    await modern.text((text) => text.includes('notifications/x'))
    modern.disconnect()
    while (ended.length === 0) await client.post(INITIALIZED)
    expect(ended).toEqual(['"modern"'])
  })
})
