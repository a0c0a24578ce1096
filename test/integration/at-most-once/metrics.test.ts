import { randomBytes } from 'node:crypto'
import { peerHandle, SIGNATURE } from '@causeway/npamp'
import { nodeProvider } from '@causeway/npamp/crypto/node'
import { describe, expect, it } from 'vitest'
import { HttpClient } from '../../fixtures/edge/http-client.ts'
import { startTwoRelays, type TwoRelays, type TwoRelaysOptions } from '../../fixtures/mesh/two-relays.ts'
import { modernCall } from '../clients.ts'
import { eventually, inTime } from './in-time.ts'
import { admin, numbersOf } from './metrics-of.ts'
import { RawCaller } from './raw-caller.ts'
import { type Stand, startStand } from './stand.ts'

/** Runs when the test is over. */
type CleanUp = (end: () => Promise<void>) => void

async function connected(era: 'legacy' | 'modern', url: string, onTestFinished: CleanUp): Promise<RawCaller> {
  const caller = await RawCaller.connect(era, url)
  onTestFinished(() => caller.close())
  return caller
}

/** What every kind of end counts as: on the sides that only the clients see, and on those that the mesh sees. */
interface Expected {
  readonly edge: Record<string, number>
  readonly inside: Record<string, number>
}

describe.concurrent('/metrics of two relays', { timeout: 60_000 }, () => {
  it('adds up with what clients, relays and a backend did', async ({ onTestFinished }) => {
    const stand = await startStand({ routeSpec: { limits: { requestTimeout: '2s' } } })
    onTestFinished(() => stand.stop())
    const { url, backend, mesh } = stand
    for (const relay of [mesh.edge, mesh.tools]) {
      expect(await admin(relay, '/healthz')).toMatchObject({ status: 200 })
      expect(await admin(relay, '/readyz')).toMatchObject({ status: 200 })
    }

    const legacy = await connected('legacy', url, onTestFinished) // One result: initialize.
    const modern = await connected('modern', url, onTestFinished)
    for (const caller of [legacy, legacy, modern, modern, modern]) {
      expect(await caller.run({ key: 'results' })).toMatchObject({ how: 'answer' })
    }
    expect(await stand.sessions()).toEqual({ edge: 1, mesh_out: 1, mesh_in: 1, backend: 1 })

    const { status } = await postOutsideSession(url) // The server's own error.
    expect(status).toBe(404)
    expect(await modern.run({ key: 'rubbish', how: 'rubbish' })).toMatchObject({ delivery: 'unknown' })
    expect(await modern.run({ key: 'deadline', how: 'hang' })).toMatchObject({ delivery: 'unknown' })
    await disconnectDuring(stand, 'disconnect')
    await backend.command('forgetSessions')
    expect(await legacy.run({ key: 'forgotten' })).toMatchObject({ name: 'SessionLost' })
    expect(await legacy.run({ key: 'unknown session' })).toMatchObject({ name: 'SessionLost' }) // No exchange.
    await backend.kill()
    expect(await modern.run({ key: 'not sent' })).toMatchObject({ delivery: 'not_sent' })
    await stand.idle()

    const both = { result: 6, error: 1, unknown: 1, session_lost: 1, not_sent: 1 }
    const expected: Expected = {
      edge: { ...both, deadline: 1, disconnect: 1 },
      inside: { ...both, cancelled: 2 },
    }
    const edge = await numbersOf(mesh.edge)
    const tools = await numbersOf(mesh.tools)
    for (const [numbers, side, outcomes] of [
      [edge, 'edge', expected.edge],
      [edge, 'mesh_out', expected.inside],
      [tools, 'mesh_in', expected.inside],
      [tools, 'backend', expected.inside],
    ] as const) {
      expect(numbers.by('causeway_exchanges_total', 'outcome', { side }), side).toEqual(outcomes)
      const count = Object.values(outcomes).reduce((sum, one) => sum + one)
      expect(numbers.sum('causeway_exchange_duration_seconds_count', { side }), side).toBe(count)
    }
    // 202 for notifications/initialized; of two 404 one is the server's own; a client that has gone got none.
    expect(edge.by('causeway_http_responses_total', 'status')).toEqual({ 200: 9, 202: 1, 404: 3 })
    expect(await stand.sessions()).toEqual({})
    expect(edge.by('causeway_sessions_ended_total', 'side')).toEqual({ edge: 1, mesh_out: 1 })
    expect(tools.by('causeway_sessions_ended_total', 'side')).toEqual({ mesh_in: 1, backend: 1 })

    expect(edge.by('causeway_dials_total', 'result')).toEqual({ ready: 1 })
    expect(edge.by('causeway_handshakes_total', 'result', { role: 'initiator' })).toEqual({ established: 1 })
    expect(tools.by('causeway_handshakes_total', 'result', { role: 'responder' })).toEqual({ established: 1 })
    for (const numbers of [edge, tools]) expect(numbers.sum('causeway_associations_open')).toBe(1)
  })

  it('counts handshakes with somebody else than was pinned, on the side that refuses', async ({ onTestFinished }) => {
    const mesh = await meshOf({ peerSpec: { identity: { handles: [strangersHandle()] } } }, onTestFinished)
    const caller = await connected('modern', mesh.endpoint('nobody'), onTestFinished)
    for (let calls = 1; calls <= 2; calls++) {
      const ending = await inTime(caller.run({ key: 'key' }), 'the call')
      expect(ending).toMatchObject({ name: 'NotDelivered', delivery: 'not_sent' })
      const edge = await numbersOf(mesh.edge)
      expect(edge.by('causeway_handshakes_total', 'result')).toEqual({ identity_refused: calls })
      expect(edge.by('causeway_dials_total', 'result')).toEqual({ identity_refused: calls })
    }
    await eventually('tools has seen both come and go', async () => {
      const tools = await numbersOf(mesh.tools)
      expect(tools.sum('causeway_handshakes_total', { result: 'established' })).toBe(0)
      return tools.sum('causeway_handshakes_total', { role: 'responder' }) === 2
    })
  })

  it('counts handshakes with somebody whom it does not list, on the side that refuses', async ({ onTestFinished }) => {
    const mesh = await meshOf({ edgePeerSpec: { identity: { handles: [strangersHandle()] } } }, onTestFinished)
    const caller = await connected('modern', mesh.endpoint('nobody'), onTestFinished)
    const ending = await inTime(caller.run({ key: 'key' }), 'the call')
    expect(ending).toMatchObject({ name: 'NotDelivered', delivery: 'not_sent' })
    const [edge, tools] = await Promise.all([numbersOf(mesh.edge), numbersOf(mesh.tools)])
    const refused = tools.by('causeway_handshakes_total', 'result', { role: 'responder' })
    expect(Object.keys(refused)).toEqual(['identity_refused'])
    expect(edge.sum('causeway_dials_total', { result: 'ready' })).toBe(0)
    for (const numbers of [edge, tools]) expect(numbers.sum('causeway_associations_open')).toBe(0)
  })
})

async function postOutsideSession(url: string): Promise<{ status: number }> {
  const { port, pathname } = new URL(url)
  const http = new HttpClient(Number(port))
  try {
    return await http.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {}, pathname)
  } finally {
    http.close()
  }
}

/** A modern client that goes away while its call runs. */
async function disconnectDuring({ url, backend }: Stand, key: string): Promise<void> {
  const { port, pathname } = new URL(url)
  const http = new HttpClient(Number(port))
  const { body, headers } = modernCall('run', { key, how: 'holdAnswer' })
  const sent = http.send(body, headers, pathname)
  await backend.command('reached', key)
  sent.disconnect()
  http.close()
}

/** Whose backend nobody gets to. */
async function meshOf(options: Omit<TwoRelaysOptions, 'backends'>, onTestFinished: CleanUp): Promise<TwoRelays> {
  const mesh = await startTwoRelays({ ...options, backends: { nobody: 'http://127.0.0.1:1/mcp' } })
  onTestFinished(() => mesh.stop())
  return mesh
}

function strangersHandle(): string {
  const provider = nodeProvider()
  return peerHandle(SIGNATURE.ED25519, randomBytes(32), (data) => provider.hash('sha256', data))
}
