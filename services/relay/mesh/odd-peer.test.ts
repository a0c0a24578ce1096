import { EFFECT, MESSAGE_KIND, OUTCOME } from '@causeway/npamp'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { callRequest, modernRequest } from '../../../test/fixtures/mesh/calls.ts'
import type { ForeignAssociation } from '../../../test/fixtures/mesh/foreign-peer.ts'
import { answersTo, askOdd, OddPeer } from '../../../test/fixtures/mesh/odd-peer.ts'
import { AskableSink, sessionWithClient } from '../../../test/fixtures/mesh/server-requests.ts'

const THEIRS = 'theirs'
const LOST = 'failed 4 3'
const NOBODY = 'failed 3 0'
const ASK = '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}'
const NOTE = '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'

/** A session of a client of the relay's with the peer's target, on an association of its own. */
async function clientOf(odd: OddPeer) {
  const association = await odd.connect()
  const session = sessionWithClient()
  const opening = new AskableSink()
  odd.theirs.call(callRequest({ method: 'initialize', session, id: '"i"' }), opening)
  await odd.network.settle()
  const [asked] = association.requests
  if (asked === undefined) throw new Error('initialize did not arrive')
  association.answer(asked)
  await odd.network.settle()
  return { association, session, client: session.client, route: { target: THEIRS, session: session.key } }
}

/** An open call of a client of the relay's: the request of this number at the peer. */
async function callTo(
  odd: OddPeer,
  association: ForeignAssociation,
  request = callRequest({ era: 'legacy', id: '7' }),
) {
  const sink = new AskableSink()
  odd.theirs.call(request, sink)
  await odd.network.settle()
  return { sink, number: association.requests.length - 1, exchange: association.requests.at(-1)?.exchange }
}

describe('a request of a server that names', () => {
  it('a session that nobody has here: session lost, and nobody is asked', async () => {
    const odd = new OddPeer()
    const { association, client } = await clientOf(odd)
    await askOdd(odd, association, { target: THEIRS, session: Buffer.alloc(16, 7) })
    await askOdd(odd, association, { target: 'tools', session: Buffer.alloc(16, 7) }, { id: '2', method: 'roots/list' })
    expect(answersTo(association)).toEqual([LOST, LOST])
    expect([client.heard, odd.backend.calls]).toEqual([[], []])
    const refused = { side: 'mesh_in', outcome: 'session_lost' }
    expect(odd.relay.metrics.value('causeway_exchanges_total', refused)).toBe(2)
  })

  it(`${requirement('MCP-019')} a session of another association: session lost there, and its client hears nothing`, async () => {
    const odd = new OddPeer()
    const { client, route } = await clientOf(odd)
    const another = await odd.connect()
    await askOdd(odd, another, route)
    await askOdd(odd, another, route, { id: '2', method: 'ping' })
    expect(answersTo(another)).toEqual([LOST, LOST])
    expect([client.heard, odd.backend.calls]).toEqual([[], []])
  })

  it('a session, but another target than its own: session lost', async () => {
    const odd = new OddPeer()
    const { association, client, session } = await clientOf(odd)
    await askOdd(odd, association, { target: 'tools', session: session.key })
    expect(answersTo(association)).toEqual([LOST])
    expect([client.heard, odd.backend.calls]).toEqual([[], []])
  })

  it('an open call, but another session than that of the call: session lost', async () => {
    const odd = new OddPeer()
    const { association, client, session } = await clientOf(odd)
    const { sink, number } = await callTo(odd, association, callRequest({ session, id: '7' }))
    await askOdd(odd, association, { target: THEIRS, session: Buffer.alloc(16, 7) }, { related: number })
    await askOdd(odd, association, { target: THEIRS, session: undefined }, { id: '2', related: number })
    expect(answersTo(association)).toEqual([LOST, LOST])
    expect([client.heard, sink.client.heard]).toEqual([[], []])
  })

  it('a modern exchange: nobody there may be asked', async () => {
    const odd = new OddPeer()
    const association = await odd.connect()
    const { sink, number } = await callTo(odd, association, modernRequest({ id: '7' }))
    await askOdd(odd, association, { target: THEIRS, session: undefined }, { related: number })
    expect(answersTo(association)).toEqual([NOBODY])
    expect([sink.client.heard, sink.ends]).toEqual([[], []])
  })

  it('neither session nor call: a target of the same name here is not asked instead', async () => {
    const odd = new OddPeer()
    const { association, client } = await clientOf(odd)
    await askOdd(odd, association, { target: 'tools', session: undefined })
    await askOdd(odd, association, undefined, { id: '2', method: 'roots/list' })
    expect(answersTo(association)).toEqual([NOBODY, NOBODY])
    expect([client.heard, odd.backend.calls]).toEqual([[], []])
  })

  it('a call that is over: it counts as absent, and the client of the session is asked', async () => {
    const odd = new OddPeer()
    const { association, client, session, route } = await clientOf(odd)
    const { sink } = await callTo(odd, association, callRequest({ session, id: '7' }))
    const asked = association.requests[1]
    if (asked !== undefined) association.answer(asked)
    await odd.network.settle()
    const related = { originator: 1, correlationId: Buffer.from('7') } as const
    const frame = { kind: MESSAGE_KIND.REQUEST, correlationId: '1', method: 'sampling/createMessage', text: ASK }
    await odd.send(association, { ...frame, route, related })
    expect([sink.client.heard, client.heard]).toEqual([[], [ASK]])
  })

  it('an id that is open in its session already: refused, and the first is answered as ever', async () => {
    const odd = new OddPeer()
    const { association, client, session, route } = await clientOf(odd)
    const { sink, number } = await callTo(odd, association, callRequest({ session, id: '7' }))
    await askOdd(odd, association, route, { id: '1' })
    await askOdd(odd, association, route, { id: '1.0' })
    await askOdd(odd, association, route, { id: '10e-1', related: number })
    expect(answersTo(association)).toEqual(['failed 4 0', 'failed 4 0'])
    expect([client.asked.length, sink.client.asked.length]).toEqual([1, 0])
    client.asked[0]?.result('"one"')
    await odd.network.settle()
    expect(answersTo(association).at(-1)).toBe('{"jsonrpc":"2.0","id":1,"result":"one"}')
    await askOdd(odd, association, route, { id: '1' })
    expect(client.asked).toHaveLength(2)
  })
})

describe('a request of a server', () => {
  it(`${requirement('MCP-025')} without the label that it needs is taken for destructive, and counted`, async () => {
    const odd = new OddPeer()
    const { association, client, route } = await clientOf(odd)
    const kind = MESSAGE_KIND.REQUEST
    await odd.send(association, { kind, correlationId: '1', method: 'sampling/createMessage', route, text: ASK })
    const ping = '{"jsonrpc":"2.0","id":2,"method":"ping"}'
    await odd.send(association, { kind, correlationId: '2', method: 'ping', route, text: ping })
    const effects = client.asked.map(({ request }) => request.effect)
    expect(effects).toEqual([EFFECT.DESTRUCTIVE, EFFECT.READ_ONLY])
    expect(odd.relay.metrics.value('causeway_requests_unlabelled_total', { side: 'mesh_in' })).toBe(1)
  })

  it('that is a notification in the frame of a request is EnvelopeMalformed', async () => {
    const odd = new OddPeer()
    const { association, client, route } = await clientOf(odd)
    const frame = { kind: MESSAGE_KIND.REQUEST, correlationId: '1', method: 'notifications/message', route, text: NOTE }
    await odd.send(association, frame)
    expect(client.heard).toEqual([])
    expect(odd.dropped('malformed_request')).toBe(1)
  })

  it('beyond 64 of one session is refused', async () => {
    const odd = new OddPeer()
    const { association, client, route } = await clientOf(odd)
    for (let n = 0; n < 65; n++) await askOdd(odd, association, route, { id: `${n}` })
    expect([client.asked.length, answersTo(association)]).toEqual([64, ['failed 4 0']])
  })
})

describe('a notification', () => {
  it(`${requirement('MCP-009')} with an id is dropped and counted, and nothing is answered`, async () => {
    const odd = new OddPeer()
    const { association, client, route } = await clientOf(odd)
    const kind = MESSAGE_KIND.NOTIFY
    await odd.send(association, { kind, method: 'sampling/createMessage', route, text: ASK })
    await odd.send(association, {
      kind,
      method: 'tools/call',
      route: { target: 'tools', session: undefined },
      text: ASK,
    })
    expect([client.heard, odd.backend.calls, odd.backend.notifications]).toEqual([[], [], []])
    expect(odd.notificationsDropped('malformed_notification')).toBe(2)
    expect(answersTo(association)).toEqual([])
  })

  it('of a server in a session that nobody has here is dropped, and the peer told that it is unknown', async () => {
    const odd = new OddPeer()
    const { association, client } = await clientOf(odd)
    const ended = linksOf(association)
    const session = Buffer.alloc(16, 7)
    const kind = MESSAGE_KIND.NOTIFY
    for (const target of [THEIRS, 'tools']) {
      await odd.send(association, { kind, method: 'notifications/message', route: { target, session }, text: NOTE })
    }
    expect([client.heard, odd.backend.notifications]).toEqual([[], []])
    expect(odd.notificationsDropped('unknown_session')).toBe(2)
    expect(ended()).toEqual([`${session.toString('hex')} 2`, `${session.toString('hex')} 2`])
  })

  it(`${requirement('MCP-019')} in a session of another association, or for another target than the session's, so too`, async () => {
    const odd = new OddPeer()
    const { association, client, session, route } = await clientOf(odd)
    const another = await odd.connect()
    const frame = { kind: MESSAGE_KIND.NOTIFY, method: 'notifications/message', text: NOTE }
    await odd.send(another, { ...frame, route })
    await odd.send(association, { ...frame, route: { target: 'tools', session: session.key } })
    expect([client.heard, odd.backend.notifications]).toEqual([[], []])
    expect(odd.notificationsDropped('unknown_session')).toBe(2)
  })

  it('about a call, in another session than that of the call, is dropped', async () => {
    const odd = new OddPeer()
    const { association, session, client } = await clientOf(odd)
    const { sink } = await callTo(odd, association, callRequest({ session, id: '7' }))
    const related = { originator: 1, correlationId: Buffer.from('7') } as const
    const route = { target: THEIRS, session: Buffer.alloc(16, 7) }
    await odd.send(association, {
      kind: MESSAGE_KIND.NOTIFY,
      method: 'notifications/message',
      route,
      related,
      text: NOTE,
    })
    expect([sink.notifications, client.heard]).toEqual([[], []])
    expect(odd.notificationsDropped('unknown_session')).toBe(1)
  })

  it('about a call that is over is for the client of its session', async () => {
    const odd = new OddPeer()
    const { association, client, route } = await clientOf(odd)
    const related = { originator: 1, correlationId: Buffer.from('"i"') } as const
    await odd.send(association, {
      kind: MESSAGE_KIND.NOTIFY,
      method: 'notifications/message',
      route,
      related,
      text: NOTE,
    })
    expect(client.heard).toEqual([NOTE])
  })
})

describe('a reply', () => {
  const result = '{"jsonrpc":"2.0","id":7,"result":{}}'

  it('of an exchange that nobody opened is dropped and counted', async () => {
    const odd = new OddPeer()
    const { association, client, session } = await clientOf(odd)
    const { sink } = await callTo(odd, association, callRequest({ session, id: '7' }))
    await odd.send(association, { kind: MESSAGE_KIND.RESPONSE, correlationId: '8', text: result })
    await odd.send(association, { kind: MESSAGE_KIND.ERROR, correlationId: '"7"', text: result })
    expect([sink.ends, client.heard]).toEqual([[], []])
    expect(odd.dropped('unknown_correlation')).toBe(2)
  })

  it(`${requirement('MCP-010')} that names a method ends its call here, malformed, and is nobody's request`, async () => {
    const odd = new OddPeer()
    const { association, client, session } = await clientOf(odd)
    const { sink } = await callTo(odd, association, callRequest({ session, id: '7' }))
    const frame = { kind: MESSAGE_KIND.RESPONSE, correlationId: '7', method: 'tools/call', text: result }
    await odd.send(association, frame)
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.UNKNOWN })
    expect([client.heard, odd.backend.calls]).toEqual([[], []])
    expect(odd.dropped('malformed_reply')).toBe(1)
  })

  it.each([
    ['the id of another', MESSAGE_KIND.RESPONSE, '{"jsonrpc":"2.0","id":8,"result":{}}'],
    [
      'an error in the frame of a result',
      MESSAGE_KIND.RESPONSE,
      '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":""}}',
    ],
    ['a result in the frame of an error', MESSAGE_KIND.ERROR, result],
    ['a request', MESSAGE_KIND.RESPONSE, '{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage"}'],
  ])('with %s ends its call here, malformed', async (_name, kind, text) => {
    const odd = new OddPeer()
    const { association, client, session } = await clientOf(odd)
    const { sink } = await callTo(odd, association, callRequest({ session, id: '7' }))
    await odd.send(association, { kind, correlationId: '7', text })
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.UNKNOWN })
    expect(client.heard).toEqual([])
    expect(odd.dropped('malformed_reply')).toBe(1)
  })
})

it('refused requests of a peer fill the counters, and not the log', async () => {
  const odd = new OddPeer()
  const { association } = await clientOf(odd)
  for (let n = 0; n < 50; n++) await askOdd(odd, association, { target: 'nothing', session: undefined }, { id: `${n}` })
  const lines = () => odd.relay.logs.filter((line) => line.includes('exchange refused')).length
  expect(lines()).toBe(10)
  await odd.network.pass(1_100)
  expect(odd.relay.logs.filter((line) => line.includes('"leftOut":40'))).toHaveLength(1)
  expect(odd.relay.metrics.value('causeway_exchanges_total', { side: 'mesh_in', outcome: 'not_sent' })).toBe(50)
  await askOdd(odd, association, { target: 'nothing', session: undefined }, { id: '"later"' })
  expect(lines()).toBe(11)
})

/** LINK session-end as the peer gets them: session and reason. */
function linksOf(association: ForeignAssociation): () => string[] {
  return () =>
    association.links.map((message) =>
      message.op === 'sessionEnd' ? `${Buffer.from(message.session).toString('hex')} ${message.reason}` : message.op,
    )
}
