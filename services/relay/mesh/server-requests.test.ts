import { EFFECT, OUTCOME } from '@causeway/npamp'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import type { ScriptedCall } from '../../../test/fixtures/edge/scripted-target.ts'
import { callRequest, modernRequest, newSession, start } from '../../../test/fixtures/mesh/calls.ts'
import { type EdgeAndToolsOptions, edgeAndTools } from '../../../test/fixtures/mesh/edge-and-tools.ts'
import {
  AskableSink,
  ask,
  RecordingAnswer,
  type RecordingClient,
  serverRequest,
  sessionWithClient,
} from '../../../test/fixtures/mesh/server-requests.ts'
import type { Session, SessionClient } from '../exchanges/contract.ts'

const MIB = 1024 * 1024

/** A session of a client at the edge, and that client as the server behind `tools` speaks to it. */
async function open(mesh: ReturnType<typeof edgeAndTools>, session: Session = sessionWithClient()) {
  start(mesh.target, callRequest({ method: 'initialize', session }))
  await mesh.network.settle()
  const server = mesh.backend.calls.at(-1)?.request.session?.client
  if (server === undefined) throw new Error('the backend was given no client')
  return { session, client: session.client as RecordingClient, server: server as SessionClient }
}

async function opened(options: EdgeAndToolsOptions = {}) {
  const mesh = edgeAndTools({ towardsTools: { associations: 1 }, ...options })
  return { mesh, ...(await open(mesh)) }
}

/** An open call in that session, and its caller. */
async function calling(mesh: ReturnType<typeof edgeAndTools>, request = callRequest({ id: '7' })) {
  mesh.backend.script = () => {}
  const sink = new AskableSink()
  const handle = mesh.target.call(request, sink)
  await mesh.network.settle()
  return { sink, handle, call: mesh.backend.calls.at(-1) as ScriptedCall }
}

const openExchanges = (mesh: ReturnType<typeof edgeAndTools>) => ({
  out: mesh.tools.metrics.value('causeway_exchanges_open', { side: 'mesh_out' }),
  in: mesh.edge.metrics.value('causeway_exchanges_open', { side: 'mesh_in' }),
})

describe('a request of a server outside any call', () => {
  it.each(['sampling/createMessage', 'elicitation/create', 'roots/list', 'ping', 'tasks/get', 'vendor/unheard'])(
    `${requirement('MCP-012', 'MCP-014')} %s crosses octet for octet, and its answer comes back so`,
    async (method) => {
      const { mesh, client, server } = await opened()
      const request = serverRequest({ method, id: '9007199254740993', params: '{ "b":1.0e+2, "a":[] }' })
      const { answer } = ask(server, request)
      await mesh.network.settle()
      expect(client.heard).toEqual([Buffer.from(request.octets).toString()])
      client.asked[0]?.result('{ "z":1.0 ,"a":"\\u0041" }')
      await mesh.network.settle()
      expect(answer.told).toEqual(['{"jsonrpc":"2.0","id":9007199254740993,"result":{ "z":1.0 ,"a":"\\u0041" }}'])
      expect(openExchanges(mesh)).toEqual({ out: 0, in: 0 })
    },
  )

  it(`${requirement('MCP-011', 'MCP-008')} the client's error is the answer, with code, message and data`, async () => {
    const { mesh, client, server } = await opened()
    const { answer } = ask(server, serverRequest({ id: '"e"' }))
    await mesh.network.settle()
    const text = '{"jsonrpc":"2.0","id":"e","error":{"code":-1,"message":"User rejected","data":{"x":[1.50]}}}'
    client.asked[0]?.error(text)
    await mesh.network.settle()
    expect(answer.told).toEqual([text])
  })

  it(`${requirement('MCP-029', 'MCP-023')} carries the effect that its relay gave it`, async () => {
    const { mesh, client, server } = await opened()
    ask(server, serverRequest({ id: '1' }))
    ask(server, serverRequest({ id: '2', method: 'roots/list' }))
    ask(server, serverRequest({ id: '3', method: 'vendor/x' }))
    await mesh.network.settle()
    const effects = client.asked.map(({ request }) => request.effect)
    expect(effects).toEqual([EFFECT.NON_IDEMPOTENT_WRITE, EFFECT.READ_ONLY, EFFECT.DESTRUCTIVE])
  })

  it(`${requirement('MCP-019')} goes to the client of its session, whatever else the association carries`, async () => {
    const { mesh, server, client } = await opened()
    const others = await Promise.all([open(mesh), open(mesh)])
    const { answer } = ask(server, serverRequest())
    await mesh.network.settle()
    expect([client, ...others.map((one) => one.client)].map(({ heard }) => heard.length)).toEqual([1, 0, 0])
    client.asked[0]?.result('"mine"')
    await mesh.network.settle()
    expect(answer.told).toEqual(['{"jsonrpc":"2.0","id":1,"result":"mine"}'])
  })

  it(`${requirement('MCP-013')} is MethodUnsupported without a client to ask`, async () => {
    const mesh = edgeAndTools()
    const { server } = await open(mesh, newSession())
    const { answer } = ask(server, serverRequest())
    await mesh.network.settle()
    expect(answer.failure).toMatchObject({ code: 'MethodUnsupported', outcome: OUTCOME.NOT_DELIVERED })
  })

  it('whose client fails it is told so, and not in the words of a JSON-RPC error', async () => {
    const { mesh, client, server } = await opened()
    const { answer } = ask(server, serverRequest())
    await mesh.network.settle()
    client.asked[0]?.fail({ code: 'QuotaExceeded', outcome: OUTCOME.NOT_DELIVERED })
    await mesh.network.settle()
    expect(answer.failure).toMatchObject({ code: 'QuotaExceeded', outcome: OUTCOME.NOT_DELIVERED })
  })

  it('beyond 64 of one session is refused unsent; other sessions may still ask', async () => {
    const { mesh, client, server } = await opened()
    const other = await open(mesh)
    const answers = Array.from({ length: 65 }, (_, n) => ask(server, serverRequest({ id: `${n}` })).answer)
    const { answer } = ask(other.server, serverRequest())
    await mesh.network.settle()
    expect(answers[64]?.failure).toMatchObject({
      code: 'QuotaExceeded',
      outcome: OUTCOME.NOT_DELIVERED,
      message: '64 requests of this server wait for the answers of their client, a fixed limit',
    })
    expect([client.asked.length, other.client.asked.length, answer.ends.length]).toEqual([64, 1, 0])
    client.asked[3]?.result()
    await mesh.network.settle()
    ask(server, serverRequest({ id: '"again"' }))
    await mesh.network.settle()
    expect(client.asked).toHaveLength(65)
  })

  it('too large for what the near relay may hold is refused there, and leaves nothing held', async () => {
    const { mesh, client, server } = await opened({ edgeLimits: { heldOctets: MIB } })
    const fits = ask(server, serverRequest({ id: '1', params: `{"x":"${'x'.repeat(MIB / 2)}"}` }))
    const large = ask(server, serverRequest({ id: '2', params: `{"x":"${'x'.repeat(MIB / 2)}"}` }))
    await mesh.network.settle()
    expect([fits.answer.told, large.answer.told]).toEqual([[], ['QuotaExceeded']])
    client.asked[0]?.result()
    await mesh.network.settle()
    ask(server, serverRequest({ id: '3', params: `{"x":"${'x'.repeat(MIB / 2)}"}` }))
    await mesh.network.settle()
    expect(client.asked).toHaveLength(2)
  })

  it('larger than a frame that the peer takes is refused unsent', async () => {
    const { mesh, client, server } = await opened({ towardsTools: { associations: 1, maxFrameOctets: 64 * 1024 } })
    const { answer } = ask(server, serverRequest({ params: `{"x":"${'x'.repeat(80_000)}"}` }))
    await mesh.network.settle()
    expect(answer.failure).toMatchObject({ code: 'TooLarge', outcome: OUTCOME.NOT_DELIVERED })
    expect(client.asked).toEqual([])
  })

  it('ends with its association, on both sides', async () => {
    const { mesh, client, server } = await opened()
    const { answer } = ask(server, serverRequest())
    await mesh.network.settle()
    mesh.network.cut('tools')
    await mesh.network.settle()
    const message = 'the association with peer edge was lost while the call was under way'
    expect(answer.failure).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.UNKNOWN, message })
    expect(client.asked[0]?.cancels).toEqual([undefined])
    expect(openExchanges(mesh)).toEqual({ out: 0, in: 0 })
    expect(ask(server, serverRequest()).answer.failure).toMatchObject({ code: 'SessionLost' })
  })

  it('ends with its session when the client ends that, and the client hears nothing more', async () => {
    const { mesh, session, client, server } = await opened()
    const { answer } = ask(server, serverRequest())
    await mesh.network.settle()
    mesh.target.endSession(session, 'client')
    await mesh.network.settle()
    expect(mesh.backend.ended.map(({ reason }) => reason)).toEqual(['client'])
    expect(answer.told).toEqual(['SessionLost'])
    expect(client.asked[0]?.cancels).toEqual([undefined])
    expect(openExchanges(mesh)).toEqual({ out: 0, in: 0 })
    // What the server still says goes nowhere.
    server.notification(Buffer.from('{"jsonrpc":"2.0","method":"notifications/message"}'), () => {})
    await mesh.network.settle()
    expect(client.heard).toHaveLength(1)
  })

  it('ends with its session when the backend loses that', async () => {
    const { mesh, session, client, server } = await opened()
    const { answer } = ask(server, serverRequest())
    await mesh.network.settle()
    mesh.backend.loseSession(session)
    await mesh.network.settle()
    expect(answer.told).toEqual(['SessionLost'])
    expect(client.asked[0]?.cancels).toHaveLength(1)
    expect(mesh.edge.sessionsEnded).toEqual([session.id])
    expect(openExchanges(mesh)).toEqual({ out: 0, in: 0 })
  })
})

describe('a request of a server on a call of its client', () => {
  it(`${requirement('MCP-012')} reaches that call, and its answer comes back`, async () => {
    const { mesh, session, client } = await opened()
    const { sink, call } = await calling(mesh, callRequest({ session, id: '7' }))
    const answer = new RecordingAnswer()
    call.ask(serverRequest({ id: '7', method: 'elicitation/create' }), answer)
    await mesh.network.settle()
    expect([sink.client.asked.length, client.asked.length]).toEqual([1, 0])
    sink.client.asked[0]?.result('{"action":"accept"}')
    await mesh.network.settle()
    expect(answer.told).toEqual(['{"jsonrpc":"2.0","id":7,"result":{"action":"accept"}}'])
    expect(sink.ends).toEqual([])
    call.result()
    await mesh.network.settle()
    expect(sink.ends).toHaveLength(1)
  })

  it('of a legacy call outside any session reaches it too, and nobody once it is over', async () => {
    const mesh = edgeAndTools()
    const { sink, call } = await calling(mesh, callRequest({ era: 'legacy', id: '7' }))
    const [first, late] = [new RecordingAnswer(), new RecordingAnswer()]
    call.ask(serverRequest({ id: '1' }), first)
    await mesh.network.settle()
    sink.client.asked[0]?.result()
    call.result()
    await mesh.network.settle()
    call.ask(serverRequest({ id: '2', method: 'ping' }), late)
    await mesh.network.settle()
    expect(first.told).toEqual(['{"jsonrpc":"2.0","id":1,"result":{}}'])
    expect(late.failure).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.NOT_DELIVERED })
    expect(mesh.backend.calls).toHaveLength(1)
  })

  it('that is over goes to the client of the session', async () => {
    const { mesh, session, client } = await opened()
    const { sink, call } = await calling(mesh, callRequest({ session, id: '7' }))
    call.result()
    const answer = new RecordingAnswer()
    call.ask(serverRequest({ id: '8' }), answer)
    await mesh.network.settle()
    expect([sink.client.asked.length, client.asked.length]).toEqual([0, 1])
    client.asked[0]?.result()
    await mesh.network.settle()
    expect(answer.ends).toHaveLength(1)
  })

  it('goes on when the call ends before its answer', async () => {
    const { mesh, session } = await opened()
    const { sink, call } = await calling(mesh, callRequest({ session, id: '7' }))
    const answer = new RecordingAnswer()
    call.ask(serverRequest({ id: '8' }), answer)
    call.result()
    await mesh.network.settle()
    expect(sink.ends).toHaveLength(1)
    sink.client.asked[0]?.result()
    await mesh.network.settle()
    expect(answer.told).toEqual(['{"jsonrpc":"2.0","id":8,"result":{}}'])
  })

  it('is refused in the modern era, where servers ask nothing', async () => {
    const mesh = edgeAndTools()
    const { sink, call } = await calling(mesh, modernRequest())
    const answer = new RecordingAnswer()
    call.ask(serverRequest(), answer)
    await mesh.network.settle()
    expect(answer.told).toEqual(['MethodUnsupported'])
    expect(sink.client.asked).toEqual([])
  })

  it('counts for its session: 64 in all', async () => {
    const { mesh, session, server } = await opened()
    const { call } = await calling(mesh, callRequest({ session, id: '7' }))
    for (let n = 0; n < 32; n++) ask(server, serverRequest({ id: `${n}` }))
    const answers = Array.from({ length: 33 }, () => new RecordingAnswer())
    for (const [n, answer] of answers.entries()) call.ask(serverRequest({ id: `${100 + n}` }), answer)
    expect(answers.flatMap(({ told }) => told)).toEqual(['QuotaExceeded'])
  })
})
