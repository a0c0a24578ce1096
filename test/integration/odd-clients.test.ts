import { describe, expect, it } from 'vitest'
import { HttpClient } from '../fixtures/edge/http-client.ts'
import { type Arrival, type ScriptedServer, scriptedServer } from '../fixtures/http/scripted-server.ts'
import { type MeshHere, startMeshHere } from '../fixtures/mesh/relays-here.ts'
import { cleanUp, closed, stopped } from './clean-up.ts'
import { modernCall } from './clients.ts'

const PATH = '/odd/mcp'

async function meshOf(answer?: (arrival: Arrival) => void): Promise<{ mesh: MeshHere; server: ScriptedServer }> {
  const server = await closed(scriptedServer(answer))
  const mesh = await stopped(startMeshHere({ backends: { odd: server.url.href } }))
  return { mesh, server }
}

function httpClient(mesh: MeshHere): HttpClient {
  return cleanUp(new HttpClient(mesh.edge.addresses.mcp?.port ?? 0), (client) => client.close())
}

/** Resolves when a number that the relays count is what it should be. */
async function counted(read: () => number, value: number): Promise<void> {
  while (read() !== value) await new Promise((resolve) => setTimeout(resolve, 5))
}

function openExchanges({ edge, tools }: MeshHere): number {
  return edge.metrics.total('causeway_exchanges_open') + tools.metrics.total('causeway_exchanges_open')
}

describe('clients that go away', () => {
  it('a modern client that disconnects cancels its request, all the way to the server', async () => {
    const { mesh, server } = await meshOf()
    const { body, headers } = modernCall('t', {})
    const sent = httpClient(mesh).send(body, headers, PATH)
    const arrival = await server.next()
    sent.disconnect()
    await arrival.gone
    await counted(() => openExchanges(mesh), 0)
    expect(mesh.tools.metrics.value('causeway_exchanges_total', { side: 'mesh_in', outcome: 'cancelled' })).toBe(1)
  })

  it('a legacy client that disconnects cancels nothing: its request runs to its end', async () => {
    const { mesh, server } = await meshOf((arrival) => {
      if (arrival.text.includes('"initialize"')) {
        arrival.json(200, '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}', {
          'mcp-session-id': 's',
        })
      } else if (arrival.method === 'DELETE') arrival.json(204, '')
      else if (arrival.text.includes('"ping"')) arrival.json(200, '{"jsonrpc":"2.0","id":3,"result":{}}')
    })
    const http = httpClient(mesh)
    const opened = await http.post('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', {}, PATH)
    await server.next()
    const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    const sent = http.send('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}}', session, PATH)
    const arrival = await server.next()
    sent.disconnect()
    // The session goes on meanwhile, and nobody has told the server of a cancel.
    const ping = await httpClient(mesh).post('{"jsonrpc":"2.0","id":3,"method":"ping"}', session, PATH)
    expect(ping.body).toContain('data: {"jsonrpc":"2.0","id":3,"result":{}}\n')
    expect(arrival.socket.destroyed).toBe(false)
    arrival.json(200, '{"jsonrpc":"2.0","id":2,"result":{}}')
    await counted(() => openExchanges(mesh), 0)
    expect(server.arrivals.map(({ text }) => JSON.parse(text).method)).toEqual(['initialize', 'tools/call', 'ping'])
    expect(mesh.tools.metrics.value('causeway_exchanges_total', { side: 'mesh_in', outcome: 'result' })).toBe(3)
  })
})

describe('clients that do not read', () => {
  const event = `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${'x'.repeat(64 * 1024)}"}}`

  it('a client that never reads its events loses its own exchange, and nobody else notices', async () => {
    const { mesh, server } = await meshOf((arrival) => {
      if (arrival.headers['mcp-name'] === 'quick') arrival.json(200, `{"jsonrpc":"2.0","id":1,"result":{"quick":true}}`)
    })
    const lazy = modernCall('endless', {})
    const opening = httpClient(mesh).open(lazy.body, lazy.headers, PATH)
    const arrival = await server.next()
    const stream = arrival.stream()
    stream.event(event)
    const answer = await opening
    answer.pause()
    let flooding = true
    void arrival.gone.then(() => {
      flooding = false
    })
    while (flooding) {
      stream.event(event)
      const quick = modernCall('quick', {}, 1)
      expect((await httpClient(mesh).post(quick.body, quick.headers, PATH)).body).toContain('"quick":true')
    }
    await counted(() => openExchanges(mesh), 0)
    expect(
      mesh.edge.metrics.value('causeway_associations_closed_total', { peer: 'default/tools', reason: 'dead' }),
    ).toBe(0)
  })

  it('a client that reads late gets everything, in order', async () => {
    const { mesh, server } = await meshOf()
    const { body, headers } = modernCall('t', {}, 1)
    const opening = httpClient(mesh).open(body, headers, PATH)
    const stream = (await server.next()).stream()
    stream.event('{"jsonrpc":"2.0","method":"notifications/message","params":{"data":0}}')
    const answer = await opening
    answer.pause()
    for (let n = 1; n < 40; n++) {
      stream.event(
        `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":${n},"pad":"${'x'.repeat(64 * 1024)}"}}`,
      )
    }
    stream.event('{"jsonrpc":"2.0","id":1,"result":{}}')
    stream.end()
    await counted(() => mesh.tools.metrics.total('causeway_exchanges_open'), 0)
    answer.resume()
    const { body: text } = await answer.whole()
    const numbers = [...text.matchAll(/"data":(\d+)/g)].map(([, digits]) => Number(digits))
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, n) => n))
    expect(text).toContain('"result":{}')
  })
})
