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

const IDLE_MS = 60_000
const SESSIONS = 3

let harness: EdgeHarness
beforeEach(async () => {
  harness = await edgeHarness({ limits: { sessionsPerRoute: SESSIONS, sessionIdleMs: IDLE_MS } })
})
afterEach(async () => {
  harness.client.close()
  await harness.edge.stop(0)
})

/** Opens a session; afterwards the target answers nothing by itself. */
async function initialized(path = '/mcp'): Promise<string> {
  harness.target.script = (call) => call.result()
  const answer = await harness.client.post(INITIALIZE, {}, path)
  harness.target.script = () => {}
  const id = answer.headers['mcp-session-id']
  if (typeof id !== 'string') throw new Error('no session')
  return id
}

async function causeway(body: string, headers: Record<string, string>, path = '/mcp') {
  const answer = await harness.client.post(body, headers, path)
  const { code, message, data } = JSON.parse(answer.body).error
  return { status: answer.status, code, message, ...data.causeway, headers: answer.headers }
}

describe('initialize', () => {
  it('gives the client a session that later requests stand in', async () => {
    const id = await initialized()
    harness.target.script = (call) => call.result()
    const answer = await harness.client.post(legacy('ping'), { 'mcp-session-id': id })
    expect(answer.headers['mcp-session-id']).toBeUndefined()
    const [opening, ping] = harness.target.calls
    expect(opening?.request.session?.key).toHaveLength(16)
    expect(ping?.request.session).toBe(opening?.request.session)
    expect(id).not.toContain(opening?.request.session?.id)
    expect(harness.edge.openSessions).toBe(1)
    expect(harness.metrics.value('causeway_sessions_open', { side: 'edge' })).toBe(1)
  })

  it('lets notifications of the session stand in it too', async () => {
    const id = await initialized()
    await harness.client.post('{"jsonrpc":"2.0","method":"notifications/initialized"}', { 'mcp-session-id': id })
    expect(harness.target.notifications[0]?.session).toBe(harness.target.calls[0]?.request.session)
  })

  it('gives no session with an error, and forgets it', async () => {
    harness.target.script = (call) => call.error('{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"no"}}')
    const answer = await harness.client.post(INITIALIZE)
    expect(answer.status).toBe(200)
    expect(answer.headers['mcp-session-id']).toBeUndefined()
    expect(harness.edge.openSessions).toBe(0)
    expect(harness.target.ended).toEqual([])
  })

  it('gives no session with a failure, and tells the target where it may have one', async () => {
    harness.target.script = (call) => call.fail({ outcome: 0 })
    expect((await harness.client.post(INITIALIZE)).headers['mcp-session-id']).toBeUndefined()
    expect(harness.target.ended).toEqual([])
    harness.target.script = (call) => call.fail({ outcome: 1 })
    expect((await harness.client.post(INITIALIZE)).headers['mcp-session-id']).toBeUndefined()
    expect(harness.target.ended).toEqual([{ session: harness.target.calls[1]?.request.session, reason: 'client' }])
    expect(harness.edge.openSessions).toBe(0)
  })

  it('holds back what comes before the reply, so that the head can name the session', async () => {
    const sent = harness.client.send(INITIALIZE)
    const call = await harness.target.callNumber(0)
    call.notify('{"jsonrpc":"2.0","method":"notifications/message"}')
    harness.clock.advance(60_000)
    call.result()
    const answer = await (await sent.head()).whole()
    expect(answer.headers['content-type']).toBe('text/event-stream')
    expect(answer.headers['mcp-session-id']).toMatch(/^[0-9a-f]{48}$/)
    expect(eventTexts(answer.body)).toEqual([
      '{"jsonrpc":"2.0","method":"notifications/message"}',
      '{"jsonrpc":"2.0","id":0,"result":{}}',
    ])
  })

  it('mints a new session for a client that still names an old one', async () => {
    const old = await initialized()
    harness.target.script = (call) => call.result()
    const answer = await harness.client.post(INITIALIZE, { 'mcp-session-id': 'lost' })
    expect(answer.headers['mcp-session-id']).not.toBe(old)
    expect(harness.edge.openSessions).toBe(2)
  })

  it('opens no session when the client left before its answer', async () => {
    const sent = harness.client.send(INITIALIZE)
    const call = await harness.target.callNumber(0)
    sent.disconnect()
    await harness.target.until(() => call.resumes > 0)
    call.result()
    expect(harness.edge.openSessions).toBe(0)
    expect(harness.target.ended).toEqual([{ session: call.request.session, reason: 'client' }])
  })

  it('of the modern era opens none', async () => {
    harness.target.script = (call) => call.result()
    const answer = await harness.client.post(modern('initialize'), modernHeaders('initialize'))
    expect(answer.headers['mcp-session-id']).toBeUndefined()
    expect(harness.target.calls[0]?.request).toMatchObject({ era: 'modern', session: undefined })
  })

  it('is refused with 503 and Retry-After when the route has all its sessions', async () => {
    for (let count = 0; count < SESSIONS; count++) await initialized()
    const refusal = await causeway(INITIALIZE, {})
    expect(refusal).toMatchObject({ status: 503, code: 'QuotaExceeded', delivery: 'not_sent' })
    expect(refusal.headers['retry-after']).toBe('30')
    expect(refusal.message).toBe('this route has its 3 sessions open (limits.sessionsPerRoute of the relay)')
    expect(harness.target.calls).toHaveLength(SESSIONS)
    await initialized('/other')
  })
})

describe('a session that is not known', () => {
  const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
  const response = '{"jsonrpc":"2.0","id":1,"result":{}}'

  it.each([
    ['request', legacy('ping')],
    ['notification', notification],
    ['response', response],
  ])('answers a %s with 404', async (_, body) => {
    expect(await causeway(body, { 'mcp-session-id': 'nobody' })).toMatchObject({
      status: 404,
      code: 'SessionLost',
      delivery: 'not_sent',
    })
    expect(harness.target.calls).toEqual([])
    expect(harness.target.notifications).toEqual([])
  })

  it('is one of another route as well', async () => {
    const id = await initialized()
    expect((await causeway(legacy('ping'), { 'mcp-session-id': id }, '/other')).status).toBe(404)
  })

  it('is one that went unused for too long, and the target is told', async () => {
    const id = await initialized()
    harness.clock.advance(IDLE_MS)
    expect((await causeway(legacy('ping'), { 'mcp-session-id': id })).status).toBe(404)
    expect(harness.target.ended).toEqual([{ session: harness.target.calls[0]?.request.session, reason: 'idle' }])
    expect(harness.metrics.value('causeway_sessions_ended_total', { side: 'edge', reason: 'idle' })).toBe(1)
  })

  it('is one that the target lost: 404 at that request and at every later one', async () => {
    const id = await initialized()
    harness.target.script = (call) => call.fail({ code: 'SessionLost', message: 'lost', outcome: 3 })
    const headers = { 'mcp-session-id': id }
    expect(await causeway(legacy('ping'), headers)).toMatchObject({
      status: 404,
      code: 'SessionLost',
      delivery: 'not_sent',
    })
    expect(await causeway(legacy('ping'), headers)).toMatchObject({ status: 404, delivery: 'not_sent' })
    expect(harness.target.calls).toHaveLength(2)
  })

  it('is one that the target lost before it sent the request: 404, and the client may make it in another one', async () => {
    const id = await initialized()
    harness.target.script = (call) => call.fail({ code: 'SessionLost', message: 'lost', outcome: 0 })
    const answer = await causeway(legacy('tools/call'), { 'mcp-session-id': id })
    expect(answer).toMatchObject({ status: 404, code: 'SessionLost', delivery: 'not_sent' })
    expect(harness.edge.openSessions).toBe(0)
  })

  it('is one that the target reported as ended', async () => {
    const id = await initialized()
    harness.edge.forgetSession(harness.target.calls[0]?.request.session?.id ?? '')
    harness.edge.forgetSession('unknown')
    expect((await causeway(legacy('ping'), { 'mcp-session-id': id })).status).toBe(404)
    expect(harness.target.ended).toEqual([])
  })
})

describe('no session at all', () => {
  it('lets a legacy request cross without one', async () => {
    harness.target.script = (call) => call.result()
    expect((await harness.client.post(legacy('tools/list'))).status).toBe(200)
    expect(harness.target.calls[0]?.request).toMatchObject({ era: 'legacy', session: undefined })
  })

  it('is what a modern request stands in, whatever session it names', async () => {
    harness.target.script = (call) => call.result()
    const headers = { ...modernHeaders('tools/list'), 'mcp-session-id': 'nobody', 'last-event-id': '5' }
    expect((await harness.client.post(modern('tools/list'), headers)).status).toBe(200)
    expect(harness.target.calls[0]?.request).toMatchObject({ era: 'modern', session: undefined })
  })
})

describe('ids within a session', () => {
  it.each([
    ['1', '1'],
    ['1', '1.0'],
    ['10', '1e1'],
    ['"a"', '"\\u0061"'],
  ])(`${requirement('RPC-023', 'MCP-049')} %s and %s are one: the second is never sent`, async (first, second) => {
    const headers = { 'mcp-session-id': await initialized() }
    const body = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call"}`
    const open = harness.client.send(body(first), headers)
    const call = await harness.target.callNumber(1)
    const refused = await harness.client.post(body(second), headers)
    expect(refused.status).toBe(400)
    expect(refused.body.startsWith(`{"jsonrpc":"2.0","id":${second},"error":{"code":-32600,`)).toBe(true)
    expect(harness.target.calls).toHaveLength(2)
    call.result()
    expect((await open.head()).status).toBe(200)
    harness.target.script = (again) => again.result()
    expect((await harness.client.post(body(second), headers)).status).toBe(200)
  })

  it.each([
    ['1', '"1"'],
    ['9007199254740993', '9007199254740992'],
  ])('%s and %s are two', async (first, second) => {
    const headers = { 'mcp-session-id': await initialized() }
    harness.client.send(`{"jsonrpc":"2.0","id":${first},"method":"tools/call"}`, headers)
    await harness.target.callNumber(1)
    harness.client.send(`{"jsonrpc":"2.0","id":${second},"method":"tools/call"}`, headers)
    expect((await harness.target.callNumber(2)).id).toBe(second)
  })

  it('do not meet those of another session, nor those outside any', async () => {
    const one = await initialized()
    const two = await initialized()
    const all = [{ 'mcp-session-id': one }, { 'mcp-session-id': two }, {}, {}]
    for (const headers of all) harness.client.send(legacy('tools/call'), headers)
    for (const headers of [{}, {}]) {
      harness.client.send(modern('tools/list'), { ...modernHeaders('tools/list'), ...headers })
    }
    await harness.target.callNumber(2 + all.length + 1)
    expect(harness.target.calls.slice(2).map(({ id }) => id)).toEqual(['1', '1', '1', '1', '1', '1'])
  })

  it('stay open when the client has gone, as long as the call goes on', async () => {
    const headers = { 'mcp-session-id': await initialized() }
    const sent = harness.client.send(legacy('tools/call'), headers)
    const call = await harness.target.callNumber(1)
    sent.disconnect()
    await harness.target.until(() => call.resumes > 0)
    expect((await harness.client.post(legacy('tools/call'), headers)).status).toBe(400)
    call.result()
    harness.target.script = (again) => again.result()
    expect((await harness.client.post(legacy('tools/call'), headers)).status).toBe(200)
  })
})
