import { request } from 'node:https'
import { connect } from 'node:tls'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type EdgeHarness,
  type EdgeHarnessOptions,
  edgeHarness,
  INITIALIZE,
  legacy,
} from '../../../../test/fixtures/edge/edge-harness.ts'
import { mintCertificate, type TestCertificate } from '../../../../test/fixtures/http/certificate.ts'

let server: TestCertificate
let alice: TestCertificate
let bob: TestCertificate
let mallory: TestCertificate
beforeAll(async () => {
  const names = ['127.0.0.1', 'alice.example', 'bob.example', 'mallory.example']
  const [first, second, third, fourth] = await Promise.all(names.map(mintCertificate))
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) throw new Error()
  ;[server, alice, bob, mallory] = [first, second, third, fourth]
})

let harness: EdgeHarness
async function edge(options: EdgeHarnessOptions): Promise<void> {
  harness = await edgeHarness(options)
  harness.target.script = (call) => call.result()
}
afterEach(async () => {
  harness.client.close()
  await harness.edge.stop(0)
})

interface Sent {
  readonly as?: TestCertificate
  readonly method?: string
  readonly headers?: Record<string, string>
}

/** One request over a connection of its own. */
function send(body: string, { as, method = 'POST', headers = {} }: Sent = {}) {
  return new Promise<{ status: number; session: string; body: string }>((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: harness.listener.address.port,
        path: '/mcp',
        method,
        ca: server.cert,
        agent: false,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        ...(as !== undefined && { cert: as.cert, key: as.key }),
      },
      (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString()
        })
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            session: String(response.headers['mcp-session-id']),
            body: text,
          }),
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

describe('a listener with TLS', () => {
  it('serves HTTPS to clients without a certificate, and plain HTTP to nobody', async () => {
    await edge({ tls: server })
    expect(await send(legacy('tools/list'))).toMatchObject({
      status: 200,
      body: '{"jsonrpc":"2.0","id":1,"result":{}}',
    })
    await expect(harness.client.post(legacy('tools/list'))).rejects.toThrow()
    expect(harness.target.calls).toHaveLength(1)
  })

  it('speaks TLS 1.3, and nothing before 1.2', async () => {
    await edge({ tls: server })
    const socket = connect({ port: harness.listener.address.port, host: '127.0.0.1', ca: server.cert })
    await new Promise<void>((resolve) => socket.once('secureConnect', resolve))
    expect(socket.getProtocol()).toBe('TLSv1.3')
    socket.destroy()
    const old = connect({
      port: harness.listener.address.port,
      host: '127.0.0.1',
      ca: server.cert,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
    })
    await new Promise<void>((resolve) => old.once('error', () => resolve()))
  })

  it('rejects what is no certificate before it listens', async () => {
    await edge({})
    await expect(edgeHarness({ tls: { cert: 'x', key: 'y' } })).rejects.toThrow()
  })
})

describe('a listener that knows its clients by certificates', () => {
  const clientCa = () => `${alice.cert}\n${bob.cert}`

  it('serves those that its authority has signed, and gives a session to nobody but who opened it', async () => {
    await edge({ tls: { ...server, clientCa: clientCa() } })
    const { session } = await send(INITIALIZE, { as: alice })
    const headers = { 'mcp-session-id': session }
    expect((await send(legacy('ping'), { as: alice, headers })).status).toBe(200)
    expect((await send(legacy('ping'), { as: bob, headers })).status).toBe(404)
    expect((await send('', { as: bob, headers, method: 'DELETE' })).status).toBe(404)
    expect(
      (await send('', { as: bob, headers: { ...headers, accept: 'text/event-stream' }, method: 'GET' })).status,
    ).toBe(404)
    expect((await send(legacy('ping'), { as: alice, headers })).status).toBe(200)
  })

  it('bounds the sessions of each of them, and says which limit it was', async () => {
    await edge({ tls: { ...server, clientCa: clientCa() }, limits: { sessionsPerPrincipal: 1 } })
    expect((await send(INITIALIZE, { as: alice })).status).toBe(200)
    const refused = await send(INITIALIZE, { as: alice })
    expect(refused.status).toBe(503)
    expect(JSON.parse(refused.body).error).toMatchObject({
      code: -33113,
      data: { causeway: { code: 'QuotaExceeded' } },
    })
    expect(refused.body).toContain('limits.sessionsPerPrincipal')
    expect((await send(INITIALIZE, { as: bob })).status).toBe(200)
  })

  it('refuses everybody else with 403, but answers preflights, which show no certificate', async () => {
    await edge({ tls: { ...server, clientCa: clientCa() } })
    for (const as of [undefined, mallory]) {
      const options = as === undefined ? {} : { as }
      const refused = await send(legacy('ping'), options)
      expect(refused.status).toBe(403)
      expect(JSON.parse(refused.body).error.data.causeway).toMatchObject({ code: 'Forbidden', delivery: 'not_sent' })
    }
    const headers = { origin: 'https://localhost', 'access-control-request-method': 'POST' }
    expect((await send('', { method: 'OPTIONS', headers })).status).toBe(204)
    expect(harness.target.calls).toEqual([])
  })

  it('tells facts of tools by who calls', async () => {
    const contexts: string[] = []
    const facts = {
      effectOf: (_message: unknown, _method: string, scope: { context: string }) => {
        contexts.push(scope.context)
        return 0 as const
      },
      listing: () => () => {},
      listChanged() {},
      forget() {},
      forgetTargets() {},
    }
    await edge({ tls: { ...server, clientCa: clientCa() }, facts })
    for (const as of [alice, bob]) await send(legacy('tools/call'), { as })
    expect(contexts).toEqual(['principal:CN=alice.example', 'principal:CN=bob.example'])
  })
})
