import { describe, expect, it } from 'vitest'
import { startMeshHere } from '../fixtures/mesh/relays-here.ts'
import { eventually, inTime } from '../integration/at-most-once/in-time.ts'
import { cleanUp, closed, stopped } from '../integration/clean-up.ts'
import { LegacyClient } from './legacy-client.ts'
import { LegacyServer, resultOf } from './legacy-server.ts'

/** Less than the 10 s that a stopping relay waits for calls: nothing here is one. */
const QUICK_MS = 6_000
const SESSIONS = 5

async function world() {
  const server = await closed(LegacyServer.open())
  const mesh = await stopped(startMeshHere({ backends: { odd: server.url } }))
  const clients = await Promise.all(
    Array.from({ length: SESSIONS }, async () =>
      cleanUp(await LegacyClient.connect(mesh.endpoint('odd')), (client) => client.close()),
    ),
  )
  const streams = await Promise.all(clients.map((client) => client.listen()))
  const deletions = () => server.http.arrivals.filter(({ method }) => method === 'DELETE').length
  return { server, mesh, clients, streams, deletions }
}

describe('relays that stop in good order, sessions with open streams on them (class: a restart waits for idle streams, sessions leak)', () => {
  it('the edge: streams end at once, and the server is told that the sessions are over', async () => {
    const { mesh, streams, deletions } = await world()
    await inTime(mesh.edge.drain(), 'the edge has stopped', QUICK_MS)
    await Promise.all(
      streams.map((stream) =>
        inTime(
          stream.whole().catch(() => {}),
          'a stream has ended',
          QUICK_MS,
        ),
      ),
    )
    await eventually('the server knows', () => deletions() === SESSIONS)
    expect(mesh.tools.metrics.total('causeway_sessions_open')).toBe(0)
  })

  it('the far relay: the server is told, the streams of the clients end, and 404 says that the sessions are lost', async () => {
    const { mesh, clients, streams, deletions } = await world()
    await inTime(mesh.tools.drain(), 'the far relay has stopped', QUICK_MS)
    expect(deletions()).toBe(SESSIONS)
    await Promise.all(streams.map((stream) => inTime(stream.whole(), 'a stream has ended', QUICK_MS)))
    for (const client of clients) expect((await client.call('1', 'any')).status).toBe(404)
  })

  it('the far relay, a question being open: it may still be answered, and its call ends with the answer', async () => {
    const { mesh, server, clients, deletions } = await world()
    const asked = clients[0] as LegacyClient
    server.tool('ask', ({ arrival, id }) => {
      const stream = arrival.stream().event('{"jsonrpc":"2.0","id":1,"method":"ping"}')
      void arrival.gone.then(() => stream.event(resultOf(id)))
    })
    const answer = await asked.openCall('1', 'ask')
    await answer.text((text) => text.includes('"ping"'))
    const stopping = mesh.tools.drain()
    // It is a call like any other: it may still be answered while the relay drains.
    await asked.post(resultOf('1'))
    const session = server.http.arrivals.find(({ text }) => text.includes('"ask"'))?.headers['mcp-session-id']
    expect(await server.heard(String(session), (said) => said.includes(resultOf('1')))).toContain(resultOf('1'))
    server.http.arrivals.find(({ text }) => text.includes('"ask"'))?.response.end(`data: ${resultOf('1')}\n\n`)
    expect((await answer.whole()).body).toContain('"result"')
    await inTime(stopping, 'the far relay has stopped', QUICK_MS)
    expect(deletions()).toBe(SESSIONS)
  })
})
