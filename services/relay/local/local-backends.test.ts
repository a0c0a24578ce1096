import { createLogger, createMetrics } from '@causeway/telemetry'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../test/fixtures/edge/virtual-clock.ts'
import { RecordingSink } from '../../../test/fixtures/http/recording-sink.ts'
import { callRequest, modernRequest, newSession } from '../../../test/fixtures/mesh/calls.ts'
import { ToldServer } from '../../../test/integration/live-configuration/told-server.ts'
import type { HttpBackendConfig, RelayLimits, StdioBackendConfig } from '../config/relay-config.ts'
import type { CallRequest, Session } from '../exchanges/contract.ts'
import { LocalBackends } from './local-backends.ts'
import { sameServer } from './same-server.ts'

const LIMITS = {
  maxHeaderOctets: 16_384,
  maxReplyOctets: 1_000_000,
  sessionsPerRoute: 100,
  drainMs: 5_000,
} as RelayLimits

let servers: { one: ToldServer; two: ToldServer }
let backends: LocalBackends
let clock: VirtualClock
let lost: string[]
let healthChanges = 0
beforeEach(async () => {
  servers = { one: await ToldServer.open('one'), two: await ToldServer.open('two') }
  clock = new VirtualClock()
  lost = []
  backends = new LocalBackends({
    limits: LIMITS,
    environment: {},
    clock,
    logger: createLogger({ destination: { write() {} } }),
    metrics: createMetrics(),
    onSessionLost: (id) => lost.push(id),
    onHealthChanged: () => healthChanges++,
  })
})
afterEach(async () => {
  await backends.close()
  await Promise.all([servers.one.close(), servers.two.close()])
})

function at(server: ToldServer, changes: Partial<HttpBackendConfig> = {}): HttpBackendConfig {
  return {
    kind: 'http',
    name: 'default/b',
    wireName: 'b',
    peers: new Set(['default/p']),
    url: new URL(server.url),
    transport: 'streamableHttp',
    headers: new Map(),
    acceptHeaders: [],
    connectTimeoutMs: undefined,
    firstHeaderTimeoutMs: undefined,
    maxConcurrency: undefined,
    ...changes,
  }
}

function ask(request: CallRequest): RecordingSink {
  const sink = new RecordingSink()
  backends.edgeTarget('default/b').call(request, sink)
  return sink
}

/** Which server answers, and what the backend says to it. */
async function answer(request: CallRequest = modernRequest()): Promise<string> {
  const end = await ask(request).end
  if (!('octets' in end)) return end.code
  const { server, said } = (JSON.parse(Buffer.from(end.octets).toString()) as { result: Record<string, string> }).result
  return [server, said].filter((text) => text !== null).join(' ')
}

async function opened(): Promise<Session> {
  const session = newSession()
  await ask(callRequest({ method: 'initialize', session, params: '{"protocolVersion":"2025-11-25"}' })).replyText()
  return session
}

const inSession = (session: Session, name = 'echo') => callRequest({ session, params: `{"name":"${name}"}` })

describe('a backend', () => {
  it('is called by who had its target before it was there, and not any more when it is gone', async () => {
    expect(await answer()).toBe('NotDelivered')
    backends.set(at(servers.one))
    expect(await answer()).toBe('one')
    backends.remove('default/b')
    const { message } = await ask(modernRequest()).failure()
    expect(message).toBe('backend/default/b is not configured on this relay')
  })

  it('with other headers and limits is the same one: its sessions go on', async () => {
    backends.set(at(servers.one))
    const session = await opened()
    backends.set(
      at(servers.one, { headers: new Map([['x-said', 'hello']]), connectTimeoutMs: 5_000, maxConcurrency: 3 }),
    )
    expect(await answer(inSession(session))).toBe('one hello')
    backends.setLimits({ ...LIMITS, maxReplyOctets: 10 })
    const sink = ask(inSession(session))
    expect((await sink.failure()).message).toContain('10 octets')
    expect(lost).toEqual([])
  })

  it('at another place is another one: new calls go there, its sessions are lost', async () => {
    backends.set(at(servers.one))
    const session = await opened()
    backends.set(at(servers.two))
    expect(await answer()).toBe('two')
    expect(lost).toEqual([session.id])
    expect(await answer(inSession(session))).toBe('SessionLost')
    await expect.poll(() => servers.one.sessions).toBe(0)
  })

  it('that is replaced answers what is open, in the session that it is open in', async () => {
    backends.set(at(servers.one))
    const session = await opened()
    const [loose, held] = [ask(modernRequest({ params: HOLD })), ask(inSession(session, 'hold'))]
    await expect.poll(() => servers.one.held).toBe(2)
    backends.set(at(servers.two))
    expect(lost).toEqual([])
    expect(await answer(inSession(session))).toBe('one')
    servers.one.endAll()
    expect(await loose.replyText()).toContain('"ended":true')
    expect(await held.replyText()).toContain('"ended":true')
    await expect.poll(() => lost).toEqual([session.id])
    expect(await answer(inSession(session))).toBe('SessionLost')
  })

  it('that is replaced, and does not answer in time, is given up', async () => {
    backends.set(at(servers.one))
    const loose = ask(modernRequest({ params: HOLD }))
    await expect.poll(() => servers.one.held).toBe(1)
    backends.set(at(servers.two))
    clock.advance(5_000)
    expect((await loose.failure()).message).toBe('the relay closed this backend')
  })
})

describe('peers', () => {
  it('find a backend by its wire name where it is for them', () => {
    const found = (wireName: string, peer = 'default/p') => backends.find(wireName, peer)?.constructor.name
    expect(backends.set(at(servers.one))).toEqual({ grants: true, server: false })
    expect([found('b'), found('b', 'default/q'), found('x')]).toEqual(['BackendSlot', undefined, undefined])
    expect(backends.set(at(servers.one, { connectTimeoutMs: 5 }))).toEqual({ grants: false, server: false })
    expect(backends.set(at(servers.one, { wireName: 'x' }))).toEqual({ grants: true, server: false })
    expect([found('b'), found('x')]).toEqual([undefined, 'BackendSlot'])
    expect(backends.set(at(servers.one, { wireName: 'x', peers: new Set(['default/q']) })).grants).toBe(true)
    expect([found('x'), found('x', 'default/q')]).toEqual([undefined, 'BackendSlot'])
  })

  it('find another server behind the same name', () => {
    backends.set(at(servers.one))
    expect(backends.set(at(servers.two))).toEqual({ grants: false, server: true })
  })

  it('find the right one where two exchange their names', () => {
    const other = (wireName: string) => at(servers.two, { name: 'default/c', wireName })
    backends.set(at(servers.one))
    backends.set(other('c'))
    const [one, two] = [backends.find('b', 'default/p'), backends.find('c', 'default/p')]
    backends.set(at(servers.one, { wireName: 'c' }))
    backends.set(other('b'))
    expect([backends.find('c', 'default/p'), backends.find('b', 'default/p')]).toEqual([one, two])
  })
})

describe('how a backend is', () => {
  const health = () => [...backends.health()].map(({ name, health: of }) => ({ name, ...of }))

  it('is known from what calls show', async () => {
    backends.set(at(servers.one))
    expect(health()).toEqual([{ name: 'default/b', reachable: undefined, message: '', authorized: undefined }])
    await answer()
    expect(health()).toMatchObject([{ reachable: true, authorized: true }])
    const before = healthChanges
    backends.set(at(servers.one, { url: new URL('http://127.0.0.1:9/mcp') }))
    await answer()
    expect(health()).toMatchObject([{ reachable: false, message: expect.stringContaining('connection refused') }])
    expect(healthChanges).toBe(before + 1)
  })
})

describe('the same server', () => {
  const stdio = (changes: Partial<StdioBackendConfig> = {}): StdioBackendConfig => ({
    kind: 'stdio',
    name: 'default/b',
    wireName: 'b',
    peers: new Set(),
    command: 'npx',
    args: ['-y'],
    env: new Map([['KEY', 'v']]),
    inheritEnv: [],
    cwd: undefined,
    maxProcesses: 8,
    maxSessionProcesses: 32,
    maxQueued: 64,
    ...changes,
  })

  it('is one at the same place, or the same program', () => {
    expect(sameServer(stdio(), stdio({ maxProcesses: 1, wireName: 'c' }))).toBe(true)
    for (const changes of [{ command: 'x' }, { args: [] }, { env: new Map() }, { inheritEnv: ['A'] }, { cwd: '/' }]) {
      expect(sameServer(stdio(), stdio(changes))).toBe(false)
    }
    const here = at(servers.one)
    expect(sameServer(here, { ...here, headers: new Map([['a', 'b']]) })).toBe(true)
    expect(sameServer(here, { ...here, transport: 'httpSse' })).toBe(false)
    expect(sameServer(here, at(servers.two))).toBe(false)
    expect(sameServer(here, stdio())).toBe(false)
  })
})

const HOLD = '{"name":"hold","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}'
