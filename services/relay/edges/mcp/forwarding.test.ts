import { createLogger } from '@causeway/telemetry'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type EdgeHarness,
  type EdgeHarnessOptions,
  edgeHarness,
  legacy,
} from '../../../../test/fixtures/edge/edge-harness.ts'
import { TrustedProxies } from './proxies.ts'

let harness: EdgeHarness
async function edge(options: EdgeHarnessOptions): Promise<EdgeHarness> {
  harness = await edgeHarness(options)
  harness.target.script = (call) => call.result()
  return harness
}
afterEach(async () => {
  harness.client.close()
  await harness.edge.stop(0)
})

describe('headers that cross', () => {
  const sent = {
    'X-Tenant': 'a; é',
    'Accept-Language': ['de', 'en'],
    Authorization: 'Bearer secret',
    Cookie: 'a=b',
    'X-Other': 'x',
    'Mcp-Param-Region': 'eu',
  }

  it('are those of MCP, and those that the route forwards, in lower case', async () => {
    const { client, target } = await edge({ route: { forwardHeaders: ['x-tenant', 'accept-language', 'x-absent'] } })
    await client.post(legacy('tools/call'), sent)
    expect([...(target.calls[0]?.request.parameters ?? [])]).toEqual([
      ['mcp-param-region', 'eu'],
      ['x-tenant', 'a; é'],
      ['accept-language', 'de, en'],
    ])
    await client.post('{"jsonrpc":"2.0","method":"notifications/x"}', sent)
    expect(target.notifications[0]?.parameters.get('x-tenant')).toBe('a; é')
  })

  it('are those of MCP alone on a route that forwards none', async () => {
    const { client, target } = await edge({})
    await client.post(legacy('tools/call'), sent)
    expect([...(target.calls[0]?.request.parameters ?? [])]).toEqual([['mcp-param-region', 'eu']])
  })
})

describe('a request through a proxy', () => {
  const forwarded = {
    'x-forwarded-host': 'mesh.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '203.0.113.7, 198.51.100.1, 127.0.0.9',
    origin: 'https://mesh.example',
  }

  it('that is trusted is for the host and scheme that the client named', async () => {
    const { client } = await edge({ trustedProxies: ['127.0.0.0/8'], allowedHosts: ['mesh.example'] })
    expect((await client.post(legacy('ping'), { host: 'inner', ...forwarded })).status).toBe(200)
    expect((await client.post(legacy('ping'), { ...forwarded, 'x-forwarded-host': 'evil.example' })).status).toBe(403)
    expect((await client.post(legacy('ping'), { ...forwarded, 'x-forwarded-proto': 'http' })).status).toBe(403)
  })

  it('that is not trusted is for its Host, whatever else it says', async () => {
    const { client } = await edge({ trustedProxies: ['10.0.0.0/8'], allowedHosts: ['mesh.example'] })
    expect((await client.post(legacy('ping'), { host: 'inner', ...forwarded })).status).toBe(403)
    expect(
      (await client.post(legacy('ping'), { ...forwarded, origin: undefined, 'x-forwarded-host': 'x' })).status,
    ).toBe(200)
  })

  it('is served by the public name', async () => {
    const { client } = await edge({ publicUrl: new URL('https://public.example/base') })
    const headers = { host: 'public.example', origin: 'https://public.example' }
    expect((await client.post(legacy('ping'), headers)).status).toBe(200)
    expect((await client.post(legacy('ping'), { ...headers, host: 'other.example' })).status).toBe(403)
  })

  it('is logged, where it is refused, with the client that the last trusted proxy saw', async () => {
    const lines: Record<string, unknown>[] = []
    const logger = createLogger({ level: 'debug', destination: { write: (line) => lines.push(JSON.parse(line)) } })
    const { client } = await edge({ logger, trustedProxies: ['127.0.0.0/8'] })
    await client.post(legacy('ping'), { 'x-forwarded-for': forwarded['x-forwarded-for'] }, '/nothing')
    expect(lines).toMatchObject([{ code: 'NoRoute', client: '198.51.100.1' }])
  })
})

describe('trusted proxies', () => {
  it.each(['10.0.0.0/8', '10.1.2.3', '::1', 'fd00::/8', '0.0.0.0/0'])('may be %s', (cidr) => {
    expect(() => new TrustedProxies([cidr])).not.toThrow()
  })

  it.each(['', 'x', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', '::1/129', '10.0.0/8', '10.0.0.0/1.5'])(
    'are never %j',
    (cidr) => {
      expect(() => new TrustedProxies([cidr])).toThrow(RangeError)
    },
  )
})
