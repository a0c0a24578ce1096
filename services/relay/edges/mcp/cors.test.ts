import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EdgeHarness, edgeHarness, INITIALIZE, legacy } from '../../../../test/fixtures/edge/edge-harness.ts'
import type { HeaderChanges } from '../../../../test/fixtures/edge/http-client.ts'

const LISTENER = 'https://app.example'
const ROUTE = 'https://route.example'

let harness: EdgeHarness
beforeEach(async () => {
  const cors = { allowedOrigins: [ROUTE], maxAgeSeconds: 77 }
  harness = await edgeHarness({ allowedOrigins: [LISTENER], route: { cors } })
  harness.target.script = (call) => call.result()
})
afterEach(async () => {
  harness.client.close()
  await harness.edge.stop(0)
})

async function options(headers: HeaderChanges, path = '/mcp') {
  return (await harness.client.request('OPTIONS', path, headers).head()).whole()
}

const PREFLIGHT = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'content-type, mcp-protocol-version,Mcp-Param-Region',
}

describe('a preflight', () => {
  it.each([LISTENER, ROUTE, 'http://localhost:3000'])('of %s is answered with what the page may do', async (origin) => {
    const answer = await options({ ...PREFLIGHT, origin })
    expect(answer).toMatchObject({ status: 204, body: '' })
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
      'access-control-allow-headers': 'content-type, mcp-protocol-version,Mcp-Param-Region',
      'access-control-max-age': '77',
      vary: 'Origin',
    })
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    expect(answer.headers['content-length']).toBeUndefined()
  })

  it('is answered with the usual headers where those asked for are none', async () => {
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'a b, {c}' }
    const names = (await options({ ...asked, origin: LISTENER })).headers['access-control-allow-headers']
    expect(names).toContain('Mcp-Session-Id')
    expect(names).toContain('Last-Event-ID')
    expect(names).not.toContain('{')
  })

  it('of a foreign origin is 403, and learns nothing', async () => {
    for (const [origin, path] of [
      ['https://evil.example', '/mcp'],
      [ROUTE, '/other'],
      ['null', '/mcp'],
    ] as const) {
      const answer = await options({ ...PREFLIGHT, origin }, path)
      expect(answer.status).toBe(403)
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  it('has the default age where the route says none', async () => {
    const answer = await options({ ...PREFLIGHT, origin: LISTENER }, '/other')
    expect(answer.headers['access-control-max-age']).toBe('600')
  })

  it('is none without an Origin: OPTIONS names the methods', async () => {
    const answer = await options({})
    expect(answer.status).toBe(204)
    expect(answer.headers.allow).toBe('GET, POST, DELETE, OPTIONS')
    expect(answer.headers['access-control-allow-methods']).toBeUndefined()
  })
})

describe('a response to a page', () => {
  const ofPage = {
    'access-control-allow-origin': ROUTE,
    'access-control-expose-headers': 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After, Allow',
    vary: 'Origin',
  }

  it('can be read by it, with the headers that its client needs, whatever it is', async () => {
    const post = (body: string, headers: HeaderChanges = {}) => harness.client.post(body, { origin: ROUTE, ...headers })
    const opened = await post(INITIALIZE)
    expect(opened.headers).toMatchObject(ofPage)
    const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    const stream = await harness.client.events({ ...session, origin: ROUTE })
    const others = [
      await post('{"jsonrpc":"2.0","method":"notifications/initialized"}', session),
      await post('{'),
      await post(legacy('ping'), { 'mcp-session-id': 'nobody' }),
      await post(legacy('ping'), { 'content-type': 'text/plain' }),
      await (await harness.client.request('PUT', '/mcp', { origin: ROUTE }).head()).whole(),
      await (await harness.client.request('DELETE', '/mcp', { ...session, origin: ROUTE }).head()).whole(),
    ]
    expect(others.map(({ status }) => status)).toEqual([202, 400, 404, 415, 405, 200])
    for (const { headers } of [stream, ...others]) expect(headers).toMatchObject(ofPage)
  })

  it('is read by no foreign page, and needs nothing where there is no page', async () => {
    const foreign = await harness.client.post(legacy('ping'), { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
    const plain = await harness.client.post(legacy('ping'))
    for (const { headers } of [foreign, plain]) expect(headers['access-control-allow-origin']).toBeUndefined()
    expect(harness.target.calls).toHaveLength(1)
  })
})
