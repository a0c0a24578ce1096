import { OUTCOME } from '@causeway/npamp'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { callRequest, newSession } from '../../../test/fixtures/mesh/calls.ts'
import { HELLO_ONLY, NO_HELLO, relayAndForeign } from '../../../test/fixtures/mesh/relay-and-foreign.ts'
import {
  AskableSink,
  ask,
  RecordingAnswer,
  serverRequest,
  sessionWithClient,
} from '../../../test/fixtures/mesh/server-requests.ts'

type Parts = ReturnType<typeof relayAndForeign>

/** A session of a client of the relay's with the foreign server. */
async function clientAtRelay({ network, target, foreign }: Parts, session = sessionWithClient()) {
  target.call(callRequest({ method: 'initialize', session, id: '"i"' }), new AskableSink())
  await network.settle()
  const association = foreign.associations.at(-1)
  if (association === undefined) throw new Error('the relay did not dial')
  return { session, client: session.client, association }
}

/** A session of the foreign peer's client with the server behind the relay. */
async function clientAtForeign({ network, backend, dialIn }: Parts) {
  backend.script = (call) => call.result()
  const association = dialIn()
  await network.settle()
  association.request('initialize', '"i"')
  await network.settle()
  backend.script = () => {}
  const client = backend.calls.at(-1)?.request.session?.client
  return { association, client }
}

const texts = (association: { readonly requests: readonly { readonly octets: Uint8Array }[] }) =>
  association.requests.map(({ octets }) => Buffer.from(octets).toString())

describe.each([
  ['that says HELLO without extensions', HELLO_ONLY],
  ['that sends no HELLO', NO_HELLO],
])('a foreign peer %s', (_name, settings) => {
  it.each(['sampling/createMessage', 'elicitation/create', 'roots/list', 'ping'])(
    `${requirement('MCP-012')} has a server that asks the client of the one session on its association: %s`,
    async (method) => {
      const parts = relayAndForeign(settings)
      const first = await clientAtRelay(parts)
      const second = await clientAtRelay(parts)
      second.association.request(method, '1')
      await parts.network.settle()
      expect([first.client.heard.length, second.client.asked.map(({ request }) => request.method)]).toEqual([
        0,
        [method],
      ])
      second.client.asked[0]?.result('{"ok":1}')
      await parts.network.settle()
      expect(second.association.replies).toEqual(['{"jsonrpc":"2.0","id":1,"result":{"ok":1}}'])
      expect(parts.backend.calls).toEqual([])
    },
  )

  it('has a server that cancels what it asked', async () => {
    const parts = relayAndForeign(settings)
    const { association, client } = await clientAtRelay(parts)
    association.request('sampling/createMessage', '1')
    await parts.network.settle()
    association.notify('notifications/cancelled', '{"requestId":1}')
    await parts.network.settle()
    expect(client.asked[0]?.cancels).toEqual([
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    ])
    expect(association.replies).toEqual(['failed 4'])
  })

  it('has a server that speaks outside any call: the session’s client hears it', async () => {
    const parts = relayAndForeign(settings)
    const { association, client } = await clientAtRelay(parts)
    association.notify('notifications/tools/list_changed', '{}')
    await parts.network.settle()
    expect(client.heard).toEqual(['{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}'])
  })

  it('has a server that asks for what a client without ears cannot hear: refused', async () => {
    const parts = relayAndForeign(settings)
    const { association } = await clientAtRelay(parts, { ...newSession(), client: undefined } as never)
    association.request('sampling/createMessage', '1')
    await parts.network.settle()
    expect(association.replies).toEqual(['failed 3'])
  })

  it(`${requirement('MCP-012')} has a client that a server here may ask, in the one session of its association`, async () => {
    const parts = relayAndForeign(settings)
    const { association, client } = await clientAtForeign(parts)
    const request = serverRequest({ id: '5' })
    const { answer } = ask(client, request)
    client?.notification(Buffer.from('{"jsonrpc":"2.0","method":"notifications/message","params":{}}'), () => {})
    await parts.network.settle()
    expect(texts(association)).toEqual([Buffer.from(request.octets).toString()])
    expect(association.events.filter(({ type }) => type === 'notification')).toHaveLength(1)
    expect(answer.told).toEqual(['{"jsonrpc":"2.0","id":5,"result":{}}'])
  })

  it('has a client that may be asked on its call, in its session only', async () => {
    const parts = relayAndForeign(settings)
    const { association } = await clientAtForeign(parts)
    association.request('tools/call', '2')
    await parts.network.settle()
    const inSession = new RecordingAnswer()
    parts.backend.calls.at(-1)?.ask(serverRequest({ id: '5' }), inSession)
    await parts.network.settle()
    expect(inSession.told).toEqual(['{"jsonrpc":"2.0","id":5,"result":{}}'])

    const another = parts.dialIn()
    await parts.network.settle()
    another.request('tools/call', '2')
    await parts.network.settle()
    const outside = new RecordingAnswer()
    parts.backend.calls.at(-1)?.ask(serverRequest({ id: '5' }), outside)
    expect(outside.failure).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.NOT_DELIVERED })
    expect(another.requests).toEqual([])
  })

  it('has two open requests of one id on no association: the second of a server here is not sent', async () => {
    const parts = relayAndForeign(settings)
    parts.foreign.onEvent = () => {}
    const { association, client } = await clientAtForeign(parts)
    const answers = ['5', '5.0'].map((id) => ask(client, serverRequest({ id })).answer)
    await parts.network.settle()
    expect(association.requests).toHaveLength(1)
    expect(answers.map(({ told }) => told)).toEqual([[], ['NotDelivered']])
  })

  it('is not asked where a session of the relay’s clients uses the association too: nobody could tell whose it is', async () => {
    const parts = relayAndForeign(settings, { dial: 'never', addresses: [] })
    const { association, client } = await clientAtForeign(parts)
    const own = sessionWithClient()
    parts.target.call(callRequest({ method: 'initialize', session: own, id: '"mine"' }), new AskableSink())
    await parts.network.settle()
    expect(texts(association)).toHaveLength(1)
    const { answer } = ask(client, serverRequest())
    client?.notification(Buffer.from('{"jsonrpc":"2.0","method":"notifications/message","params":{}}'), () => {})
    await parts.network.settle()
    expect(answer.failure).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.NOT_DELIVERED })
    const dropped = { reason: 'unrelated' }
    expect(parts.relay.metrics.value('causeway_notifications_dropped_total', dropped)).toBe(1)
  })

  it('gets a session of the relay’s clients on an association of its own, where one can be dialled', async () => {
    const parts = relayAndForeign(settings)
    const { association } = await clientAtForeign(parts)
    const { association: ours } = await clientAtRelay(parts)
    expect(ours).not.toBe(association)
    expect([association.requests.length, ours.requests.length]).toEqual([0, 1])
  })
})
