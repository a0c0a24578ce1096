import { EFFECT } from '@causeway/npamp'
import { requirement } from '@causeway/test/requirements'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type EdgeHarness,
  edgeHarness,
  INITIALIZE,
  legacy,
  modern,
  modernHeaders,
} from '../../../../test/fixtures/edge/edge-harness.ts'
import { eventTexts } from '../../../../test/fixtures/edge/http-client.ts'

let harness: EdgeHarness
beforeEach(async () => {
  harness = await edgeHarness()
})
afterEach(async () => {
  harness.client.close()
  await harness.edge.stop(0)
})

/** Spellings that a reader which parses and prints would lose. */
const ODD = [
  '{"jsonrpc":"2.0","id":12345678901234567890123,"method":"tools/call","params":{"a":1.0,"b":1e2,"c":-0}}',
  '{"id":1.0,"params":{"z":1,"a":2,"z":3},"method":"tools\\/call","jsonrpc":"2.0"}',
  '{ "jsonrpc" : "2.0",\r\n\t"id" : "\\u0061\\ud83d\\ude00", "method":"tools/call" ,"x":"é\\u00e9\u2028" }',
  '{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":""}}',
]

describe('octets towards the target', () => {
  it.each(ODD)(`${requirement('MCP-002', 'RPC-001')} are those of the client: %s`, async (text) => {
    harness.target.script = (call) => call.result()
    await harness.client.post(text)
    expect(harness.target.calls[0]?.text).toBe(text)
  })

  it('are those from the first to the last of the JSON text', async () => {
    harness.target.script = (call) => call.result()
    await harness.client.post(`\r\n  ${ODD[0]} \n`)
    expect(harness.target.calls[0]?.text).toBe(ODD[0])
  })

  it('come together from a body of many chunks', async () => {
    harness.target.script = (call) => call.result()
    const text = legacy('tools/call', { text: 'ä'.repeat(500_000) })
    await harness.client.post(text, { 'transfer-encoding': 'chunked' })
    expect(harness.target.calls[0]?.text).toBe(text)
  })

  it('come after 100 Continue where the client waits for it', async () => {
    harness.target.script = (call) => call.result()
    expect((await harness.client.post(ODD[0] ?? '', { expect: '100-continue' })).status).toBe(200)
    expect(harness.target.calls[0]?.text).toBe(ODD[0])
  })

  it.each(['12345678901234567890123', '1.0', '"\\u0061"', 'null'])(
    'come with the id token %s as it was written',
    async (token) => {
      harness.target.script = (call) => call.result()
      await harness.client.post(`{"jsonrpc":"2.0","id":${token},"method":"ping"}`)
      expect(harness.target.calls[0]?.id).toBe(token)
    },
  )

  it(`${requirement('MCP-039')} keep the _meta of the modern era`, async () => {
    harness.target.script = (call) => call.result()
    const text = modern('tools/list', { a: 1 })
    await harness.client.post(text, modernHeaders('tools/list'))
    expect(harness.target.calls[0]?.text).toBe(text)
  })
})

describe('octets towards the client', () => {
  const reply = '{ "result":{"b":1.0,"a":12345678901234567890123},\r\n"jsonrpc":"2.0","id":1 }'

  it(`${requirement('MCP-002', 'RPC-001')} are those of the backend in a JSON answer`, async () => {
    harness.target.script = (call) => call.result(reply)
    const answer = await harness.client.post(legacy('tools/list'))
    expect(answer.body).toBe(reply)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.headers['content-length']).toBe(String(reply.length))
  })

  it('lose only CR in an event stream, and each is counted', async () => {
    harness.target.script = (call) => {
      call.notify('{"jsonrpc":"2.0",\r"method":"notifications/progress"}')
      call.result(reply)
    }
    const answer = await harness.client.post(legacy('tools/list'))
    expect(eventTexts(answer.body)).toEqual([
      '{"jsonrpc":"2.0",\n"method":"notifications/progress"}',
      reply.replace('\r\n', '\n'),
    ])
    expect(harness.metrics.value('causeway_line_ends_changed_total')).toBe(2)
  })

  it.each([65_536, 65_537, 10_000_000])('arrive whole: %i of them', async (length) => {
    const text = `{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(length)}"}`
    harness.target.script = (call) => call.result(text)
    const asJson = await harness.client.post(legacy('tools/list'))
    expect(asJson.body === text).toBe(true)
    harness.target.script = (call) => {
      call.notify('{"jsonrpc":"2.0","method":"notifications/message"}')
      call.result(text)
    }
    const asEvents = await harness.client.post(legacy('tools/list'))
    expect(eventTexts(asEvents.body)[1] === text).toBe(true)
  })

  it(`${requirement('RPC-014')} keep code, message and data of an error`, async () => {
    const error = '{"jsonrpc":"2.0","id":1,"error":{"data":{"x":1.0},"message":"\\u0041","code":-32000}}'
    harness.target.script = (call) => call.error(error)
    const answer = await harness.client.post(legacy('tools/list'))
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: error })
  })
})

describe('what the edge says about a request', () => {
  it.each([
    ['tools/call', EFFECT.DESTRUCTIVE],
    ['tools/list', EFFECT.READ_ONLY],
    ['resources/subscribe', EFFECT.IDEMPOTENT_WRITE],
  ])('labels %s with its effect', async (method, effect) => {
    harness.target.script = (call) => call.result()
    await harness.client.post(legacy(method))
    expect(harness.target.calls[0]?.request.effect).toBe(effect)
  })

  it(`${requirement('MCP-040')} labels server/discover read_only`, async () => {
    harness.target.script = (call) => call.result()
    await harness.client.post(modern('server/discover'), modernHeaders('server/discover'))
    expect(harness.target.calls[0]?.request.effect).toBe(EFFECT.READ_ONLY)
  })

  it(`${requirement('MCP-041')} labels subscriptions/listen idempotent_write`, async () => {
    harness.target.script = (call) => call.result()
    await harness.client.post(modern('subscriptions/listen'), modernHeaders('subscriptions/listen'))
    expect(harness.target.calls[0]?.request.effect).toBe(EFFECT.IDEMPOTENT_WRITE)
  })

  it(`${requirement('MCP-042')} labels what no table knows destructive`, async () => {
    harness.target.script = (call) => call.result()
    await harness.client.post(legacy('vendor/odd'))
    expect(harness.target.calls[0]?.request.effect).toBe(EFFECT.DESTRUCTIVE)
  })

  it('hands on Mcp-Name and Mcp-Param-* as they came', async () => {
    harness.target.script = (call) => call.result()
    const headers = {
      ...modernHeaders('tools/call', '=?base64?ZWNobw==?='),
      'Mcp-Param-X': '=?base64?w6k=?=',
      cookie: 'a=b',
    }
    await harness.client.post(modern('tools/call', { name: 'echo' }), headers)
    expect(Object.fromEntries(harness.target.calls[0]?.request.parameters ?? [])).toEqual({
      'mcp-name': '=?base64?ZWNobw==?=',
      'mcp-param-x': '=?base64?w6k=?=',
    })
  })

  it('mints a new UUIDv7 for each', async () => {
    harness.target.script = (call) => call.result()
    await harness.client.post(legacy('ping'))
    await harness.client.post(legacy('ping'))
    const [one, two] = harness.target.calls.map(({ request }) => request.requestId)
    expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect(one).not.toBe(two)
  })
})

describe('messages that nobody answers', () => {
  it('are accepted at once and handed on', async () => {
    const text = '{"jsonrpc":"2.0","method":"notifications/roots/list_changed","x":1.0}'
    const answer = await harness.client.post(text)
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 202, body: '' })
    const [notification] = harness.target.notifications
    expect(Buffer.from(notification?.octets ?? []).toString()).toBe(text)
    expect(notification).toMatchObject({
      era: 'legacy',
      session: undefined,
      method: 'notifications/roots/list_changed',
    })
  })

  it.each([
    ['result', '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ['error', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}'],
  ])('a %s of the client is accepted, dropped and counted', async (_, text) => {
    expect((await harness.client.post(text)).status).toBe(202)
    expect(harness.target.notifications).toEqual([])
    expect(harness.metrics.value('causeway_notifications_dropped_total', { reason: 'client_response' })).toBe(1)
  })
})

describe('the lifecycle of a session', () => {
  it(`${requirement('MCP-016')} crosses with protocolVersion and capabilities as they are`, async () => {
    harness.target.script = (call) => call.result('{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"1999-01-01"}}')
    const odd = INITIALIZE.replace('2025-11-25', '3000-13-99')
    const answer = await harness.client.post(odd)
    expect(harness.target.calls[0]?.text).toBe(odd)
    expect(answer.body).toContain('1999-01-01')
  })

  it(`${requirement('MCP-017')} lets ping and logging pass before it has begun`, async () => {
    harness.target.script = (call) => call.result()
    for (const method of ['ping', 'logging/setLevel']) {
      expect((await harness.client.post(legacy(method))).status).toBe(200)
    }
    expect(harness.target.calls.map(({ request }) => request.method)).toEqual(['ping', 'logging/setLevel'])
  })
})
