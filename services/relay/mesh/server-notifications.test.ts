import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import type { ScriptedCall } from '../../../test/fixtures/edge/scripted-target.ts'
import { callRequest, newSession, start } from '../../../test/fixtures/mesh/calls.ts'
import { type EdgeAndToolsOptions, edgeAndTools } from '../../../test/fixtures/mesh/edge-and-tools.ts'
import {
  AskableSink,
  ask,
  RecordingAnswer,
  RecordingClient,
  serverRequest,
  sessionWithClient,
} from '../../../test/fixtures/mesh/server-requests.ts'
import type { Session, SessionClient } from '../exchanges/contract.ts'

const MIB = 1024 * 1024

function notificationText(data: string | number, method = 'notifications/message'): string {
  return `{"jsonrpc":"2.0","method":"${method}","params":{"data":${JSON.stringify(data)}}}`
}

async function open(mesh: ReturnType<typeof edgeAndTools>, session: Session = sessionWithClient()) {
  start(mesh.target, callRequest({ method: 'initialize', session }))
  await mesh.network.settle()
  const server = mesh.backend.calls.at(-1)?.request.session?.client as SessionClient
  const rooms: number[] = []
  const say = (text: string) => server.notification(Buffer.from(text), () => rooms.push(mesh.network.clock.now()))
  return { session, client: session.client as RecordingClient, server, say, rooms }
}

async function opened(options: EdgeAndToolsOptions = {}) {
  const mesh = edgeAndTools({ towardsTools: { associations: 1 }, ...options })
  return { mesh, ...(await open(mesh)) }
}

async function calling(mesh: ReturnType<typeof edgeAndTools>, session: Session) {
  mesh.backend.script = () => {}
  const sink = new AskableSink()
  const handle = mesh.target.call(callRequest({ session, id: '7' }), sink)
  await mesh.network.settle()
  return { sink, handle, call: mesh.backend.calls.at(-1) as ScriptedCall }
}

describe('what a server says outside any call', () => {
  it.each([
    'notifications/message',
    'notifications/resources/updated',
    'notifications/tools/list_changed',
    'notifications/progress',
    'notifications/vendor_unheard',
  ])(`${requirement('MCP-009', 'MCP-014')} %s reaches the client of its session, octet for octet`, async (method) => {
    const { mesh, client, say } = await opened()
    const other = await open(mesh)
    const text = `{"jsonrpc":"2.0", "method":"${method}" ,"params":{"b":1.0,"a":"\\u0041"}}`
    expect(say(text)).toBe('ok')
    await mesh.network.settle()
    expect([client.heard, other.client.heard]).toEqual([[text], []])
    expect(mesh.backend.notifications).toEqual([])
  })

  it('is dropped and counted where nobody hears it', async () => {
    const mesh = edgeAndTools()
    const { say } = await open(mesh, newSession())
    say(notificationText(1))
    await mesh.network.settle()
    expect(mesh.edge.metrics.value('causeway_notifications_dropped_total', { reason: 'no_client' })).toBe(1)
  })

  it('comes in the order in which the server said it, with its requests and its answer', async () => {
    const { mesh, session, client, server, say } = await opened()
    const { sink, call } = await calling(mesh, session)
    const order: string[] = []
    const sees = (name: string, heard: { push: (text: string) => number }) => {
      const push = heard.push.bind(heard)
      heard.push = (text) => {
        order.push(name)
        return push(text)
      }
    }
    sees('session', client.heard)
    sees('asked on the call', sink.client.heard)
    sees('on the call', sink.notifications)
    void sink.end.then(() => order.push('answer'))
    say(notificationText(1))
    call.notify(notificationText(2))
    ask(server, serverRequest({ id: '1' }))
    call.ask(serverRequest({ id: '2' }), new RecordingAnswer())
    say(notificationText(3))
    call.notify(notificationText(4))
    call.result()
    await mesh.network.settle()
    const said = ['session', 'on the call', 'session', 'asked on the call', 'session', 'on the call', 'answer']
    expect(order).toEqual(said)
  })

  it('makes its source wait while the association has enough to send, and tells it once when there is room', async () => {
    const { mesh, client, say, rooms } = await opened()
    const answers = Array.from({ length: 12 }, () => say(notificationText('x'.repeat(MIB))))
    expect(answers.slice(0, 7)).toEqual(Array.from({ length: 7 }, () => 'ok'))
    expect(answers.at(-1)).toBe('wait')
    await mesh.network.settle()
    expect(rooms).toHaveLength(1)
    expect(client.heard).toHaveLength(12)
    expect(say(notificationText('more'))).toBe('ok')
  })

  it('of a session that ended goes nowhere, and its source is not left waiting for room', async () => {
    const { mesh, session, client, say, rooms } = await opened()
    for (let n = 0; n < 12; n++) say(notificationText('x'.repeat(MIB)))
    mesh.backend.loseSession(session)
    await mesh.network.settle()
    expect(say(notificationText(1))).toBe('ok')
    expect(rooms).toEqual([])
    await mesh.network.settle()
    expect(client.heard.every((text) => text.length > MIB)).toBe(true)
  })
})

it(`${requirement('MCP-017', 'MCP-015')} a server may ping and log before its answer to initialize, and is heard first`, async () => {
  const mesh = edgeAndTools()
  const order: string[] = []
  const answer = new RecordingAnswer()
  mesh.backend.script = (call) => {
    call.notify(notificationText('early'))
    call.ask(serverRequest({ id: '1', method: 'ping' }), answer)
    call.request.session?.client?.notification(Buffer.from(notificationText('early too')), () => {})
    call.result()
  }
  const session = sessionWithClient()
  const sink = new AskableSink()
  mesh.target.call(callRequest({ method: 'initialize', session, id: '0' }), sink)
  void sink.end.then(() => order.push(`answer after ${sink.notifications.length + session.client.heard.length}`))
  await mesh.network.settle()
  sink.client.asked[0]?.result()
  await mesh.network.settle()
  expect(order).toEqual(['answer after 2'])
  expect(answer.told).toEqual(['{"jsonrpc":"2.0","id":1,"result":{}}'])
})

describe('a client that is behind', () => {
  it('gets the rest in order when it takes more, requests among it', async () => {
    const { mesh, client, server, say } = await opened()
    client.answer = 'wait'
    say(notificationText(1))
    say(notificationText(2))
    ask(server, serverRequest({ id: '"r"' }))
    say(notificationText(3))
    await mesh.network.settle()
    expect(client.heard).toEqual([notificationText(1)])
    client.makeRoom()
    expect(client.heard).toEqual([
      notificationText(1),
      notificationText(2),
      Buffer.from(serverRequest({ id: '"r"' }).octets).toString(),
      notificationText(3),
    ])
  })

  it('holds up no other session, and no call of its own', async () => {
    const { mesh, session, client, say } = await opened()
    const other = await open(mesh)
    const { sink, call } = await calling(mesh, session)
    client.answer = 'wait'
    say(notificationText(1))
    say(notificationText(2))
    other.say(notificationText(3))
    call.notify(notificationText(4))
    call.result()
    await mesh.network.settle()
    expect([client.heard.length, other.client.heard.length]).toEqual([1, 1])
    expect([sink.notifications.length, sink.ends.length]).toEqual([1, 1])
  })

  it('loses what waits beyond 4 MiB, counted, with the requests among it; what comes later is heard again', async () => {
    const { mesh, client, server, say } = await opened()
    client.answer = 'wait'
    say(notificationText(0))
    const { answer } = ask(server, serverRequest())
    for (let n = 0; n < 5; n++) say(notificationText('x'.repeat(MIB)))
    await mesh.network.settle()
    expect(mesh.edge.metrics.value('causeway_notifications_dropped_total', { reason: 'client_overflow' })).toBe(4)
    expect(answer.told).toEqual(['NotDelivered'])
    client.makeRoom()
    say(notificationText('later'))
    await mesh.network.settle()
    expect([client.heard[0], client.heard.at(-1)]).toEqual([notificationText(0), notificationText('later')])
    expect(client.asked).toEqual([])
  })

  it('loses it too after 30 s in which it took nothing', async () => {
    const { mesh, client, say } = await opened()
    client.answer = 'wait'
    say(notificationText(1))
    say(notificationText(2))
    await mesh.network.pass(31_000)
    expect(mesh.edge.metrics.value('causeway_notifications_dropped_total', { reason: 'client_stall' })).toBe(1)
    client.makeRoom()
    say(notificationText(3))
    await mesh.network.settle()
    expect(client.heard).toEqual([notificationText(1), notificationText(3)])
  })

  it('that nothing waits for has lost nothing after 30 s', async () => {
    const { mesh, client, say } = await opened()
    client.answer = 'wait'
    say(notificationText(1))
    await mesh.network.pass(31_000)
    expect(mesh.edge.metrics.total('causeway_notifications_dropped_total')).toBe(0)
  })

  it('that holds most of the memory of the relay loses what it holds, and the association is read on', async () => {
    const { mesh, client, say } = await opened({ edgeLimits: { heldOctets: MIB } })
    const other = await open(mesh)
    client.answer = 'wait'
    for (let n = 0; n < 4; n++) say(notificationText('x'.repeat(MIB / 2)))
    await mesh.network.settle()
    other.say(notificationText('after'))
    await mesh.network.pass(5_200)
    expect(mesh.edge.metrics.value('causeway_notifications_dropped_total', { reason: 'client_budget' })).toBe(2)
    expect(other.client.heard).toEqual([notificationText('after')])
  })

  it('of a call is asked behind the notifications that wait for it', async () => {
    const { mesh, session } = await opened()
    const { sink, handle, call } = await calling(mesh, session)
    sink.answer = 'wait'
    call.notify(notificationText(1))
    call.notify(notificationText(2))
    call.ask(serverRequest({ id: '"r"' }), new RecordingAnswer())
    await mesh.network.settle()
    expect([sink.notifications.length, sink.client.asked.length]).toEqual([1, 0])
    sink.answer = 'ok'
    handle.resume()
    expect([sink.notifications.length, sink.client.asked.length]).toEqual([2, 1])
  })

  it('of a call that fails because of that takes the requests that waited with it', async () => {
    const { mesh, session } = await opened()
    const { sink, call } = await calling(mesh, session)
    sink.answer = 'wait'
    const answer = new RecordingAnswer()
    call.notify(notificationText(1))
    call.ask(serverRequest({ id: '"r"' }), answer)
    await mesh.network.pass(31_000)
    expect(sink.ends).toHaveLength(1)
    expect(answer.told).toEqual(['NotDelivered'])
  })

  it('leaves nothing held when its session ends', async () => {
    const client = new RecordingClient()
    const mesh = edgeAndTools({ edgeLimits: { heldOctets: MIB }, towardsTools: { associations: 1 } })
    const { session, say } = await open(mesh, sessionWithClient(client))
    client.answer = 'wait'
    say(notificationText(1))
    say(notificationText('x'.repeat(MIB / 2)))
    await mesh.network.settle()
    mesh.target.endSession(session, 'client')
    await mesh.network.settle()
    const next = await open(mesh)
    const { answer } = ask(next.server, serverRequest({ params: `{"x":"${'x'.repeat(0.8 * MIB)}"}` }))
    await mesh.network.settle()
    expect([next.client.asked.length, answer.told]).toEqual([1, []])
  })
})
