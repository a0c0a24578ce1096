import { connect } from 'node:net'
import { requirement } from '@causeway/test/requirements'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type EdgeHarness,
  type EdgeHarnessOptions,
  edgeHarness,
  legacy,
  modern,
  modernHeaders,
  openSession,
} from '../../../../test/fixtures/edge/edge-harness.ts'
import { HttpClient } from '../../../../test/fixtures/edge/http-client.ts'
import { ScriptedTarget } from '../../../../test/fixtures/edge/scripted-target.ts'
import type { Route } from '../../router/route.ts'
import { buildRouteTable } from '../../router/route-table.ts'

let harness: EdgeHarness
const clients: HttpClient[] = []

afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  harness.client.close()
  await harness.edge.stop(0)
})

async function edge(options: EdgeHarnessOptions = {}): Promise<EdgeHarness> {
  harness = await edgeHarness(options)
  return harness
}

const CALL = [modern('tools/call', { name: 't' }), modernHeaders('tools/call', 't')] as const
const route = (target: ScriptedTarget, changes: Partial<Route> = {}): Route => ({
  name: 'default/mcp',
  path: '/mcp',
  target,
  limits: {},
  ...changes,
})
const NONE = new Set<string>()

describe('routes that change', () => {
  it('are those of the next request; what is open goes on', async () => {
    const { edge: served, client, target } = await edge()
    const open = client.send(...CALL)
    const call = await target.callNumber(0)
    served.setRoutes(buildRouteTable([route(target, { path: '/new' })]), NONE, 1_000)
    call.result()
    expect((await (await open.head()).whole()).status).toBe(200)
    expect((await client.post(...CALL)).status).toBe(404)
    target.script = (one) => one.result()
    expect((await client.post(...CALL, '/new')).status).toBe(200)
  })

  it('count from when the whole request is there', async () => {
    const { edge: served, listener, target } = await edge()
    const socket = connect(listener.address.port, '127.0.0.1')
    const answered = new Promise<string>((resolve) => socket.once('data', (octets) => resolve(octets.toString())))
    const [body, headers] = CALL
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    )
    await harness.client.post('{}', {}, '/nowhere')
    served.setRoutes(buildRouteTable([]), NONE, 1_000)
    socket.write(body.slice(10))
    expect(await answered).toMatch(/^HTTP\/1\.1 404 /)
    expect(target.calls).toEqual([])
    socket.destroy()
  })

  it(`${requirement('RLY-019')} keep their sessions while they lead to the same target, whatever else of them changes`, async () => {
    const of = await edge()
    const session = await openSession(of)
    of.edge.setRoutes(buildRouteTable([route(of.target, { limits: { sessions: 1 } })]), NONE, 1_000)
    of.target.script = (call) => call.result()
    expect((await of.client.post(legacy('ping'), session)).status).toBe(200)
  })

  it(`${requirement('RLY-019')} end their sessions when they lead elsewhere: 404, and the old target is told`, async () => {
    const of = await edge()
    const session = await openSession(of)
    const other = new ScriptedTarget()
    of.edge.setRoutes(buildRouteTable([route(other)]), new Set(['default/mcp']), 1_000)
    expect((await of.client.post(legacy('ping'), session)).status).toBe(404)
    expect(of.target.ended.map(({ reason }) => reason)).toEqual(['policy'])
    expect(other.calls).toEqual([])
    expect(of.edge.openSessions).toBe(0)
  })

  it('tell the old target of such a session when its last call has its answer', async () => {
    const of = await edge()
    const session = await openSession(of)
    const open = of.client.send(legacy('tools/call', { name: 't' }), session)
    const call = await of.target.callNumber(1)
    of.edge.setRoutes(buildRouteTable([]), new Set(['default/mcp']), 1_000)
    expect(of.target.ended).toEqual([])
    call.result()
    expect((await (await open.head()).whole()).status).toBe(200)
    expect(of.target.ended).toHaveLength(1)
  })

  it('wait no longer for that than they are told', async () => {
    const of = await edge()
    const session = await openSession(of)
    of.client.send(legacy('tools/call', { name: 't' }), session)
    await of.target.callNumber(1)
    of.edge.setRoutes(buildRouteTable([]), new Set(['default/mcp']), 1_000)
    of.clock.advance(1_000)
    expect(of.target.ended).toHaveLength(1)
  })
})

describe('limits that change', () => {
  it('are those of the next request and session', async () => {
    const of = await edge()
    await openSession(of)
    of.edge.setLimits({ maxBodyOctets: 10, sessionsPerRoute: 1 })
    expect((await of.client.post(...CALL)).status).toBe(413)
    of.edge.setLimits({ maxBodyOctets: 10_000 })
    expect((await of.client.post(legacy('initialize', {}, 0))).status).toBe(503)
    of.edge.setLimits({ sessionsPerRoute: 2 })
    await openSession(of)
    expect(of.edge.openSessions).toBe(2)
  })

  it('end sessions that are idle for longer than they may be now', async () => {
    const of = await edge({ limits: { sessionIdleMs: 3_600_000 } })
    await openSession(of)
    of.edge.setLimits({ sessionIdleMs: 1_000 })
    of.clock.advance(2_000)
    expect(of.edge.openSessions).toBe(0)
  })
})

describe('a configuration that is too old', () => {
  it('lets clients do nothing but read', async () => {
    const of = await edge()
    of.target.script = (call) => call.result()
    of.edge.denyUnlessReadOnly(true)
    const denied = await of.client.post(...CALL)
    expect(denied.body).toContain('"code":-33111')
    expect(denied.body).toContain('not_sent')
    expect(of.target.calls).toEqual([])
    const list = await of.client.post(modern('tools/list'), modernHeaders('tools/list'))
    expect(list.body).toContain('"result"')
    of.edge.denyUnlessReadOnly(false)
    expect((await of.client.post(...CALL)).body).toContain('"result"')
  })
})

describe('a listener that takes the place of another', () => {
  it('serves the sessions of the one before; what is open there goes on, and its connections end with it', async () => {
    const of = await edge()
    const session = await openSession(of)
    const open = of.client.send(...CALL)
    const call = await of.target.callNumber(1)
    const next = await of.edge.listen({ host: '127.0.0.1', port: 0 })
    const left = of.listener.leave(60_000)
    const client = new HttpClient(next.address.port)
    clients.push(client)
    of.target.script = (one) => one.result()
    expect((await client.post(legacy('ping'), session)).status).toBe(200)
    await expect(of.client.post(...CALL)).rejects.toThrow()
    call.result()
    const answer = await (await open.head()).whole()
    expect(answer.status).toBe(200)
    await left
  })

  it('closes what is still open on the old one after a while', async () => {
    const of = await edge()
    const open = of.client.send(...CALL)
    await of.target.callNumber(0)
    const left = of.listener.leave(1_000)
    of.clock.advance(1_000)
    await left
    await expect(open.head()).rejects.toThrow()
  })

  it('hangs up on clients that only listen, who come back to the new one', async () => {
    const of = await edge()
    const session = await openSession(of)
    const stream = await of.client.events(session)
    await of.listener.leave(60_000)
    expect((await stream.whole()).status).toBe(200)
    expect(of.edge.openSessions).toBe(1)
  })

  it('can be stopped together with the one that is still leaving', async () => {
    const of = await edge()
    of.client.send(...CALL)
    await of.target.callNumber(0)
    await of.edge.listen({ host: '127.0.0.1', port: 0 })
    const left = of.listener.leave(60_000)
    await of.edge.stop(0)
    await left
  })
})

it('who may come in can change while a listener is open', async () => {
  const of = await edge()
  of.target.script = (call) => call.result()
  const [body, headers] = CALL
  const from = { ...headers, host: 'mcp.example' }
  expect((await of.client.post(body, from)).status).toBe(403)
  of.listener.setDoor({ allowedHosts: ['mcp.example'] })
  expect((await of.client.post(body, from)).status).toBe(200)
  of.listener.setDoor({})
  expect((await of.client.post(body, from)).status).toBe(403)
})
