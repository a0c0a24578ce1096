import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import {
  FOREIGN,
  newIdentity,
  type RawPeer,
  relaySettings,
  SESSION,
  servingStand,
  textOf,
} from '../../../test/fixtures/npamp/raw-sdk-peer.ts'
import { type BridgeEvent, EFFECT, OUTCOME, SESSION_END_REASON } from '../index.ts'

const ROUTE = { target: 'tools', session: SESSION }
const NO_SESSION = { target: 'tools', session: undefined }
const INITIALIZE = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}'
const META = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'

const request = (id: string, method = 'tools/call', params = '{}') =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`

async function stand(...options: Parameters<typeof servingStand>) {
  const all = servingStand(...options)
  const raw = all.dial()
  await raw.ready()
  return { ...all, raw }
}

/** With a session, whose `initialize` is answered. */
async function withSession() {
  const all = await stand()
  all.raw.request(INITIALIZE, { route: ROUTE })
  await all.raw.ready()
  const server = await opened(all, 0)
  await server.received(1)
  await server.transport.send({ jsonrpc: '2.0', id: 0, result: {} })
  await all.raw.next('reply')
  server.messages.length = 0
  return { ...all, server }
}

async function opened({ opened: all }: ReturnType<typeof servingStand>, index: number) {
  for (;;) {
    const one = all[index]
    if (one !== undefined) return one
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const answer = async (raw: RawPeer): Promise<string> => {
  const event = await Promise.race([raw.next('reply'), raw.next('failed')])
  return event.type === 'reply' ? textOf(event.octets) : `outcome ${event.failure.outcome}`
}

const failureOf = ({ failure }: BridgeEvent & { type: 'failed' }) => [failure.code, failure.outcome, failure.reason]

describe('whom an embedded server lets in', () => {
  it('a peer that is not listed gets no association', async () => {
    const { dial, errors, serving } = servingStand()
    const stranger = dial(relaySettings(), newIdentity().key)
    await stranger.closed()
    expect(errors.map((error) => error.message)).toHaveLength(1)
    expect(serving.size).toBe(0)
  })

  it('a peer that was started again has lost what it had before', async () => {
    const { raw, dial, server, serving } = await withSession()
    await dial().ready()
    await raw.closed()
    await server.closed()
    expect(serving.size).toBe(1)
  })

  it('another process of the same peer is not that one started again', async () => {
    const { dial, serving } = await stand()
    const { extensions, ...rest } = relaySettings()
    await dial({ ...rest, ...(extensions && { extensions: { ...extensions, replica: 'other' } }) }).ready()
    expect(serving.size).toBe(2)
  })
})

describe('the session of a client', () => {
  it('begins with initialize, is named to the program, and takes what names it', async () => {
    const { raw, server } = await withSession()
    expect(server.info).toMatchObject({ target: 'tools', kind: 'session' })
    expect(server.transport.sessionId).toBe(Buffer.from(SESSION).toString('hex'))
    raw.notify('{"jsonrpc":"2.0","method":"notifications/initialized"}', { route: ROUTE })
    raw.request(request('1'), { route: ROUTE })
    expect((await server.received(2)).map(({ method }) => method)).toEqual(['notifications/initialized', 'tools/call'])
  })

  it('that is not there is lost to a request, and ended to a notification', async () => {
    const { raw } = await stand()
    raw.request(request('1'), { route: ROUTE })
    expect((await raw.next('failed')).failure.outcome).toBe(OUTCOME.SESSION_LOST)
    raw.notify('{"jsonrpc":"2.0","method":"notifications/initialized"}', { route: ROUTE })
    expect(await raw.nextLink()).toMatchObject({ op: 'sessionEnd', reason: SESSION_END_REASON.UNKNOWN_SESSION })
  })

  it('is not that of another target', async () => {
    const { raw, server } = await withSession()
    raw.request(request('1'), { route: { ...ROUTE, target: 'other' } })
    expect((await raw.next('failed')).failure.outcome).toBe(OUTCOME.SESSION_LOST)
    raw.request(INITIALIZE, { route: { ...ROUTE, target: 'other' } })
    expect(failureOf(await raw.next('failed'))).toEqual([4, OUTCOME.NOT_DELIVERED, 3])
    expect(server.messages).toEqual([])
  })

  it('is forgotten when initialize is answered with an error', async () => {
    const { raw, ...all } = await stand()
    raw.request(INITIALIZE, { route: ROUTE })
    const server = await opened(all, 0)
    await server.received(1)
    await server.transport.send({ jsonrpc: '2.0', id: 0, error: { code: -32602, message: 'no' } })
    await server.closed()
    raw.request(request('1'), { route: ROUTE })
    expect((await raw.next('failed')).failure.outcome).toBe(OUTCOME.SESSION_LOST)
  })

  it('that its peer ends ends the transport', async () => {
    const { raw, server } = await withSession()
    raw.link({ op: 'sessionEnd', session: SESSION, reason: SESSION_END_REASON.CLIENT_ENDED })
    await server.closed()
    expect(server.closes).toBe(1)
  })

  it('that the server ends is lost to open requests, and its peer is told', async () => {
    const { raw, server } = await withSession()
    raw.request(request('1'), { route: ROUTE })
    await server.received(1)
    await server.transport.close()
    expect((await raw.next('failed')).failure.outcome).toBe(OUTCOME.SESSION_LOST)
    expect(await raw.nextLink()).toEqual({
      op: 'sessionEnd',
      session: SESSION,
      reason: SESSION_END_REASON.BACKEND_LOST,
    })
  })

  it(`${requirement('MCP-021')} ends with its association`, async () => {
    const { raw, server, dial } = await withSession()
    raw.close()
    await server.closed()
    const again = dial()
    await again.ready()
    again.request(request('1'), { route: ROUTE })
    expect((await again.next('failed')).failure.outcome).toBe(OUTCOME.SESSION_LOST)
  })
})

describe('ids', () => {
  it.each(['7', '1.0', '9007199254740993', '"\\u0061"', '-0', '1e2'])(
    '%s is answered as it was written',
    async (id) => {
      const { raw, server } = await withSession()
      raw.request(request(id), { route: ROUTE })
      const [asked] = await server.received(1)
      await server.transport.send({ jsonrpc: '2.0', id: asked?.id, result: { ok: true } })
      expect(await answer(raw)).toBe(`{"jsonrpc":"2.0","id":${id},"result":{"ok":true}}`)
    },
  )

  it('that no number here tells apart are two', async () => {
    const { raw, server } = await withSession()
    raw.request(request('9007199254740992'), { route: ROUTE })
    raw.request(request('9007199254740993'), { route: ROUTE })
    const [one, two] = await server.received(2)
    await server.transport.send({ jsonrpc: '2.0', id: two?.id, result: { of: 2 } })
    await server.transport.send({ jsonrpc: '2.0', id: one?.id, result: { of: 1 } })
    expect([await answer(raw), await answer(raw)]).toEqual([
      '{"jsonrpc":"2.0","id":9007199254740993,"result":{"of":2}}',
      '{"jsonrpc":"2.0","id":9007199254740992,"result":{"of":1}}',
    ])
  })

  it('that are open in a session are refused there, and the first is still answered', async () => {
    const { raw, server } = await withSession()
    raw.request(request('1'), { route: ROUTE })
    raw.request(request('1.0'), { route: ROUTE })
    expect(JSON.parse(await answer(raw))).toMatchObject({ id: 1, error: { code: -32600 } })
    expect(server.messages).toHaveLength(1)
    await server.transport.send({ jsonrpc: '2.0', id: 1, result: {} })
    expect(await answer(raw)).toBe('{"jsonrpc":"2.0","id":1,"result":{}}')
  })
})

describe('requests that no SDK would answer', () => {
  it.each([
    [request('null'), -32600],
    [request('1', 'tools/call', '[]'), -32602],
    [request('1', 'tools/call', '{"_meta":1}'), -32602],
    [request('1', 'tools/call', '{"_meta":{"progressToken":{}}}'), -32602],
  ])('%s is answered with %i', async (text, code) => {
    const { raw, opened: transports } = await stand()
    raw.request(text, { route: NO_SESSION })
    expect(JSON.parse(await answer(raw)).error.code).toBe(code)
    expect(transports).toEqual([])
  })
})

describe('a request outside any session', () => {
  async function asked(id = '1') {
    const all = await stand()
    const exchange = all.raw.request(request(id, 'tools/call', `{${META}}`), { route: NO_SESSION })
    const server = await opened(all, 0)
    await server.received(1)
    return { ...all, exchange, server }
  }

  it('has a transport of its own, over once it is answered', async () => {
    const { raw, server } = await asked()
    expect(server.info).toMatchObject({ target: 'tools', kind: 'exchange' })
    await server.transport.send({ jsonrpc: '2.0', id: 1, result: {} })
    await server.closed()
    expect(await answer(raw)).toBe('{"jsonrpc":"2.0","id":1,"result":{}}')
  })

  it('shares its id with another and not its answer', async () => {
    const { raw, server, ...all } = await asked()
    raw.request(request('1', 'tools/call', `{${META}}`), { route: NO_SESSION })
    const second = await opened(all, 1)
    await second.transport.send({ jsonrpc: '2.0', id: 1, result: { of: 2 } })
    const reply = await raw.next('reply')
    expect([textOf(reply.octets), reply.exchange === all.exchange]).toEqual([
      '{"jsonrpc":"2.0","id":1,"result":{"of":2}}',
      false,
    ])
    expect(server.closes).toBe(0)
  })

  it('is what all belongs to that its server says', async () => {
    const { raw, server, exchange } = await asked()
    await server.transport.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: {} })
    expect((await raw.next('notification')).related).toBe(exchange)
  })

  it('that is cancelled ends with outcome 2, and its server is told', async () => {
    const { raw, server, exchange } = await asked()
    raw.cancel(exchange)
    expect((await raw.next('failed')).failure.outcome).toBe(OUTCOME.CANCELLED)
    await server.closed()
    expect(server.messages[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 1 } })
  })

  it('that its server leaves alone is a failure of the request', async () => {
    const { raw, server } = await asked()
    await server.transport.close()
    expect((await raw.next('failed')).failure.outcome).toBe(OUTCOME.UNKNOWN)
  })
})

describe('inside a session', () => {
  it('a cancelled request gets one reply, and its late answer reaches nobody', async () => {
    const { raw, server } = await withSession()
    const exchange = raw.request(request('"a"'), { route: ROUTE })
    await server.received(1)
    raw.cancel(exchange)
    expect((await raw.next('failed')).failure.outcome).toBe(OUTCOME.CANCELLED)
    expect((await server.received(2))[1]).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: 'a' },
    })
    await server.transport.send({ jsonrpc: '2.0', id: 'a', result: {} })
    raw.request(request('2'), { route: ROUTE })
    await server.received(3)
    await server.transport.send({ jsonrpc: '2.0', id: 2, result: {} })
    expect(await answer(raw)).toBe('{"jsonrpc":"2.0","id":2,"result":{}}')
    expect(server.closes).toBe(0)
  })

  it(`${requirement('MCP-012', 'MCP-029')} the server asks: labelled, in the session, and with the call that it belongs to`, async () => {
    const { raw, server } = await withSession()
    const call = raw.request(request('1'), { route: ROUTE })
    await server.received(1)
    const sampling = { jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: {} } as const
    await server.transport.send(sampling, { relatedRequestId: 1 })
    const event = await raw.next('request')
    expect(event.exchange.route).toEqual(ROUTE)
    expect(event.related).toBe(call)
    expect(event.exchange.label?.effect).toBe(EFFECT.NON_IDEMPOTENT_WRITE)
    raw.respond(event.exchange, '{"jsonrpc":"2.0","id":1,"result":{"model":"m"}}')
    expect((await server.received(2))[1]).toEqual({ jsonrpc: '2.0', id: 1, result: { model: 'm' } })
  })

  it('what belongs to no call names the session alone', async () => {
    const { raw, server } = await withSession()
    await server.transport.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    const event = await raw.next('notification')
    expect([event.route, event.related]).toEqual([ROUTE, undefined])
  })

  it('the server cancels what it asked, in its own words', async () => {
    const { raw, server } = await withSession()
    await server.transport.send({ jsonrpc: '2.0', id: 5, method: 'roots/list' })
    const { exchange } = await raw.next('request')
    const params = { requestId: 5, reason: 'never mind' }
    await server.transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    const cancel = await raw.next('cancel')
    expect(cancel.exchange).toBe(exchange)
    expect(JSON.parse(textOf(cancel.octets)).params).toEqual(params)
  })
})

describe('a peer that knows no extensions', () => {
  it('has one session at a time, and modern requests beside it', async () => {
    const all = servingStand({ assumeMcp: true })
    const raw = all.dial(FOREIGN)
    await raw.ready()
    raw.request(INITIALIZE)
    const first = await opened(all, 0)
    await first.received(1)
    raw.request(request('1', 'tools/call', `{${META}}`))
    expect((await opened(all, 1)).info).toMatchObject({ kind: 'exchange', target: undefined })
    raw.notify('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    raw.request(request('2'))
    expect((await first.received(3)).map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/call',
    ])
    raw.request(INITIALIZE.replace('"id":0', '"id":9'))
    await first.closed()
    expect((await opened(all, 2)).info).toMatchObject({ kind: 'session' })
  })
})
