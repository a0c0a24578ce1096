import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { dialledPeer, FOREIGN, type RawPeer, recorded, textOf } from '../../../test/fixtures/npamp/raw-sdk-peer.ts'
import { EFFECT, OUTCOME, SESSION_END_REASON, TRANSPORT_ERROR, type TransportErrorCode } from '../index.ts'

const { NOT_DELIVERED } = TRANSPORT_ERROR

async function stand(target = 'tools', ...settings: Parameters<typeof dialledPeer>) {
  const { peer, raw, cut } = await dialledPeer(...settings)
  const client = recorded(peer.connect(target))
  let id = 0
  const ask = (method: string, params: object = {}, options: object = {}) =>
    client.transport.send({ jsonrpc: '2.0', id: id++, method, params }, options)
  const say = (method: string, params: object = {}) => client.transport.send({ jsonrpc: '2.0', method, params })
  return { peer, raw, cut, client, ask, say }
}

async function answered(raw: RawPeer, result: object = {}) {
  const event = await raw.next('request')
  raw.respond(
    event.exchange,
    `{"jsonrpc":"2.0","id":${textOf(event.exchange.idToken ?? new Uint8Array())},"result":${JSON.stringify(result)}}`,
  )
  return event
}

/** A legacy client with a session. */
async function initialized() {
  const all = await stand()
  await all.ask('initialize')
  const { exchange } = await answered(all.raw)
  await all.client.received(1)
  all.client.messages.length = 0
  return { ...all, session: exchange.route?.session ?? new Uint8Array() }
}

describe('the session of a client', () => {
  it(`${requirement('MCP-015', 'MCP-019')} begins with initialize and is named by everything after it`, async () => {
    const { raw, client, ask, say } = await stand()
    expect(client.transport.sessionId).toBeUndefined()
    await ask('initialize')
    const { exchange } = await answered(raw)
    await client.received(1)
    const session = exchange.route?.session
    expect(session).toHaveLength(16)
    expect(client.transport.sessionId).toBe(Buffer.from(session ?? []).toString('hex'))
    await say('notifications/initialized')
    expect((await raw.next('notification')).route).toEqual({ target: 'tools', session })
    await ask('tools/list')
    expect((await raw.next('request')).exchange.route).toEqual({ target: 'tools', session })
  })

  it('is none for what comes without initialize', async () => {
    const { raw, ask } = await stand()
    await ask('server/discover')
    expect((await raw.next('request')).exchange.route).toEqual({ target: 'tools', session: undefined })
  })

  it.each(['error', 'failure'] as const)('is forgotten when initialize gets an ERROR: %s', async (kind) => {
    const { raw, ask, client } = await stand()
    await ask('initialize')
    const { exchange } = await raw.next('request')
    if (kind === 'failure') raw.fail(exchange, { code: NOT_DELIVERED, message: '' })
    else raw.respond(exchange, '{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"no"}}', 'error')
    await client.received(1)
    await ask('server/discover')
    expect((await raw.next('request')).exchange.route?.session).toBeUndefined()
  })

  it('leaves nobody waiting for what the peer gave up unasked', async () => {
    const { raw, ask, client } = await stand()
    await ask('tools/call')
    raw.fail((await raw.next('request')).exchange, { code: NOT_DELIVERED, message: '', outcome: OUTCOME.CANCELLED })
    await client.received(1)
    expect(client.messages).toMatchObject([{ id: 0, error: { data: { causeway: { delivery: 'unknown' } } } }])
  })

  it('ends with its transport: open requests are cancelled, and the peer is told', async () => {
    const { raw, client, ask, session } = await initialized()
    await ask('tools/call', { name: 'slow' })
    const { exchange } = await raw.next('request')
    await client.transport.close()
    expect((await raw.next('cancel')).exchange).toBe(exchange)
    expect(await raw.nextLink()).toEqual({ op: 'sessionEnd', session, reason: SESSION_END_REASON.CLIENT_ENDED })
    expect(client.closes).toBe(1)
    await expect(ask('ping')).rejects.toMatchObject({ family: 'closed' })
  })

  it('that the peer ends fails what is open, and ends the transport', async () => {
    const { raw, client, ask, session } = await initialized()
    await ask('tools/call', { name: 'slow' })
    await raw.next('request')
    raw.link({ op: 'sessionEnd', session, reason: SESSION_END_REASON.BACKEND_LOST })
    await client.closed()
    expect(client.messages).toMatchObject([
      { id: 1, error: { code: -33110, data: { causeway: { code: 'SessionLost', delivery: 'unknown' } } } },
    ])
  })

  it('that the peer does not know ends the transport', async () => {
    const { raw, client, ask } = await initialized()
    await ask('tools/list')
    raw.fail((await raw.next('request')).exchange, { code: NOT_DELIVERED, message: '', outcome: OUTCOME.SESSION_LOST })
    await client.closed()
    expect(client.messages).toMatchObject([{ error: { data: { causeway: { code: 'SessionLost' } } } }])
  })

  it('takes nothing new once the peer drains, and ends when it is idle', async () => {
    const { raw, client, ask } = await initialized()
    await ask('tools/call', { name: 'slow' })
    const open = await raw.next('request')
    raw.link({ op: 'drain' })
    // In order behind it.
    raw.notify('{"jsonrpc":"2.0","method":"notifications/message"}', { related: open.exchange })
    await client.received(1)
    await ask('tools/list')
    expect((await client.received(2))[1]).toMatchObject({
      id: 2,
      error: { data: { causeway: { code: 'NotDelivered', delivery: 'not_sent' } } },
    })
    raw.respond(open.exchange, '{"jsonrpc":"2.0","id":1,"result":{}}')
    await client.closed()
    expect(client.messages[2]).toMatchObject({ id: 1, result: {} })
  })
})

describe('labels', () => {
  const effectOfNext = async (raw: RawPeer) => (await answered(raw)).exchange.label?.effect

  it(`${requirement('MCP-040', 'MCP-042')} stand on every request`, async () => {
    const { raw, ask } = await stand()
    for (const [method, effect] of [
      ['server/discover', EFFECT.READ_ONLY],
      ['subscriptions/listen', EFFECT.IDEMPOTENT_WRITE],
      ['vendor/anything', EFFECT.DESTRUCTIVE],
    ] as const) {
      await ask(method)
      expect(await effectOfNext(raw)).toBe(effect)
    }
  })

  it(`${requirement('MCP-030', 'MCP-034')} of tools/call follow the list of this transport, until it changes`, async () => {
    const { raw, ask, client } = await stand()
    const call = async () => {
      await ask('tools/call', { name: 'look' })
      return effectOfNext(raw)
    }
    expect(await call()).toBe(EFFECT.DESTRUCTIVE)
    await ask('tools/list')
    await answered(raw, { tools: [{ name: 'look', annotations: { readOnlyHint: true } }] })
    await client.received(2)
    expect(await call()).toBe(EFFECT.READ_ONLY)
    await ask('subscriptions/listen')
    const { exchange } = await raw.next('request')
    raw.notify('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}', { related: exchange })
    await client.received(4)
    expect(await call()).toBe(EFFECT.DESTRUCTIVE)
  })
})

describe('what becomes of a request', () => {
  it.each([
    [NOT_DELIVERED, 0, -33110, 'NotDelivered'],
    [TRANSPORT_ERROR.SAFETY_POLICY, 0, -33111, 'SafetyPolicy'],
    [TRANSPORT_ERROR.SAFETY_POLICY, 2, -33112, 'ApprovalRequired'],
    [NOT_DELIVERED, 3, -33113, 'QuotaExceeded'],
    [TRANSPORT_ERROR.PROTOCOL_UNSUPPORTED, 0, -33114, 'ProtocolUnsupported'],
    [TRANSPORT_ERROR.METHOD_UNSUPPORTED, 0, -33115, 'MethodUnsupported'],
    [NOT_DELIVERED, 6, -33116, 'AuditUnavailable'],
    [NOT_DELIVERED, 7, -33117, 'BackendAuthRequired'],
    [TRANSPORT_ERROR.ENVELOPE_MALFORMED, 0, -33110, 'NotDelivered'],
  ] as [TransportErrorCode, number, number, string][])(
    'transport error %i with reason %i is an error of its own: %i %s',
    async (code, reason, expected, name) => {
      const { raw, client, ask } = await stand()
      await ask('tools/list')
      raw.fail((await raw.next('request')).exchange, { code, reason, message: 'text of the peer' })
      const [error] = await client.received(1)
      expect(error).toMatchObject({ id: 0, error: { code: expected, data: { causeway: { code: name } } } })
      expect(error?.error?.message).not.toContain('text of the peer')
      expect(error?.error?.data).toHaveProperty('causeway.requestId', expect.stringMatching(/^[0-9a-f]{16}\/1$/))
    },
  )

  it(`${requirement('MCP-011')} an error of the server's is passed on as it is`, async () => {
    const { raw, client, ask } = await stand()
    await ask('tools/list')
    const error = { code: -33110, message: 'mine', data: [1] }
    raw.respond((await raw.next('request')).exchange, JSON.stringify({ jsonrpc: '2.0', id: 0, error }), 'error')
    expect(await client.received(1)).toEqual([{ jsonrpc: '2.0', id: 0, error }])
  })

  it('an error without an id answers the request that it came for', async () => {
    const { raw, client, ask } = await stand()
    await ask('tools/list')
    await ask('prompts/list')
    await raw.next('request')
    const error = { code: -32700, message: 'what?' }
    raw.respond((await raw.next('request')).exchange, JSON.stringify({ jsonrpc: '2.0', id: null, error }), 'error')
    expect(await client.received(1)).toEqual([{ jsonrpc: '2.0', id: 1, error }])
  })

  it('a cancel crosses in the words of the client, and whatever comes after it is not shown', async () => {
    const { raw, client, ask, say } = await stand()
    await ask('tools/call', { name: 'slow' })
    const { exchange } = await raw.next('request')
    await say('notifications/cancelled', { requestId: 0, reason: 'enough' })
    const cancel = await raw.next('cancel')
    expect(cancel.exchange).toBe(exchange)
    expect(JSON.parse(textOf(cancel.octets)).params).toEqual({ requestId: 0, reason: 'enough' })
    raw.respond(exchange, '{"jsonrpc":"2.0","id":0,"result":{}}')
    await ask('tools/list')
    await answered(raw)
    expect(await client.received(1)).toMatchObject([{ id: 1 }])
  })

  it('a lost association is an error of each open request, then the end', async () => {
    const { raw, client, ask, cut } = await stand()
    await ask('tools/list')
    await raw.next('request')
    cut()
    await client.closed()
    expect(client.messages).toMatchObject([{ id: 0, error: { data: { causeway: { delivery: 'unknown' } } } }])
    expect(client.closes).toBe(1)
  })

  it('of what an SDK would say in headers, what belongs to MCP crosses', async () => {
    const { raw, ask } = await stand()
    const headers = { 'Mcp-Param-Region': 'eu', 'Mcp-Name': 'look', authorization: 'Bearer x', 'x-other': '1' }
    await ask('tools/call', { name: 'look' }, { headers })
    expect(Object.fromEntries((await raw.next('request')).parameters)).toEqual({
      'mcp-param-region': 'eu',
      'mcp-name': 'look',
    })
  })
})

describe('what the server asks', () => {
  const SAMPLE = '{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}'

  it(`${requirement('MCP-012')} inside the session reaches the client, and its answer the server`, async () => {
    const { raw, client, session } = await initialized()
    const exchange = raw.request(SAMPLE, { route: { target: 'tools', session } })
    expect(await client.received(1)).toMatchObject([{ id: 7, method: 'sampling/createMessage' }])
    await client.transport.send({ jsonrpc: '2.0', id: 7, result: { model: 'm' } })
    const reply = await raw.next('reply')
    expect(reply.exchange).toBe(exchange)
    expect(textOf(reply.octets)).toBe('{"jsonrpc":"2.0","id":7,"result":{"model":"m"}}')
  })

  it.each([
    ['another session', { target: 'tools', session: new Uint8Array(16) }, OUTCOME.SESSION_LOST],
    ['another target', { target: 'other', session: undefined }, OUTCOME.NOT_DELIVERED],
  ])('for %s reaches nobody', async (_name, route, outcome) => {
    const { raw, client } = await initialized()
    raw.request(SAMPLE, { route })
    expect((await raw.next('failed')).failure.outcome).toBe(outcome)
    expect(client.messages).toEqual([])
  })

  it('a notification of a session that is not there is answered by its end', async () => {
    const { raw } = await initialized()
    const session = new Uint8Array(16)
    raw.notify('{"jsonrpc":"2.0","method":"notifications/message"}', { route: { target: 'tools', session } })
    expect(await raw.nextLink()).toEqual({ op: 'sessionEnd', session, reason: SESSION_END_REASON.UNKNOWN_SESSION })
  })
})

describe('a peer that knows no extensions', () => {
  it('is told neither target nor session, and what it says is for the one transport', async () => {
    const { peer, raw, client, ask } = await stand('tools', FOREIGN, { assumeMcp: true })
    expect(() => peer.connect('other')).toThrow('one transport at a time')
    await ask('initialize')
    expect((await answered(raw)).exchange.route).toBeUndefined()
    raw.notify('{"jsonrpc":"2.0","method":"notifications/message","params":{}}')
    raw.request('{"jsonrpc":"2.0","id":0,"method":"roots/list"}')
    expect((await client.received(3)).slice(1)).toMatchObject([
      { method: 'notifications/message' },
      { id: 0, method: 'roots/list' },
    ])
  })
})
