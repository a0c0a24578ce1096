import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { HttpClient } from '../fixtures/edge/http-client.ts'
import { scriptedServer } from '../fixtures/http/scripted-server.ts'
import { startMeshHere } from '../fixtures/mesh/relays-here.ts'
import { cleanUp, closed, fixture, stopped } from './clean-up.ts'
import { callText, legacyClient, modernCall, modernClient, PIN_MODERN } from './clients.ts'

function httpClient(url: string): HttpClient {
  return cleanUp(new HttpClient(Number(new URL(url).port)), (client) => client.close())
}

describe('many at once through two relays', () => {
  it('200 concurrent calls each get their own answer', async () => {
    const { info } = await fixture('servers/modern.ts')
    const { endpoint } = await stopped(startMeshHere({ backends: { modern: info.url } }))
    const modern = await closed(modernClient(endpoint('modern'), PIN_MODERN))
    const legacy = await closed(legacyClient(endpoint('modern')))
    const calls = Array.from({ length: 200 }, (_, n) =>
      callText(n % 2 === 0 ? modern : legacy, 'echo', { message: `number ${n}` }),
    )
    expect(await Promise.all(calls)).toEqual(calls.map((_, n) => `number ${n}`))
  })

  it('100 sessions all use id 1 at the same time', async () => {
    const { info } = await fixture('servers/everything.ts')
    const { endpoint, edge } = await stopped(startMeshHere({ backends: { everything: info.url } }))
    const url = endpoint('everything')
    const http = httpClient(url)
    const path = new URL(url).pathname
    const sessions = await Promise.all(Array.from({ length: 100 }, () => openSession(http, path)))
    expect(new Set(sessions).size).toBe(100)
    expect(edge.metrics.value('causeway_sessions_open', { side: 'mesh_out' })).toBe(100)
    const texts = await Promise.all(
      sessions.map(async (session, n) => {
        const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"s${n}"}}}`
        return (await http.post(call, sessionHeaders(session), path)).body
      }),
    )
    texts.forEach((text, n) => {
      expect(text).toContain(`"Echo: s${n}"`)
    })
    // Two associations carry all of it.
    expect(edge.metrics.value('causeway_associations_open', { peer: 'default/tools' })).toBeLessThanOrEqual(2)
  })

  it('two routes to two backends share the association', async () => {
    const [everything, modern] = await Promise.all([fixture('servers/everything.ts'), fixture('servers/modern.ts')])
    const { endpoint, edge } = await stopped(
      startMeshHere({
        backends: { everything: everything.info.url, modern: modern.info.url },
        peerSpec: { associations: 1 },
      }),
    )
    const [one, two] = [await legacyClient(endpoint('everything')), await modernClient(endpoint('modern'), PIN_MODERN)]
    await closed(one)
    await closed(two)
    expect(await callText(one, 'echo', { message: 'a' })).toBe('Echo: a')
    expect(await callText(two, 'echo', { message: 'b' })).toBe('b')
    expect(edge.metrics.value('causeway_associations_open', { peer: 'default/tools' })).toBe(1)
  })
})

describe('octets through two relays', () => {
  it.each([
    ['9007199254740993'],
    ['123456789012345678901234567890'],
    ['1.0'],
    ['-0'],
    ['1e2'],
    ['"\\u00e9\\/\\ud83d\\ude00"'],
    ['"plain"'],
  ])(`${requirement('MCP-039')} the id %s and the whole message cross as they are written`, async (id) => {
    const server = await closed(
      scriptedServer((arrival) => arrival.json(200, `{"id":${id} , "result":{"n":1.0,"m":1E400},"jsonrpc":"2.0"}`)),
    )
    const { endpoint } = await stopped(startMeshHere({ backends: { odd: server.url.href } }))
    const { body, headers } = modernCall('t', { big: 1 }, { raw: id })
    const spaced = body.replace('"big":1', ' "big" : 12345678901234567890.10, "s":"\\u0041\\/"')
    const answer = await httpClient(endpoint('odd')).post(spaced, headers, '/odd/mcp')
    expect(answer.body).toBe(`{"id":${id} , "result":{"n":1.0,"m":1E400},"jsonrpc":"2.0"}`)
    expect(server.arrivals[0]?.text).toBe(spaced)
  })

  it('a result of 10 MB arrives whole, in both eras and as a stream', async () => {
    const [plain, sse] = await Promise.all([fixture('servers/modern.ts'), fixture('servers/modern.ts', '--sse')])
    const { endpoint } = await stopped(startMeshHere({ backends: { plain: plain.info.url, sse: sse.info.url } }))
    for (const name of ['plain', 'sse']) {
      for (const client of [await legacyClient(endpoint(name)), await modernClient(endpoint(name), PIN_MODERN)]) {
        await closed(client)
        expect((await callText(client, 'big')).length).toBe(10 * 1024 * 1024)
      }
    }
  })

  it(`${requirement('MCP-038', 'MCP-014')} tool errors are results, unknown tools and methods are the server's own errors`, async () => {
    const { info } = await fixture('servers/modern.ts')
    const { endpoint } = await stopped(startMeshHere({ backends: { modern: info.url } }))
    for (const client of [await legacyClient(endpoint('modern')), await modernClient(endpoint('modern'), PIN_MODERN)]) {
      await closed(client)
      expect(await client.callTool({ name: 'fail', arguments: {} })).toMatchObject({ isError: true })
    }
    const http = httpClient(endpoint('modern'))
    const { body, headers } = modernCall('x', {})
    const unknown = body.replace('tools/call', 'tools/unknown')
    const direct = await new HttpClient(Number(new URL(info.url).port)).post(unknown, {
      ...headers,
      'mcp-method': 'tools/unknown',
      'mcp-name': undefined,
    })
    const through = await http.post(
      unknown,
      { ...headers, 'mcp-method': 'tools/unknown', 'mcp-name': undefined },
      '/modern/mcp',
    )
    expect([through.status, through.body]).toEqual([direct.status, direct.body])
    expect(JSON.parse(through.body)).toMatchObject({ error: { code: -32601 } })
  })
})

const INITIALIZE =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}'

async function openSession(http: HttpClient, path: string): Promise<string> {
  const { headers } = await http.post(INITIALIZE, {}, path)
  const session = String(headers['mcp-session-id'])
  await http.post('{"jsonrpc":"2.0","method":"notifications/initialized"}', sessionHeaders(session), path)
  return session
}

function sessionHeaders(session: string): Record<string, string> {
  return { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
}
