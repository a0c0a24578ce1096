import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { HttpClient } from '../fixtures/edge/http-client.ts'
import { type Arrival, type ScriptedServer, scriptedServer } from '../fixtures/http/scripted-server.ts'
import { startMeshHere } from '../fixtures/mesh/relays-here.ts'
import { cleanUp, closed, stopped } from './clean-up.ts'

const REVISION = '2026-07-28'
const META = { 'io.modelcontextprotocol/protocolVersion': REVISION, 'io.modelcontextprotocol/clientCapabilities': {} }

/** A modern client and a server of which every octet is the test's, two relays between them. */
async function meshWith(answer: (arrival: Arrival) => void) {
  const server: ScriptedServer = await closed(scriptedServer(answer))
  const { endpoint } = await stopped(startMeshHere({ backends: { server: server.url.href } }))
  const url = new URL(endpoint('server'))
  const http = cleanUp(new HttpClient(Number(url.port)), (client) => client.close())
  const post = (body: string, method: string, name?: string, revision = REVISION) =>
    http.post(
      body,
      { 'mcp-protocol-version': revision, 'mcp-method': method, ...(name === undefined ? {} : { 'mcp-name': name }) },
      url.pathname,
    )
  return { server, post }
}

function request(id: string, method: string, params: object = {}, revision = REVISION): string {
  const meta = { ...META, 'io.modelcontextprotocol/protocolVersion': revision }
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify({ ...params, _meta: meta })}}`
}

describe('what endpoints of the modern era decide, and relays do not', () => {
  it.each([
    ['without resultType', '{"content":[]}'],
    ['complete', '{"resultType":"complete","content":[]}'],
    ['of an extension', '{"resultType":"task","taskId":"t"}'],
  ])(`${requirement('MCP-043')} a result %s is the whole answer, and passes as it is`, async (_name, result) => {
    const { post } = await meshWith((arrival) => arrival.json(200, `{"jsonrpc":"2.0","id":1,"result":${result}}`))
    const answer = await post(request('1', 'tools/call', { name: 'x' }), 'tools/call', 'x')
    expect(answer.status).toBe(200)
    expect(answer.body).toBe(`{"jsonrpc":"2.0","id":1,"result":${result}}`)
  })

  it.each([
    ['without ttlMs', ''],
    ['with a long ttlMs', ',"ttlMs":3600000,"cacheScope":"public"'],
  ])(
    `${requirement('MCP-046', 'MCP-047')} a list %s is asked for anew each time: a transparent relay keeps none`,
    async (_name, caching) => {
      let lists = 0
      const { server, post } = await meshWith((arrival) => {
        lists += 1
        arrival.json(200, `{"jsonrpc":"2.0","id":${lists},"result":{"tools":[],"n":${lists}${caching}}}`)
      })
      const first = await post(request('1', 'tools/list'), 'tools/list')
      const second = await post(request('2', 'tools/list'), 'tools/list')
      expect([first.body, second.body].map((body) => (JSON.parse(body) as { result: { n: number } }).result.n)).toEqual(
        [1, 2],
      )
      expect(server.arrivals).toHaveLength(2)
    },
  )

  it(`${requirement('MCP-048')} a request that wants input, and its retry, are two requests: id, metadata and requestState pass as written`, async () => {
    const state = '"\\u0061 state \\/ with spelling"'
    const wants = `{"jsonrpc":"2.0","id":"one","result":{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{}}},"requestState":${state}}}`
    const { server, post } = await meshWith((arrival) => {
      const isRetry = arrival.text.includes('inputResponses')
      arrival.json(
        200,
        isRetry ? '{"jsonrpc":"2.0","id":"two","result":{"resultType":"complete","content":[]}}' : wants,
      )
    })
    const asked = await post(request('"one"', 'tools/call', { name: 'x' }), 'tools/call', 'x')
    expect(asked.body).toBe(wants)
    // The relay asks nobody and retries nothing: what follows is the client's own request.
    expect(server.arrivals).toHaveLength(1)
    const retry = request('"two"', 'tools/call', { name: 'x', inputResponses: { q: { action: 'accept' } } }).replace(
      '"name":"x"',
      `"name":"x","requestState":${state}`,
    )
    expect((await post(retry, 'tools/call', 'x')).body).toContain('"complete"')
    expect(server.arrivals[1]?.text).toBe(retry)
  })

  it.each([
    [requirement('MCP-050'), -32022, '{"supported":["2026-07-28"],"requested":"2027-01-01"}'],
    [requirement('MCP-044'), -32602, '"clientCapabilities is missing"'],
    [requirement('MCP-011'), -32021, '{"requiredCapabilities":{"sampling":{}}}'],
  ] as const)('%s the endpoint answers %i with HTTP 400, and both pass', async (_id, code, data) => {
    const error = `{"jsonrpc":"2.0","id":7,"error":{"code":${code},"message":"no","data":${data}}}`
    const { post } = await meshWith((arrival) => arrival.json(400, error))
    const revision = code === -32022 ? '2027-01-01' : REVISION
    const answer = await post(request('7', 'tools/call', { name: 'x' }, revision), 'tools/call', 'x', revision)
    expect(answer.status).toBe(400)
    expect(answer.body).toBe(error)
  })
})
