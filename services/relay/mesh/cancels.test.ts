import { OUTCOME } from '@causeway/npamp'
import { describe, expect, it } from 'vitest'
import type { ScriptedCall } from '../../../test/fixtures/edge/scripted-target.ts'
import { callRequest, clientNotification, modernRequest, start } from '../../../test/fixtures/mesh/calls.ts'
import { edgeAndTools } from '../../../test/fixtures/mesh/edge-and-tools.ts'
import {
  AskableSink,
  ask,
  RecordingAnswer,
  serverRequest,
  sessionWithClient,
} from '../../../test/fixtures/mesh/server-requests.ts'
import type { SessionClient } from '../exchanges/contract.ts'

const OWN = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1, "reason":"enough"}}'
const own = { octets: Buffer.from(OWN) }

async function opened() {
  const mesh = edgeAndTools({ towardsTools: { associations: 1 } })
  const session = sessionWithClient()
  start(mesh.target, callRequest({ method: 'initialize', session }))
  await mesh.network.settle()
  const server = mesh.backend.calls[0]?.request.session?.client as SessionClient
  mesh.backend.script = () => {}
  return { mesh, session, client: session.client, server }
}

/** Entries of exchanges that are not over, at either relay. */
function leftOf({ edge, tools }: ReturnType<typeof edgeAndTools>): number[] {
  return [edge, tools].flatMap(({ metrics }) =>
    ['mesh_in', 'mesh_out'].map((side) => metrics.value('causeway_exchanges_open', { side }) ?? 0),
  )
}

function cancels({ metrics }: ReturnType<typeof edgeAndTools>['edge'], direction: string, result: string) {
  return metrics.value('causeway_cancels_total', { direction, result })
}

describe('a server cancels what it asked', () => {
  it('in its own words, which the client gets; the server is told nothing of it but the end', async () => {
    const { mesh, client, server } = await opened()
    const { answer, handle } = ask(server, serverRequest())
    await mesh.network.settle()
    handle.cancel(own)
    await mesh.network.settle()
    expect(client.asked[0]?.cancels).toEqual([OWN])
    expect(answer.failure).toMatchObject({ outcome: OUTCOME.CANCELLED })
    expect(leftOf(mesh)).toEqual([0, 0, 0, 0])
    expect([cancels(mesh.tools, 'sent', 'sent'), cancels(mesh.edge, 'received', 'passed_on')]).toEqual([1, 1])
  })

  it('on a call as well, and on that call it is told', async () => {
    const { mesh, session, client } = await opened()
    const sink = new AskableSink()
    mesh.target.call(callRequest({ session, id: '7' }), sink)
    await mesh.network.settle()
    const answer = new RecordingAnswer()
    const handle = mesh.backend.calls[1]?.ask(serverRequest(), answer)
    await mesh.network.settle()
    handle?.cancel(own)
    await mesh.network.settle()
    expect([sink.client.asked[0]?.cancels, client.heard]).toEqual([[OWN], []])
    expect(answer.failure).toMatchObject({ outcome: OUTCOME.CANCELLED })
    expect([sink.ends, sink.notifications]).toEqual([[], []])
  })

  it('too late: the real answer has won, and comes', async () => {
    const { mesh, client, server } = await opened()
    const { answer, handle } = ask(server, serverRequest())
    await mesh.network.settle()
    const [asked] = client.asked
    if (asked !== undefined) asked.onCancel = () => asked.result('"still"')
    handle.cancel(own)
    await mesh.network.settle()
    expect(answer.told).toEqual(['{"jsonrpc":"2.0","id":1,"result":"still"}'])
    expect(leftOf(mesh)).toEqual([0, 0, 0, 0])
  })

  it('while the answer is on its way: the answer comes, the cancel is for nobody any more', async () => {
    const { mesh, client, server } = await opened()
    const { answer, handle } = ask(server, serverRequest())
    await mesh.network.settle()
    client.asked[0]?.result('"first"')
    handle.cancel(own)
    await mesh.network.settle()
    expect(answer.told).toEqual(['{"jsonrpc":"2.0","id":1,"result":"first"}'])
    expect(client.heard).toHaveLength(1)
    mesh.edge.mesh.syncMetrics()
    expect(mesh.edge.metrics.value('causeway_frames_dropped_total', { reason: 'unknown_cancel' })).toBe(1)
  })

  it('without words, when it is gone: the client is told in the relay’s', async () => {
    const { mesh, client, server } = await opened()
    const { handle } = ask(server, serverRequest({ id: '"\\u0061"' }))
    await mesh.network.settle()
    handle.cancel()
    await mesh.network.settle()
    expect(client.asked[0]?.cancels).toEqual([
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\\u0061"}}',
    ])
  })

  it('twice, or after the end: nothing more is sent', async () => {
    const { mesh, client, server } = await opened()
    const { handle } = ask(server, serverRequest())
    await mesh.network.settle()
    handle.cancel(own)
    handle.cancel(own)
    await mesh.network.settle()
    handle.cancel(own)
    await mesh.network.settle()
    expect([client.asked[0]?.cancels.length, cancels(mesh.tools, 'sent', 'sent')]).toEqual([1, 1])
  })

  it('what the client never saw, as it is behind: it never sees it', async () => {
    const { mesh, client, server } = await opened()
    client.answer = 'wait'
    server.notification(Buffer.from('{"jsonrpc":"2.0","method":"notifications/message"}'), () => {})
    const { answer, handle } = ask(server, serverRequest())
    await mesh.network.settle()
    handle.cancel(own)
    await mesh.network.settle()
    expect(answer.failure).toMatchObject({ outcome: OUTCOME.CANCELLED })
    client.makeRoom()
    expect(client.asked).toEqual([])
  })

  it('and no answer ever comes: the entry is gone after 60 s', async () => {
    const { mesh, client, server } = await opened()
    const { answer, handle } = ask(server, serverRequest())
    await mesh.network.settle()
    const [asked] = client.asked
    if (asked !== undefined) asked.onCancel = undefined
    handle.cancel(own)
    await mesh.network.pass(59_000)
    expect(answer.ends).toEqual([])
    await mesh.network.pass(2_000)
    expect(answer.failure).toMatchObject({ outcome: OUTCOME.CANCELLED })
    expect(mesh.tools.metrics.value('causeway_exchanges_open', { side: 'mesh_out' })).toBe(0)
    asked?.result()
    await mesh.network.settle()
    mesh.tools.mesh.syncMetrics()
    expect(mesh.tools.metrics.value('causeway_late_replies_total', { side: 'mesh_out' })).toBe(1)
    expect(leftOf(mesh)).toEqual([0, 0, 0, 0])
  })

  it('before it was sent: it is withdrawn, and the client hears of neither', async () => {
    const { mesh, client, server } = await opened()
    // As much as the queue takes, so that nothing more leaves in this turn.
    for (let n = 0; n < 7; n++) {
      server.notification(Buffer.from(`{"jsonrpc":"2.0","method":"x","params":["${'x'.repeat(2 ** 20)}"]}`), () => {})
    }
    const { answer, handle } = ask(server, serverRequest())
    handle.cancel(own)
    expect(answer.failure).toMatchObject({ outcome: OUTCOME.CANCELLED })
    expect(cancels(mesh.tools, 'sent', 'withdrawn')).toBe(1)
    await mesh.network.settle()
    expect([client.heard.length, client.asked.length]).toEqual([7, 0])
  })
})

describe('a call is cancelled', () => {
  it('by its client’s own notification: the backend gets those words in the session, and the call ends once', async () => {
    const { mesh, session } = await opened()
    const { sink } = start(mesh.target, callRequest({ session, id: '1' }))
    await mesh.network.settle()
    const params = '{"requestId":1, "reason":"no need"}'
    mesh.target.notify(clientNotification('notifications/cancelled', { session, params }))
    await mesh.network.settle()
    expect(mesh.backend.notifications.map(({ octets }) => Buffer.from(octets).toString())).toEqual([
      `{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}`,
    ])
    mesh.backend.calls[1]?.fail({ outcome: OUTCOME.CANCELLED })
    await mesh.network.settle()
    expect(await sink.failure()).toMatchObject({ outcome: OUTCOME.CANCELLED })
    expect(leftOf(mesh)).toEqual([0, 0, 0, 0])
  })

  it.each(['deadline', 'disconnect'] as const)(
    'by its edge (%s): in the modern era the backend breaks off, and nothing is left',
    async (reason) => {
      const { mesh } = await opened()
      const { sink, handle } = start(mesh.target, modernRequest())
      await mesh.network.settle()
      const call = mesh.backend.calls[1] as ScriptedCall
      handle.cancel(reason)
      await mesh.network.settle()
      expect(call.cancels).toEqual(['disconnect'])
      call.fail({ outcome: OUTCOME.CANCELLED })
      await mesh.network.settle()
      expect(sink.ends).toHaveLength(1)
      expect(leftOf(mesh)).toEqual([0, 0, 0, 0])
    },
  )

  it('by its edge’s deadline: in a session the backend is told in the relay’s words', async () => {
    const { mesh, session } = await opened()
    const { handle } = start(mesh.target, callRequest({ session, id: '"x"' }))
    await mesh.network.settle()
    handle.cancel('deadline')
    await mesh.network.settle()
    expect(mesh.backend.notifications.map(({ octets }) => Buffer.from(octets).toString())).toEqual([
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}',
    ])
  })

  it('and what its server had asked on it is the server’s to cancel: it goes on until then', async () => {
    const { mesh, session } = await opened()
    const sink = new AskableSink()
    mesh.target.call(callRequest({ session, id: '1' }), sink)
    await mesh.network.settle()
    const call = mesh.backend.calls[1] as ScriptedCall
    const answer = new RecordingAnswer()
    const asked = call.ask(serverRequest({ id: '1' }), answer)
    await mesh.network.settle()
    mesh.target.notify(clientNotification('notifications/cancelled', { session, params: '{"requestId":1}' }))
    await mesh.network.settle()
    call.fail({ outcome: OUTCOME.CANCELLED })
    await mesh.network.settle()
    expect([sink.ends.length, answer.ends.length, sink.client.asked[0]?.cancels.length]).toEqual([1, 0, 0])
    asked?.cancel(own)
    await mesh.network.settle()
    expect([sink.client.asked[0]?.cancels, answer.ends.length]).toEqual([[OWN], 1])
    expect(leftOf(mesh)).toEqual([0, 0, 0, 0])
  })

  it('whose server never says how it ended: the entry is gone after 60 s, and the edge was told once', async () => {
    const { mesh } = await opened()
    const { sink, handle } = start(mesh.target, modernRequest())
    await mesh.network.settle()
    handle.cancel('disconnect')
    await mesh.network.pass(61_000)
    expect(sink.ends).toHaveLength(1)
    expect(mesh.edge.metrics.value('causeway_exchanges_open', { side: 'mesh_out' })).toBe(0)
    mesh.backend.calls[1]?.result()
    await mesh.network.settle()
    expect(sink.ends).toHaveLength(1)
    expect(leftOf(mesh)).toEqual([0, 0, 0, 0])
  })
})
