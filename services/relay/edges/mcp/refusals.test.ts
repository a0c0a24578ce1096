import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { createLogger } from '@causeway/telemetry'
import { requirement } from '@causeway/test/requirements'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type EdgeHarness,
  edgeHarness,
  legacy,
  modern,
  modernHeaders,
} from '../../../../test/fixtures/edge/edge-harness.ts'
import type { HeaderChanges } from '../../../../test/fixtures/edge/http-client.ts'

let harness: EdgeHarness
beforeEach(async () => {
  harness = await edgeHarness({ limits: { maxBodyOctets: 2_000 } })
  harness.target.script = (call) => call.result()
})
afterEach(async () => {
  harness.client.close()
  await harness.edge.stop(0)
})

const LIST = legacy('tools/list')

/** The edge's own error: its status, its code, and the mark by which a client knows whose it is. */
async function refusal(body: string | Uint8Array, headers: HeaderChanges = {}, path = '/mcp') {
  const answer = await harness.client.post(body, headers, path)
  const parsed = JSON.parse(answer.body)
  expect(answer.headers['content-type']).toBe('application/json')
  expect(parsed.jsonrpc).toBe('2.0')
  expect(parsed.error.data.causeway).toMatchObject({
    delivery: 'not_sent',
    requestId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
  })
  expect(harness.target.calls).toEqual([])
  expect(harness.target.notifications).toEqual([])
  const { code, message, data } = parsed.error
  return { status: answer.status, code, name: data.causeway.code, message, id: parsed.id, headers: answer.headers }
}

describe('what is refused before the body is read', () => {
  it.each([
    ['a foreign Host', { host: 'evil.example' }, 403, 'Forbidden'],
    ['a foreign Origin', { origin: 'https://evil.example' }, 403, 'Forbidden'],
    ['another Content-Type', { 'content-type': 'text/plain' }, 415, 'UnsupportedMediaType'],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }, 415, 'UnsupportedMediaType'],
    ['no Content-Type', { 'content-type': undefined }, 415, 'UnsupportedMediaType'],
    ['a content coding', { 'content-encoding': 'gzip' }, 415, 'UnsupportedMediaType'],
    ['a client that takes no event stream', { accept: 'application/json' }, 406, 'NotAcceptable'],
    ['a client that takes no JSON', { accept: 'text/event-stream' }, 406, 'NotAcceptable'],
  ])('%s', async (_, headers, status, name) => {
    expect(await refusal(LIST, headers)).toMatchObject({ status, name, code: -32600, id: null })
  })

  it('more than one Host, whichever comes first', async () => {
    for (const hosts of [
      ['localhost', 'evil.example'],
      ['localhost', 'localhost'],
    ]) {
      const socket = connect(harness.listener.address.port, '127.0.0.1')
      const lines = hosts.map((host) => `Host: ${host}\r\n`).join('')
      socket.write(`POST /mcp HTTP/1.1\r\n${lines}Connection: close\r\nContent-Length: 0\r\n\r\n`)
      const answer = await textOf(socket)
      expect(answer).toMatch(/^HTTP\/1.1 400 .*"code":"Forbidden"/s)
    }
  })

  it('a foreign host in the absolute form, whatever the header says', async () => {
    const foreign = await refusal(LIST, {}, 'http://evil.example/mcp')
    expect(foreign).toMatchObject({ status: 403, name: 'Forbidden' })
    const here = await harness.client.post(LIST, { host: 'evil.example' }, 'http://localhost:1/mcp')
    expect(here.status).toBe(200)
  })

  it('a path that no route has', async () => {
    expect(await refusal(LIST, {}, '/nothing')).toMatchObject({ status: 404, name: 'NoRoute' })
  })

  it.each(['PUT', 'PATCH', 'TRACE'])('the method %s, naming those that are served', async (method) => {
    const answer = await (await harness.client.request(method, '/mcp').head()).whole()
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('GET, POST, DELETE, OPTIONS')
    expect(JSON.parse(answer.body).error.data.causeway.code).toBe('MethodNotAllowed')
  })

  it.each(['GET', 'DELETE'])('the method %s in the modern era, which has no sessions', async (method) => {
    const headers = { accept: 'text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-session-id': 'x' }
    const answer = await (await harness.client.request(method, '/mcp', headers).head()).whole()
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('POST')
  })

  it('HEAD, without a body', async () => {
    const answer = await (await harness.client.request('HEAD', '/mcp').head()).whole()
    expect(answer).toMatchObject({ status: 405, body: '' })
  })

  it('a body over the limit by its Content-Length, naming the limit', async () => {
    const large = legacy('tools/call', { text: 'x'.repeat(3_000) })
    const { status, name, message } = await refusal(large)
    expect({ status, name }).toEqual({ status: 413, name: 'TooLarge' })
    expect(message).toContain('2000 octets (limits.maxBodyBytes of the relay)')
  })

  it('a body over the smaller limit of its route, naming that one', async () => {
    harness.client.close()
    await harness.edge.stop(0)
    harness = await edgeHarness({ limits: { maxBodyOctets: 2_000 }, route: { limits: { maxBodyOctets: 1_000 } } })
    const { status, message } = await refusal(legacy('tools/call', { text: 'x'.repeat(1_500) }))
    expect({ status, message }).toEqual({
      status: 413,
      message: 'the body is larger than 1000 octets (limits.maxBodyBytes of the route)',
    })
  })

  it('a foreign Origin, naming the field of the route and that of the relay', async () => {
    const body = (await harness.client.post(LIST, { origin: 'https://evil.example' })).body
    const { hint } = JSON.parse(body).error.data.causeway
    expect(hint).toMatch(/^list it in spec\.cors\.allowedOrigins of the MeshRoute, .*listeners\.mcp\.allowedOrigins/)
  })

  it('a body over the limit that does not say its length', async () => {
    const large = legacy('tools/call', { text: 'x'.repeat(300_000) })
    const { status, name, message } = await refusal(large, { 'transfer-encoding': 'chunked' })
    expect({ status, name }).toEqual({ status: 413, name: 'TooLarge' })
    expect(message).toContain('2000 octets (limits.maxBodyBytes of the relay)')
  })

  it('headers over the limit', async () => {
    const answer = await harness.client.open(LIST, { 'x-large': 'x'.repeat(20_000) })
    expect(answer.status).toBe(431)
  })

  it('a client that waits for 100 Continue, without letting it send', async () => {
    const { status, name } = await refusal(LIST, { expect: '100-continue', 'content-type': 'text/plain' })
    expect({ status, name }).toEqual({ status: 415, name: 'UnsupportedMediaType' })
  })
})

describe('the order of the checks', () => {
  it('is Origin and Host, method, media types, size, JSON, single message, headers, method', async () => {
    const large = 'x'.repeat(3_000)
    const get = await (await harness.client.request('GET', '/mcp', { origin: 'https://evil.example' }).head()).whole()
    expect(get.status).toBe(403)
    const put = await (await harness.client.request('PUT', '/mcp', { 'content-type': 'text/plain' }).head()).whole()
    expect(put.status).toBe(405)
    expect((await refusal(large, { 'content-type': 'text/plain', accept: 'text/html' })).status).toBe(415)
    expect((await refusal(large, { accept: 'text/html' })).status).toBe(406)
    expect((await refusal(large)).status).toBe(413)
    expect((await refusal('[{')).code).toBe(-32700)
    expect((await refusal(`[${modern('x'.repeat(300))}]`)).code).toBe(-32600)
    expect((await refusal(modern('x'.repeat(300)), modernHeaders('y'))).code).toBe(-32020)
    expect((await refusal(modern('x'.repeat(300)), modernHeaders('x'.repeat(300)))).code).toBe(-32601)
  })
})

describe('a body that is not JSON', () => {
  it.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['a text cut short', LIST.slice(0, -1)],
    ['two texts', `${LIST}${LIST}`],
    ['a byte order mark', `\ufeff${LIST}`],
    ['UTF-16', Buffer.from(LIST, 'utf16le')],
    [
      'invalid UTF-8',
      Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
    ['a trailing comma', '{"jsonrpc":"2.0","id":1,"method":"ping",}'],
    ['too much depth', `${'['.repeat(1_900)}`],
  ])('%s: 400, -32700, id null', async (_, body) => {
    expect(await refusal(body)).toMatchObject({ status: 400, code: -32700, name: 'ParseError', id: null })
  })
})

describe('a body that is not one JSON-RPC message', () => {
  it.each([
    ['a batch of a later revision', `[${modern('tools/list')}]`],
    ['an empty batch', '[]'],
    ['a string', '"x"'],
    ['no jsonrpc', '{"id":1,"method":"ping"}'],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ['jsonrpc twice', '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}'],
    ['id twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'],
    ['method twice, once escaped', '{"jsonrpc":"2.0","id":1,"method":"ping","m\\u0065thod":"tools/call"}'],
    ['an object as id', '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
    ['true as id', '{"jsonrpc":"2.0","id":true,"method":"ping"}'],
    ['a number as method', '{"jsonrpc":"2.0","id":1,"method":5}'],
    ['neither request nor response', '{"jsonrpc":"2.0","id":1}'],
  ])('%s: 400, -32600', async (_, body) => {
    expect(await refusal(body)).toMatchObject({ status: 400, code: -32600, name: 'InvalidRequest', id: null })
  })

  it('a method with a lone surrogate: 400, -32600, under the id of the request', async () => {
    const body = '{"jsonrpc":"2.0","id":7,"method":"tools/\\ud800"}'
    expect(await refusal(body)).toMatchObject({ status: 400, code: -32600, id: 7 })
  })
})

describe('a method of more than 255 octets', () => {
  const long = 'é'.repeat(128)

  it('is 404 and -32601 in the modern era', async () => {
    const headers = { ...modernHeaders('x'), 'mcp-method': undefined }
    // Its own header could not be said in ASCII, so it is missing and that comes first.
    expect((await refusal(modern(long), headers)).code).toBe(-32020)
    const plain = 'x'.repeat(256)
    expect(await refusal(modern(plain), modernHeaders(plain))).toMatchObject({ status: 404, code: -32601, id: 1 })
  })

  it('is 200 and -32601 in the legacy era', async () => {
    expect(await refusal(legacy(long))).toMatchObject({ status: 200, code: -32601, id: 1 })
  })

  it('is an HTTP error on a notification, which has no answer', async () => {
    const notification = `{"jsonrpc":"2.0","method":"${long}"}`
    expect(await refusal(notification)).toMatchObject({ status: 400, code: -32601, id: null })
  })

  it(`${requirement('MCP-014')} passes at 255 octets, known to nobody as it is`, async () => {
    const method = `${'é'.repeat(127)}x`
    expect((await harness.client.post(legacy(method))).status).toBe(200)
    expect(harness.target.calls[0]?.request.method).toBe(method)
  })
})

describe('headers and body of a modern request', () => {
  const call = modern('tools/call', { name: 'echo', arguments: {} })
  const right = modernHeaders('tools/call', 'echo')

  it.each<[string, HeaderChanges]>([
    ['no version', { 'mcp-protocol-version': undefined }],
    ['another version', { 'mcp-protocol-version': '2027-01-01' }],
    ['a legacy version', { 'mcp-protocol-version': '2025-11-25' }],
    ['the version twice', { 'mcp-protocol-version': ['2026-07-28', '2026-07-28'] }],
    ['no method', { 'mcp-method': undefined }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['the method in another case', { 'mcp-method': 'Tools/Call' }],
    ['no name', { 'mcp-name': undefined }],
    ['another name', { 'mcp-name': 'Echo' }],
    ['another name in base64', { 'mcp-name': `=?base64?${Buffer.from('other').toString('base64')}?=` }],
    ['a name in base64 that is none', { 'mcp-name': '=?base64?ZWNobw?=' }],
  ])(`${requirement('MCP-051')} that disagree are 400, -32020: %s`, async (_, changes) => {
    const answer = await refusal(call, { ...right, ...changes })
    expect(answer).toMatchObject({ status: 400, code: -32020, name: 'HeaderMismatch', id: 1 })
  })

  it.each([
    ['é', 'octets that only base64 can carry'],
    ['=?base64?YQ==?=', 'what looks like the mark and stands for something else'],
  ])(`${requirement('MCP-051')} that agree as written only are 400 too: %s, %s`, async (name) => {
    const answer = await refusal(modern('tools/call', { name }), { ...right, 'mcp-name': name })
    expect(answer).toMatchObject({ status: 400, code: -32020, name: 'HeaderMismatch' })
  })

  it.each<[string, string, HeaderChanges]>([
    ['a name in base64', 'echo', { 'mcp-name': `=?base64?${Buffer.from('echo').toString('base64')}?=` }],
    ['a name that needs base64', 'héllo ', { 'mcp-name': `=?base64?${Buffer.from('héllo ').toString('base64')}?=` }],
    [
      'a name that looks like the mark',
      '=?base64?x?=',
      { 'mcp-name': `=?base64?${Buffer.from('=?base64?x?=').toString('base64')}?=` },
    ],
    ['blanks around the values', 'echo', { 'mcp-method': '  tools/call ', 'mcp-name': '\techo ' }],
  ])('that agree pass: %s', async (_, name, changes) => {
    const answer = await harness.client.post(modern('tools/call', { name }), { ...right, ...changes })
    expect(answer.status).toBe(200)
  })

  it.each([
    ['prompts/get', { name: 'p' }, 'p'],
    ['resources/read', { uri: 'file:///a' }, 'file:///a'],
    ['tasks/get', { taskId: 't' }, 't'],
    ['tasks/update', { taskId: 't' }, 't'],
    ['tasks/cancel', { taskId: 't' }, 't'],
  ])(`${requirement('MCP-051')} are compared for %s by the member it is named by`, async (method, params, name) => {
    expect((await refusal(modern(method, params), modernHeaders(method))).code).toBe(-32020)
    expect((await harness.client.post(modern(method, params), modernHeaders(method, name))).status).toBe(200)
  })

  it('leaves to the backend what only the backend may judge', async () => {
    // A body without the member, a version that nobody knows, a claim that is none, no capabilities.
    const bodies: [string, HeaderChanges][] = [
      [modern('tools/call', { name: 5 }), modernHeaders('tools/call')],
      [call.replaceAll('2026-07-28', '2099-01-01'), { ...right, 'mcp-protocol-version': '2099-01-01' }],
      [call.replace('"2026-07-28"', '5'), { 'mcp-protocol-version': '2026-07-28' }],
      [call.replace(/,"io.modelcontextprotocol\/clientCapabilities":\{\}/, ''), right],
    ]
    for (const [index, [body, headers]] of bodies.entries()) {
      expect((await harness.client.post(body, headers)).status).toBe(200)
      expect(harness.target.calls[index]?.request.era).toBe('modern')
    }
  })

  it(`${requirement('MCP-044')} that claim a revision in the header alone are 400, -32602, never served as legacy`, async () => {
    const version = { 'mcp-protocol-version': '2026-07-28' }
    for (const body of [LIST, legacy('tools/call', { name: 'echo', _meta: {} })]) {
      expect(await refusal(body, version)).toMatchObject({ status: 400, code: -32602, name: 'InvalidParams', id: 1 })
    }
    const notification = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect((await harness.client.post(notification, version)).status).toBe(202)
  })

  it('takes a modern notification with or without headers, but not with false ones', async () => {
    const meta = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: meta })
    expect((await refusal(body, { 'mcp-protocol-version': '2025-11-25' })).code).toBe(-32020)
    expect((await harness.client.post(body)).status).toBe(202)
    expect((await harness.client.post(body, modernHeaders('notifications/cancelled'))).status).toBe(202)
  })

  it('asks a legacy request for no headers and ignores those of the modern era', async () => {
    const headers = { 'mcp-protocol-version': '2025-11-25', 'mcp-method': 'nonsense', 'mcp-name': 'nonsense' }
    expect((await harness.client.post(legacy('tools/call', { name: 'echo' }), headers)).status).toBe(200)
  })

  it('refuses more parameters than a request can carry', async () => {
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`mcp-param-${index}`, 'x']))
    const answer = await harness.client.post(call, { ...right, ...many })
    expect(answer.status).toBe(431)
    expect(harness.target.calls).toEqual([])
  })
})

describe('an error of the edge', () => {
  it.each(['12345678901234567890123', '1.0', '-0', '1e2', '"a\\u0062c"', 'null', '""'])(
    'stands under the id token %s as it was written',
    async (token) => {
      const answer = await harness.client.post(`{"jsonrpc":"2.0","id": ${token} ,"method":"tools/\\ud800"}`)
      expect(answer.body.startsWith(`{"jsonrpc":"2.0","id":${token},"error":{`)).toBe(true)
    },
  )

  it('names the trace of the request, from the header before the message', async () => {
    const header = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const meta = '00-11111111111111111111111111111111-b7ad6b7169203331-01'
    const body = `{"jsonrpc":"2.0","id":1,"method":"\\ud800","params":{"_meta":{"traceparent":"${meta}"}}}`
    const traceId = async (headers: HeaderChanges) =>
      JSON.parse((await harness.client.post(body, headers)).body).error.data.causeway.traceId
    expect(await traceId({ traceparent: header })).toBe('0af7651916cd43dd8448eb211c80319c')
    expect(await traceId({ traceparent: 'rubbish' })).toBe('11111111111111111111111111111111')
    expect(await traceId({})).toBe('11111111111111111111111111111111')
  })

  it('and any other end of a call are lines of the log at level debug, by the request id', async () => {
    const lines: Record<string, unknown>[] = []
    const logger = createLogger({ level: 'debug', destination: { write: (line) => lines.push(JSON.parse(line)) } })
    const talkative = await edgeHarness({ logger })
    talkative.target.script = (call) => call.result()
    await talkative.client.post(LIST)
    await harness.client.post(LIST)
    const requestId = talkative.target.calls[0]?.request.requestId
    const facts = { route: 'default/mcp', method: 'tools/list', requestId, outcome: 'result', durationMs: 0 }
    expect(lines).toMatchObject([{ level: 'debug', msg: 'a call ended', ...facts }])
    expect(harness.log).toEqual([])
    talkative.client.close()
    await talkative.edge.stop(0)
  })

  it('is found in the log at level debug, by its request id, and costs no line at the default level', async () => {
    const lines: Record<string, unknown>[] = []
    const logger = createLogger({ level: 'debug', destination: { write: (line) => lines.push(JSON.parse(line)) } })
    const talkative = await edgeHarness({ logger })
    for (const { client } of [talkative, harness]) {
      await client.post('[]', {}, '/nothing')
      await client.post('[]')
    }
    const answer = await talkative.client.post('[]')
    const { requestId } = JSON.parse(answer.body).error.data.causeway
    expect(lines).toMatchObject([
      { level: 'debug', code: 'NoRoute' },
      { level: 'debug', code: 'InvalidRequest' },
      { level: 'debug', code: 'InvalidRequest', requestId, msg: 'a request was refused' },
    ])
    expect(harness.log).toEqual([])
    talkative.client.close()
    await talkative.edge.stop(0)
  })
})
