import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Arrival, type ScriptedServer, scriptedServer } from '../fixtures/http/scripted-server.ts'
import { type MeshHere, startMeshHere } from '../fixtures/mesh/relays-here.ts'
import { eventually, inTime } from '../integration/at-most-once/in-time.ts'
import { causewayOf, LegacyClient, type Replied, replied, textsOf, toolCall } from './legacy-client.ts'
import { resultOf } from './legacy-server.ts'

/** Servers of revision 2024-11-05, which answer on the stream of the session, and what goes wrong with them. */

const QUICK_MS = 6_000
const INITIALIZE = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}'
const NOTE = '{"jsonrpc":"2.0","method":"notifications/x"}'

let server: ScriptedServer
let mesh: MeshHere
/** What GET gets. */
let onGet: (arrival: Arrival, n: number) => void
/** What a request or notification gets that is not `initialize`; the stream is that of its session. */
let onPost: (arrival: Arrival, stream: Arrival) => void
const streams: Arrival[] = []
const clients: LegacyClient[] = []

const endpoint = (arrival: Arrival, n: number) =>
  arrival.stream().raw(`event: endpoint\ndata: /messages?session=${n}\n\n`)
const say = (stream: Arrival, text: string) => stream.response.write(`event: message\ndata: ${text}\n\n`)

beforeAll(async () => {
  server = await scriptedServer((arrival) => {
    if (arrival.method === 'GET') {
      streams.push(arrival)
      onGet(arrival, streams.length - 1)
      return
    }
    const stream = streams[Number(/session=(\d+)/.exec(arrival.path)?.[1])]
    if (stream === undefined) arrival.json(404, '')
    else if (arrival.text.includes('"initialize"')) {
      arrival.json(202, 'Accepted')
      say(stream, resultOf('0', '{"protocolVersion":"2024-11-05","capabilities":{}}'))
    } else onPost(arrival, stream)
  })
  mesh = await startMeshHere({ backends: { old: { url: server.url.href, transport: 'HTTPSSE' } } })
})

beforeEach(() => {
  onGet = endpoint
  onPost = (arrival, stream) => {
    arrival.json(202, 'Accepted')
    const id = /"id":([^,]+)/.exec(arrival.text)?.[1]
    if (id !== undefined && arrival.text.includes('"method"')) say(stream, resultOf(id))
  }
})

afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})

afterAll(async () => {
  await mesh.stop()
  await server.close()
})

async function session(): Promise<LegacyClient> {
  const client = await LegacyClient.connect(mesh.endpoint('old'))
  clients.push(client)
  return client
}

describe('HTTP+SSE', () => {
  it('twenty sessions with id 1 and progress token 1, each told and answered on its own stream (class: progress of others)', async () => {
    onPost = (arrival, stream) => {
      arrival.json(202, '')
      const own = streams.indexOf(stream)
      if (!arrival.text.includes('tools/call')) return
      say(stream, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":${own}}}`)
      say(stream, resultOf('1', `${own}`))
    }
    const sessions = await Promise.all(Array.from({ length: 20 }, session))
    const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":1}}}'
    const answers = await Promise.all(sessions.map((client) => client.post(call)))
    const told = answers.map(({ body }) => textsOf(body).map((text) => JSON.parse(text)))
    expect(told.map(([progress]) => progress.params.progress)).toEqual(told.map(([, reply]) => reply.result))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(20)
  })

  it('an answer that comes before the status of its request, or twice, or for nobody', async () => {
    onPost = (arrival, stream) => {
      for (const id of ['"nobody"', '1', '1']) say(stream, resultOf(id))
      arrival.json(202, '')
    }
    const client = await session()
    expect((await client.call('1', 'x')).text).toBe(resultOf('1'))
  })

  it.each<[string, (arrival: Arrival) => void]>([
    [
      'of another host (class: the endpoint event leads credentials elsewhere)',
      (arrival) => arrival.stream().raw('event: endpoint\ndata: http://127.0.0.1:9/messages\n\n'),
    ],
    ['of another scheme', (arrival) => arrival.stream().raw('event: endpoint\ndata: file:///etc/passwd\n\n')],
    ['that is none', (arrival) => arrival.stream().raw('event: endpoint\ndata: http://[\n\n')],
    ['that never comes, as the stream ends', (arrival) => arrival.stream().end()],
    ['that never comes, as GET is answered 404', (arrival) => arrival.json(404, '')],
    ['that never comes, as GET is answered with JSON', (arrival) => arrival.json(200, '{}')],
  ])('an endpoint %s: initialize fails at once, typed, and no session is left', async (_name, answer) => {
    onGet = answer
    const { http, path } = await loose()
    const before = mesh.tools.metrics.total('causeway_sessions_open')
    const refused = replied(await inTime(http.post(INITIALIZE, {}, path), 'the end of initialize', QUICK_MS))
    expect(causewayOf(refused.text)).toMatchObject({ delivery: 'not_sent' })
    expect(refused.headers).not.toHaveProperty('mcp-session-id')
    await eventually('no session is left', () => mesh.tools.metrics.total('causeway_sessions_open') === before)
  })

  it('a stream that breaks ends what is open with delivery unknown, and the session with 404', async () => {
    let asked: Arrival | undefined
    onPost = (arrival, stream) => {
      arrival.json(202, '')
      if (arrival.text.includes('tools/call')) asked = stream
    }
    const client = await session()
    const call = client.call('1', 'x')
    await eventually('the server has the call', () => asked !== undefined)
    asked?.socket.destroy()
    const answer = await inTime<Replied>(call, 'the end of the call', QUICK_MS)
    expect(causewayOf(answer.text)).toMatchObject({ delivery: 'unknown' })
    expect((await client.call('2', 'x')).status).toBe(404)
  })

  it('what a server says and asks on its stream while a call is open, and while none is', async () => {
    const heard: string[] = []
    onPost = (arrival, stream) => {
      arrival.json(202, '')
      if (arrival.text.includes('tools/call')) {
        say(stream, NOTE)
        say(stream, '{"jsonrpc":"2.0","id":1,"method":"ping"}')
      } else if (arrival.text.includes('"result"')) {
        heard.push(arrival.text)
        say(stream, resultOf('1', '"done"'))
      }
    }
    const client = await session()
    const answer = await client.open(toolCall('1', 'x'))
    await answer.text((text) => text.includes('"ping"'))
    await client.post(resultOf('1', '"pong"'))
    expect(textsOf((await answer.whole()).body)).toEqual([
      NOTE,
      '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      resultOf('1', '"done"'),
    ])
    expect(heard).toEqual([resultOf('1', '"pong"')])
    const listening = await client.listen()
    say(streams.at(-1) as Arrival, NOTE)
    expect(textsOf(await listening.text((text) => text.includes('notifications/x')))).toEqual([NOTE])
    listening.disconnect()
  })

  it('DELETE of the client closes the stream at the server', async () => {
    const client = await session()
    const stream = streams.at(-1)
    expect(await client.end()).toBe(200)
    await inTime(stream?.gone ?? Promise.reject(new Error('no stream')), 'the stream is closed', QUICK_MS)
  })
})

/** Without a session. */
async function loose(): Promise<LegacyClient> {
  const wanted = onGet
  onGet = endpoint
  const client = await session()
  onGet = wanted
  return client
}
