import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ConnectHost, connectHost } from '../../../test/fixtures/connect/host.ts'
import { type Arrival, type ScriptedServer, scriptedServer } from '../../../test/fixtures/http/scripted-server.ts'

let server: ScriptedServer
let host: ConnectHost
/** Requests of the stream on which a server speaks unasked; kept apart, as they come when they like. */
let listening: Arrival[]
let listenWaiter: PromiseWithResolvers<Arrival>
let posts: AsyncIterator<Arrival>

beforeEach(async () => {
  listening = []
  listenWaiter = Promise.withResolvers()
  server = await scriptedServer()
  posts = postsOf(server)
  host = connectHost(server.url)
})
afterEach(async () => {
  const stopped = host.stop()
  await server.close()
  await stopped
})

async function* postsOf(from: ScriptedServer): AsyncGenerator<Arrival, never> {
  for (;;) {
    const arrival = await from.next()
    if (arrival.method !== 'GET') yield arrival
    else {
      listening.push(arrival)
      listenWaiter.resolve(arrival)
      listenWaiter = Promise.withResolvers()
    }
  }
}

async function post(): Promise<Arrival> {
  return (await posts.next()).value
}

const INITIALIZE = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}'
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
const agreed = (version: string) => `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"${version}"}}`
const call = (id: string, name = 'echo') =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}"}}`
const answer = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":{}}`
const LOST = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No valid session ID provided"}}'

/** Takes the host through `initialize`; the server then gets its GET and is left without answer to it. */
async function opened(session = 's1'): Promise<Arrival> {
  host.say(INITIALIZE)
  ;(await post()).json(200, agreed('2025-06-18'), { 'mcp-session-id': session })
  expect(await host.next()).toBe(agreed('2025-06-18'))
  return initialized(session)
}

async function initialized(session: string): Promise<Arrival> {
  host.say(INITIALIZED)
  const notification = await post()
  expect(notification.headers).toMatchObject({ 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' })
  const stream = nextStream()
  notification.json(202, '')
  return stream
}

/** The next GET. Somebody must be reading requests for it to be seen, so this reads ahead. */
function nextStream(): Promise<Arrival> {
  const { promise } = listenWaiter
  const ahead = posts.next()
  const before = posts
  posts = (async function* () {
    yield (await ahead).value
    for (;;) yield (await before.next()).value
  })()
  return promise
}

describe('the legacy era', () => {
  it('passes octets as they are, both ways, with the session and the revision that the server named', async () => {
    await opened()
    const odd = ' {"id" : 1.0, "jsonrpc":"2.0","method":"tools\\/call","params":{"n":12345678901234567890}}'
    host.say(odd)
    const request = await post()
    expect(request.text).toBe(odd)
    expect(request.headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-session-id': 's1',
      'mcp-protocol-version': '2025-06-18',
    })
    request.json(200, '{"jsonrpc":"2.0",\n  "id":1,"result":{"n":1.50e1}}')
    expect(await host.next()).toBe('{"jsonrpc":"2.0",   "id":1,"result":{"n":1.50e1}}')
  })

  it('shows notifications and requests of a call before its answer, and what comes unasked', async () => {
    const stream = await opened()
    expect(stream.headers).toMatchObject({ accept: 'text/event-stream', 'mcp-session-id': 's1' })
    host.say(call('1'))
    const events = (await post()).stream()
    const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}'
    const ask = '{"jsonrpc":"2.0","id":1,"method":"roots/list"}'
    events.event(progress).event(ask)
    expect([await host.next(), await host.next()]).toEqual([progress, ask])
    host.say(answer('1'))
    const reply = await post()
    expect(reply.text).toBe(answer('1'))
    reply.json(202, '')
    events.event(answer('1')).end()
    expect(await host.next()).toBe(answer('1'))

    const changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
    stream.stream().event(changed)
    expect(await host.next()).toBe(changed)
  })

  it('lets nothing overtake a notification, while requests run beside each other', async () => {
    await opened()
    host.say(call('1'), call('2'))
    const [one, two] = [await post(), await post()]
    host.say('{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}', call('3'))
    const notification = await post()
    expect(notification.text).toContain('list_changed')
    two.json(200, answer('2'))
    one.json(200, answer('1'))
    expect([await host.next(), await host.next()].sort()).toEqual([answer('1'), answer('2')])
    expect(server.arrivals.some(({ text }) => text === call('3'))).toBe(false)
    notification.json(202, '')
    const three = await post()
    expect(three.text).toBe(call('3'))
    three.json(200, answer('3'))
  })

  it('takes up a broken stream where it ended, after as long as the server said', async () => {
    await opened()
    host.say(call('1'))
    ;(await post()).stream().raw('id: a1\nretry: 10\ndata:\n\n').end()
    const first = await nextStream()
    expect(first.headers).toMatchObject({ 'last-event-id': 'a1', 'mcp-session-id': 's1' })
    first.stream().raw('id: a2\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\n').end()
    expect(await host.next()).toContain('notifications/message')
    const second = await nextStream()
    expect(second.headers['last-event-id']).toBe('a2')
    second.stream().event(answer('1'))
    expect(await host.next()).toBe(answer('1'))
  })

  it('takes up the unasked stream too, and does without where there is none', async () => {
    const stream = await opened()
    stream.stream().raw('id: g1\nretry: 5\ndata:\n\n').end()
    const again = await nextStream()
    expect(again.headers['last-event-id']).toBe('g1')
    again.json(405, '')
    host.say(call('1'))
    ;(await post()).json(200, answer('1'))
    expect(await host.next()).toBe(answer('1'))
    expect(listening).toHaveLength(2)
  })

  it.each([408, 425, 429])('asks again for the unasked stream after status %i', async (status) => {
    const stream = await opened()
    stream.json(status, '')
    const again = await nextStream()
    expect(again.headers['mcp-session-id']).toBe('s1')
  })

  it('listens from now on where what it saw last is held no more', async () => {
    const stream = await opened()
    stream.stream().raw('id: e1\nretry: 5\ndata: \n\n').end()
    const again = await nextStream()
    expect(again.headers['last-event-id']).toBe('e1')
    again.json(
      400,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no","data":{"causeway":{"code":"X"}}}}',
    )
    const anew = await nextStream()
    expect(anew.headers).toMatchObject({ 'mcp-session-id': 's1' })
    expect(anew.headers['last-event-id']).toBeUndefined()
  })

  it('a stream that ends without answer and without event ids is told as unknown', async () => {
    await opened()
    host.say(call('1'))
    ;(await post()).stream().end()
    expect(JSON.parse(await host.next())).toMatchObject({
      id: 1,
      error: { code: -33110, data: { causeway: { code: 'NotDelivered', delivery: 'unknown' } } },
    })
  })

  it('passes a cancel on, keeps silent when nothing more comes, and shows an answer that won', async () => {
    await opened()
    host.say(call('1'), call('2'))
    const [one, two] = [(await post()).stream(), (await post()).stream()]
    const cancel = (id: number) => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}.0}}`
    host.say(cancel(1), cancel(2))
    for (const id of [1, 2]) {
      const notification = await post()
      expect(notification.text).toBe(cancel(id))
      notification.json(202, '')
    }
    one.end()
    two.event(answer('2'))
    expect(await host.next()).toBe(answer('2'))
    expect(host.untaken).toEqual([])
  })

  it('batches cross whole', async () => {
    await opened()
    const batch = `[${call('1')}, ${call('2')},{"jsonrpc":"2.0","method":"notifications/message"}]`
    host.say(batch)
    const request = await post()
    expect(request.text).toBe(batch)
    request.json(200, `[${answer('2')},${answer('1')}]`)
    expect(await host.next()).toBe(`[${answer('2')},${answer('1')}]`)
  })

  it('drops answers that nobody waits for, and says so', async () => {
    await opened()
    host.say(call('1'))
    ;(await post()).stream().event(answer('7')).event(answer('1')).event(answer('1')).end()
    expect(await host.next()).toBe(answer('1'))
    host.say(call('1'))
    ;(await post()).json(200, answer('1'))
    await host.next()
    expect(host.logs).toContain('dropped an answer that no open request waits for')
  })

  it('a second request with an open id is refused', async () => {
    await opened()
    host.say(call('1'), call('1.0'))
    expect(JSON.parse(await host.next())).toMatchObject({ id: 1, error: { code: -32600 } })
    ;(await post()).json(200, answer('1'))
    expect(await host.next()).toBe(answer('1'))
  })
})

describe('a lost session', () => {
  /** Answers the replay of what began the session, and nothing else. */
  async function renewed(session: string): Promise<Arrival> {
    const initialize = await post()
    expect(initialize.text).toBe(INITIALIZE)
    expect(initialize.headers['mcp-session-id']).toBeUndefined()
    initialize.json(200, agreed('2025-06-18'), { 'mcp-session-id': session })
    const notification = await post()
    expect(notification.text).toBe(INITIALIZED)
    expect(notification.headers['mcp-session-id']).toBe(session)
    const stream = nextStream()
    notification.json(202, '')
    expect((await stream).headers['mcp-session-id']).toBe(session)
    return stream
  }

  it.each([
    [404, ''],
    [404, LOST],
    [400, LOST],
  ])('%i %s is mended unnoticed, and the call that met it posted once more', async (status, body) => {
    await opened('s1')
    host.say(call('1'))
    ;(await post()).json(status, body)
    await renewed('s2')
    const again = await post()
    expect(again.text).toBe(call('1'))
    expect(again.headers['mcp-session-id']).toBe('s2')
    again.json(200, answer('1'))
    expect(await host.next()).toBe(answer('1'))
  })

  it('is mended once for all who meet it', async () => {
    await opened('s1')
    host.say(call('1'), call('2'))
    const [one, two] = [await post(), await post()]
    one.json(404, '')
    two.json(404, '')
    await renewed('s2')
    const again = [await post(), await post()]
    expect(again.map(({ text }) => text).sort()).toEqual([call('1'), call('2')])
  })

  it('a call that may have been carried out is not posted again', async () => {
    await opened('s1')
    host.say(call('1'))
    const unknown = `{"jsonrpc":"2.0","id":1,"error":{"code":-33110,"message":"?","data":{"causeway":{"delivery":"unknown"}}}}`
    ;(await post()).json(404, unknown)
    await renewed('s2')
    expect(await host.next()).toBe(unknown)
    expect(server.arrivals.filter(({ text }) => text === call('1'))).toHaveLength(1)
  })

  it('the same answer in the new session is the answer', async () => {
    await opened('s1')
    host.say(call('1'))
    ;(await post()).json(400, LOST)
    await renewed('s2')
    ;(await post()).json(400, LOST)
    expect(await host.next()).toBe(LOST.replace('"id":null', '"id":1'))
  })

  it("is not what a relay's own refusal of a request means", async () => {
    await opened('s1')
    host.say(`[${call('1')}]`)
    const refused =
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no","data":{"causeway":{"code":"X"}}}}'
    ;(await post()).json(400, refused)
    expect(await host.next()).toBe(refused.replace('"id":null', '"id":1'))
    host.say(call('2'))
    const next = await post()
    expect([next.text, next.headers['mcp-session-id']]).toEqual([call('2'), 's1'])
  })

  it('is noticed on the unasked stream, and the next call needs nothing', async () => {
    const stream = await opened('s1')
    stream.stream().raw('retry: 5\n\n').end()
    ;(await nextStream()).json(404, '')
    await renewed('s2')
    host.say(call('1'))
    expect((await post()).headers['mcp-session-id']).toBe('s2')
  })

  it('takes what the server had asked back, and keeps the late answer from the new session', async () => {
    const stream = await opened('s1')
    const ask = '{"jsonrpc":"2.0","id":"q","method":"elicitation/create"}'
    stream.stream().event(ask)
    expect(await host.next()).toBe(ask)
    host.say(call('1'))
    ;(await post()).json(404, '')
    await renewed('s2')
    expect(JSON.parse(await host.next())).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: 'q' },
    })
    ;(await post()).json(200, answer('1'))
    expect(await host.next()).toBe(answer('1'))
    host.say(answer('"q"'), call('2'))
    expect((await post()).text).toBe(call('2'))
  })

  it('that cannot be had again is told', async () => {
    await opened('s1')
    host.say(call('1'))
    ;(await post()).json(404, '')
    ;(await post()).json(404, '')
    const { error } = JSON.parse(await host.next())
    expect(error.message).toMatch(/nothing is served at http:.*\/mcp \(404\); check the URL/)
  })
})

describe('the modern era', () => {
  const META = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'
  const modern = (id: string, method: string, more = '') =>
    `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${more}${META}}}`

  it('says in headers what the body says, and knows no session', async () => {
    const list = modern('1', 'tools/list')
    host.say(list)
    const listed = await post()
    expect(listed.text).toBe(list)
    expect(listed.headers).toMatchObject({ 'mcp-method': 'tools/list', 'mcp-protocol-version': '2026-07-28' })
    const schema = '{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"Region"}}}'
    listed.json(200, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":${schema}}]}}`, {
      'mcp-session-id': 'none of it',
    })
    await host.next()
    host.say(modern('2', 'tools/call', '"name":"t","arguments":{"r":"eu"},'))
    const called = await post()
    expect(called.headers).toMatchObject({ 'mcp-name': 't', 'mcp-param-region': 'eu' })
    expect(called.headers['mcp-session-id']).toBeUndefined()
  })

  it('a cancel closes the response, and nothing is posted', async () => {
    host.say(modern('"a"', 'tools/call', '"name":"slow",'))
    const request = await post()
    request.stream()
    host.say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\\u0061"}}')
    await request.gone
    host.say(modern('2', 'tools/list'))
    expect((await post()).headers['mcp-method']).toBe('tools/list')
    expect(host.untaken).toEqual([])
  })

  it('a cancel that comes when its answer has come harms no other request on the connection', async () => {
    host.say(modern('1', 'tools/list'))
    const request = await post()
    const stream = request.stream().event(answer('1'))
    expect(await host.next()).toBe(answer('1'))
    stream.end()
    host.say(modern('2', 'tools/list'))
    const second = await post()
    host.say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}')
    second.json(200, answer('2'))
    expect(await host.next()).toBe(answer('2'))
  })

  it.each([
    [404, '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'],
    [400, '{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}'],
  ])("a server's own error of status %i passes as it is", async (status, error) => {
    host.say(modern('1', 'server/discover'))
    ;(await post()).json(status, error)
    expect(await host.next()).toBe(error)
  })

  it('an error without id gets the id of the request, or the probe would wait', async () => {
    host.say(modern('"p"', 'server/discover'))
    ;(await post()).json(400, LOST)
    expect(await host.next()).toBe(LOST.replace('"id":null', '"id":"p"'))
  })

  it('a broken answer is lost, whatever event ids it had', async () => {
    host.say(modern('1', 'tools/list'))
    ;(await post()).stream().raw('id: 1\ndata:\n\n').end()
    expect(JSON.parse(await host.next()).error.data.causeway.delivery).toBe('unknown')
  })
})

describe('what goes wrong', () => {
  it.each([
    [401, -33117, 'give them with --header'],
    [403, -33117, 'check --header'],
    [404, -33110, 'check the URL'],
    [405, -33110, 'takes no POST'],
    [302, -33110, 'redirects elsewhere'],
    [502, -33110, 'does not reach its server'],
    [503, -33110, 'try again later'],
    [500, -33110, 'HTTP status 500'],
  ])('status %i answers the request with %i and says what to do', async (status, code, text) => {
    host.say(INITIALIZE)
    ;(await post()).response.writeHead(status, { 'content-type': 'text/html' }).end('<html>')
    const { id, error } = JSON.parse(await host.next())
    expect({ id, code: error.code }).toEqual({ id: 0, code })
    expect(error.message).toContain(text)
  })

  it('a relay that serves only clients with a certificate is told with --cert, not with --header', async () => {
    host.say(INITIALIZED)
    const hint = 'present a client certificate of the authority in listeners.mcp.tls.clientCAFile'
    const data = { causeway: { code: 'Forbidden', delivery: 'not_sent', hint } }
    ;(await post()).json(
      403,
      JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no', data } }),
    )
    host.input.end()
    await host.ended
    expect(host.logs.join()).toContain('(403); give yours with --cert FILE and --key FILE')
    expect(host.logs.join()).not.toContain('--header')
  })

  it.each([
    ['{', -32700],
    ['\ufeff{}', -32700],
    ['"x"', -32600],
    ['{"jsonrpc":"2.0"}', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"x"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"x"}', -32600],
    ['[]', -32600],
  ])('the line %s is answered by an error without an id, and not sent', async (line, code) => {
    host.say(line)
    expect(JSON.parse(await host.next())).toMatchObject({ id: null, error: { code } })
    expect(server.arrivals).toHaveLength(0)
  })

  it('a line above 16 MiB is refused, the next one served', async () => {
    host.say(' '.repeat(16 * 1024 * 1024 + 1), INITIALIZE)
    expect(JSON.parse(await host.next())).toMatchObject({ id: null, error: { code: -32600 } })
    expect((await post()).text).toBe(INITIALIZE)
  })

  it.each([
    ['no message at all', 202, 'text/plain', ''],
    ['another kind of answer', 200, 'text/html', '<html>'],
    ['an answer that is no JSON', 200, 'application/json', '{"jsonrpc"'],
    ['the answer to something else', 200, 'application/json', answer('99')],
  ])('%s is told as unknown', async (_, status, type, body) => {
    host.say(call('1'))
    ;(await post()).response.writeHead(status, { 'content-type': type }).end(body)
    expect(JSON.parse(await host.next())).toMatchObject({
      id: 1,
      error: { data: { causeway: { delivery: 'unknown' } } },
    })
  })

  it('a connection that breaks before the answer is told as unknown, and nothing is repeated', async () => {
    host.say(call('1'))
    ;(await post()).socket.destroy()
    expect(JSON.parse(await host.next())).toMatchObject({
      id: 1,
      error: { data: { causeway: { delivery: 'unknown' } } },
    })
    expect(server.arrivals).toHaveLength(1)
  })

  it('a server that is not there is told as not sent', async () => {
    await server.close()
    host.say(call('1'))
    const { error } = JSON.parse(await host.next())
    expect(error.message).toBe(`nothing listens at ${server.url.host}; is the relay running?`)
    expect(error.data.causeway.delivery).toBe('not_sent')
    server = await scriptedServer()
  })

  it('follows a redirect that keeps the method, within the origin only', async () => {
    host.say(call('1'))
    ;(await post()).response.writeHead(307, { location: '/mcp/' }).end()
    const moved = await post()
    expect([moved.path, moved.text]).toEqual(['/mcp/', call('1')])
    moved.response.writeHead(308, { location: 'http://elsewhere.example/mcp' }).end()
    const { error } = JSON.parse(await host.next())
    expect(error.message).toContain('has moved to http://elsewhere.example/mcp')
  })

  it('serves one call after the other on one connection', async () => {
    for (const id of ['1', '2', '3']) {
      host.say(call(id))
      ;(await post()).stream().event(answer(id)).end()
      await host.next()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(server.connections).toBe(1)
  })
})

describe('the end', () => {
  it('comes when the input has ended and every answer is written; the session is deleted', async () => {
    await opened()
    host.say(call('1'))
    const request = await post()
    host.input.end()
    request.json(200, answer('1'))
    expect(await host.next()).toBe(answer('1'))
    const deletion = await post()
    expect(deletion.method).toBe('DELETE')
    expect(deletion.headers).toMatchObject({ 'mcp-session-id': 's1', 'mcp-protocol-version': '2025-06-18' })
    deletion.json(204, '')
    expect(await host.ended).toBe(0)
  })

  it('does not wait for a subscription', async () => {
    const meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'
    host.say(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},${meta}}}`)
    const request = await post()
    request.stream()
    host.input.end()
    expect(await host.ended).toBe(0)
    await request.gone
  })

  it('comes at once when it is told to, or when nobody reads the output', async () => {
    host.say(call('1'))
    const request = await post()
    expect(await host.stop()).toBe(0)
    await request.gone

    host = connectHost(server.url)
    host.say(call('1'))
    const other = await post()
    host.output.destroy()
    expect(await host.ended).toBe(0)
    await other.gone
  })

  it.each([
    ['not a URL', {}, 'is not an http or https URL'],
    ['ftp://a.example/', {}, 'is not an http or https URL'],
    ['http://user:secret@a.example/', {}, 'use --header'],
    ['https://a.example/', { cacertFile: '/nowhere/ca.pem' }, 'cannot be read'],
    ['https://a.example/', { cacertFile: import.meta.filename }, 'holds no certificates'],
    ['https://a.example/', { headers: ['nothing'] }, '--header needs the form'],
    ['https://a.example/', { env: { HTTPS_PROXY: 'socks5://p' } }, 'HTTPS_PROXY is not the URL of an HTTP proxy'],
  ])('comes before it began with a wrong option: %s %j', async (url, options, why) => {
    const refused = connectHost(url, options)
    expect(await refused.ended).toBe(2)
    expect(refused.logs.join()).toContain(why)
    expect(refused.logs.join()).not.toContain('secret')
  })
})
