import { describe, expect, it } from 'vitest'
import { call, callRequest } from '../../../../test/fixtures/http/http-backend-harness.ts'
import { INITIALIZE, legacyWorld, listeningWorld, ping, result } from '../../../../test/fixtures/http/legacy-world.ts'

const headers = new Map([
  ['authorization', 'Bearer secret'],
  ['x-tenant', 'a'],
])
const sent = { authorization: 'Bearer secret', 'x-tenant': 'a' }

describe('the headers of a MeshBackend', () => {
  it('go with every request of a session: POST, GET and DELETE', async () => {
    const { get, server, scope, session } = await listeningWorld({ headers })
    get.stream()
    scope.endSession(session, 'client')
    const deletion = await server.next()
    deletion.json(200, '')
    expect(server.arrivals.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET', 'DELETE'])
    for (const arrival of server.arrivals) expect(arrival.headers).toMatchObject(sent)
  })

  it('go with the stream and the posts of HTTP+SSE', async () => {
    const { call: inSession, server } = await legacyWorld({ headers, transport: 'httpSse' })
    inSession(INITIALIZE)
    const get = await server.next()
    get.stream().raw('event: endpoint\ndata: /x\n\n')
    const post = await server.next()
    post.json(202, '')
    expect([get.headers, post.headers]).toMatchObject([sent, sent])
  })

  it('are not replaced by what a caller may set', async () => {
    const { scope, server, metrics } = await legacyWorld({ headers, acceptHeaders: ['x-tenant', 'x-other'] })
    const parameters = new Map([
      ['x-tenant', 'b'],
      ['x-other', 'c'],
    ])
    const { sink } = call(scope, callRequest(ping(1), { parameters }))
    const arrival = await server.next()
    expect(arrival.headers).toMatchObject({ 'x-tenant': 'a', 'x-other': 'c' })
    arrival.json(200, result(1))
    await sink.end
    expect(metrics.value('causeway_service_parameters_dropped_total', { reason: 'not_accepted' })).toBe(1)
  })

  it('that the relay writes itself, or that no header can carry, are left out', async () => {
    const { scope, server } = await legacyWorld({
      headers: new Map([
        ['host', 'elsewhere'],
        ['content-length', '1'],
        ['accept', 'text/html'],
        ['mcp-session-id', 'x'],
        ['last-event-id', 'x'],
        ['a b', 'x'],
        ['x-broken', 'a\r\nx-injected: b'],
        ['x-fine', 'yes'],
      ]),
    })
    const { sink } = call(scope, callRequest(ping(1)))
    const arrival = await server.next()
    expect(arrival.headers).toMatchObject({
      host: server.url.host,
      accept: 'application/json, text/event-stream',
      'x-fine': 'yes',
    })
    for (const name of ['mcp-session-id', 'last-event-id', 'x-broken', 'x-injected']) {
      expect(arrival.headers).not.toHaveProperty(name)
    }
    arrival.json(200, result(1))
    await sink.end
  })

  it.each([401, 403])('are what is missing or wrong at %i, and the hint says where they stand', async (status) => {
    const { scope, server } = await legacyWorld()
    const { sink } = call(scope, callRequest(ping(1)))
    const arrival = await server.next()
    arrival.json(status, '', { 'www-authenticate': 'Bearer' })
    const failure = await sink.failure()
    expect(failure).toMatchObject({ code: 'BackendAuthRequired', outcome: 1 })
    expect(failure.hint).toContain('spec.mcp.headers')
  })
})
