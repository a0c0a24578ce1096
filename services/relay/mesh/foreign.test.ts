import { CLOSE_CODE, OUTCOME, type Transport } from '@causeway/npamp'
import { memoryPair } from '@causeway/npamp/transports'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { callRequest, modernRequest, newSession, start } from '../../../test/fixtures/mesh/calls.ts'
import { type ForeignAssociation, ForeignPeer } from '../../../test/fixtures/mesh/foreign-peer.ts'
import { MemoryNetwork, newIdentity, peerConfig, startMemoryRelay } from '../../../test/fixtures/mesh/memory-mesh.ts'
import { HELLO_ONLY, NO_HELLO, relayAndForeign } from '../../../test/fixtures/mesh/relay-and-foreign.ts'
import type { CallTarget } from '../exchanges/contract.ts'

const META = '"io.modelcontextprotocol/protocolVersion":"2026-07-28"'

/** How many requests each association carried, of those that carried any. */
function requestsOn(foreign: ForeignPeer): number[] {
  return foreign.associations.flatMap(({ requests }) => requests.length || []).sort()
}

/** Lets no more than `leftOctets` through until it is opened. */
function holdBack(transport: Transport) {
  const kept: Uint8Array[] = []
  const gate = {
    leftOctets: Number.POSITIVE_INFINITY,
    transport: {
      ...methodsOf(transport),
      write: (pieces: readonly Uint8Array[]) => {
        for (const piece of pieces) {
          const now = piece.slice(0, gate.leftOctets)
          gate.leftOctets -= now.length
          transport.write([now])
          kept.push(piece.slice(now.length))
        }
        return true
      },
    },
    open: () => transport.write(kept.splice(0)),
  }
  return gate
}

function pausesOf(transport: Transport, onChange: (what: 'pause' | 'resume') => void): Transport {
  return {
    ...methodsOf(transport),
    pauseReading: () => {
      onChange('pause')
      transport.pauseReading()
    },
    resumeReading: () => {
      onChange('resume')
      transport.resumeReading()
    },
  }
}

function methodsOf(transport: Transport): Transport {
  return {
    info: transport.info,
    start: (receiver) => transport.start(receiver),
    write: (pieces) => transport.write(pieces),
    pauseReading: () => transport.pauseReading(),
    resumeReading: () => transport.resumeReading(),
    end: () => transport.end(),
    destroy: () => transport.destroy(),
  }
}

describe.each([
  ['that says HELLO without extensions', HELLO_ONLY],
  ['that sends no HELLO', NO_HELLO],
])('towards a foreign peer %s', (_name, settings) => {
  it(`${requirement('MCP-019')} each legacy session has an association of its own, and loses it when it ends`, async () => {
    const { network, target, foreign } = relayAndForeign(settings)
    const sessions = [newSession(), newSession(), newSession()]
    for (const session of sessions) start(target, callRequest({ method: 'initialize', session }))
    await network.settle()
    for (const session of sessions) start(target, callRequest({ method: 'tools/list', session, id: '2' }))
    await network.settle()
    expect(foreign.associations).toHaveLength(3)
    expect(foreign.associations.map(({ requests }) => requests.map(({ exchange }) => exchange.method))).toEqual([
      ['initialize', 'tools/list'],
      ['initialize', 'tools/list'],
      ['initialize', 'tools/list'],
    ])
    const [first] = sessions
    if (first !== undefined) target.endSession(first, 'client')
    await network.settle()
    expect(foreign.associations.filter(({ closed }) => closed)).toHaveLength(1)
  })

  it('two open requests with one id never share an association', async () => {
    const { network, target, foreign } = relayAndForeign(settings)
    foreign.onEvent = () => {}
    for (const id of ['1', '1.0', '1e0', '2', '3']) start(target, modernRequest({ id }))
    await network.settle()
    const ids = foreign.associations.map(({ requests }) =>
      requests.map(({ exchange }) => Buffer.from(exchange.idToken ?? []).toString()),
    )
    expect(ids.flat().sort()).toEqual(['1', '1.0', '1e0', '2', '3'])
    for (const shared of ids) expect(shared.filter((id) => Number(id) === 1).length).toBeLessThanOrEqual(1)
  })

  it('opens no more associations than sessionsPerPeer, and refuses the next session unsent', async () => {
    const { network, target, foreign } = relayAndForeign(settings, { sessionsPerPeer: 2 })
    for (let n = 0; n < 2; n++) start(target, callRequest({ method: 'initialize', session: newSession() }))
    await network.settle()
    const { sink } = start(target, callRequest({ method: 'initialize', session: newSession() }))
    expect(await sink.failure()).toMatchObject({ code: 'QuotaExceeded', outcome: OUTCOME.NOT_DELIVERED })
    expect(foreign.associations).toHaveLength(2)
  })

  it('a notification goes to the call that its progress token names', async () => {
    const { network, target, foreign } = relayAndForeign(settings)
    foreign.onEvent = (event, association) => {
      if (event.type === 'request' && event.exchange.method === 'initialize') association.answer(event)
    }
    const session = newSession()
    start(target, callRequest({ method: 'initialize', session }))
    await network.settle()
    const withToken = (id: string, token: string) =>
      start(target, callRequest({ session, id, params: `{"_meta":{"progressToken":${token}}}` }))
    const calls = [withToken('2', '"a"'), withToken('3', '7')]
    await network.settle()
    foreign.associations[0]?.notify('notifications/progress', '{"progressToken":7.0,"progress":1}')
    foreign.associations[0]?.notify('notifications/progress', '{"progressToken":"b","progress":1}')
    await network.settle()
    expect(calls.map(({ sink }) => sink.notifications.length)).toEqual([0, 1])
  })

  it('a notification without a token goes to the only open call, and to none of two', async () => {
    const { network, target, foreign, relay } = relayAndForeign(settings)
    foreign.onEvent = (event, association) => {
      if (event.type === 'request' && event.exchange.method === 'initialize') association.answer(event)
    }
    const session = newSession()
    start(target, callRequest({ method: 'initialize', session }))
    await network.settle()
    const first = start(target, callRequest({ session, id: '2' }))
    await network.settle()
    foreign.associations[0]?.notify('notifications/message', '{"level":"info","data":"one"}')
    await network.settle()
    start(target, callRequest({ session, id: '3' }))
    await network.settle()
    foreign.associations[0]?.notify('notifications/message', '{"level":"info","data":"two"}')
    await network.settle()
    expect(first.sink.notifications).toHaveLength(1)
    expect(relay.metrics.value('causeway_notifications_dropped_total', { reason: 'unrelated' })).toBe(1)
  })

  it('in the modern era a notification goes to the only call on its association', async () => {
    const { network, target, foreign, relay } = relayAndForeign(settings)
    foreign.onEvent = () => {}
    const listen = modernRequest({ id: '"s"', method: 'subscriptions/listen', params: `{"_meta":{${META}}}` })
    const first = start(target, listen)
    await network.settle()
    const [association] = foreign.associations
    const about = (id: string) => `{"_meta":{"io.modelcontextprotocol/subscriptionId":${id}}}`
    association?.notify('notifications/subscriptions/acknowledged', about('"s"'))
    association?.notify('notifications/tools/list_changed', about('"another"'))
    association?.notify('notifications/progress', '{"progressToken":1,"progress":1}')
    await network.settle()
    expect(first.sink.notifications).toHaveLength(1)
    expect(relay.metrics.value('causeway_notifications_dropped_total', { reason: 'unrelated' })).toBe(2)
  })

  it('in the modern era a notification goes to none of two calls that did not ask for any', async () => {
    const { network, target, foreign, relay } = relayAndForeign(settings)
    foreign.onEvent = () => {}
    const calls = [start(target, modernRequest({ id: '1' })), start(target, modernRequest({ id: '2' }))]
    await network.settle()
    expect(requestsOn(foreign)).toEqual([2])
    foreign.associations[0]?.notify('notifications/message', '{"level":"info","data":"one"}')
    await network.settle()
    expect(calls.map(({ sink }) => sink.notifications.length)).toEqual([0, 0])
    expect(relay.metrics.value('causeway_notifications_dropped_total', { reason: 'unrelated' })).toBe(1)
  })

  it('modern calls that hear notifications have an association each, given back when they end', async () => {
    const { network, target, foreign, relay } = relayAndForeign(settings, { associations: 1 })
    foreign.onEvent = () => {}
    const withToken = (id: string, token: string) =>
      start(target, modernRequest({ id, params: `{"_meta":{${META},"progressToken":${token}}}` }))
    const listen = { method: 'subscriptions/listen', params: `{"_meta":{${META}}}` }
    const calls = [
      withToken('1', '1'),
      withToken('2', '1'),
      start(target, modernRequest({ id: '3', ...listen })),
      start(target, modernRequest({ id: '4', ...listen })),
    ]
    const plain = [start(target, modernRequest({ id: '5' })), start(target, modernRequest({ id: '6' }))]
    await network.settle()
    for (const association of foreign.associations) {
      association.notify('notifications/progress', '{"progressToken":1,"progress":1}')
      association.notify('notifications/message', '{"level":"info","data":"here"}')
    }
    await network.settle()
    expect(requestsOn(foreign)).toEqual([1, 1, 1, 1, 2])
    expect(calls.map(({ sink }) => sink.notifications.length)).toEqual([2, 2, 1, 1])
    expect(plain.map(({ sink }) => sink.notifications.length)).toEqual([0, 0])
    for (const association of foreign.associations)
      for (const request of association.requests) association.answer(request)
    await network.settle()
    expect([...calls, ...plain].map(({ sink }) => sink.ends.length)).toEqual([1, 1, 1, 1, 1, 1])
    expect(relay.metrics.value('causeway_associations_open', { peer: 'foreign' })).toBe(1)
  })

  it('they share one where no more may be opened, which is better than none', async () => {
    const { network, target, foreign } = relayAndForeign(settings, { sessionsPerPeer: 2 })
    foreign.onEvent = () => {}
    for (let n = 0; n < 3; n++) {
      start(target, modernRequest({ id: `${n}`, params: `{"_meta":{${META},"progressToken":${n}}}` }))
    }
    await network.settle()
    expect(requestsOn(foreign)).toEqual([1, 2])
  })

  it('its requests reach the default backend, in a session from initialize on', async () => {
    const { network, backend, dialIn } = relayAndForeign(settings)
    backend.script = (call) => call.result()
    const association = dialIn()
    await network.settle()
    association.request('initialize', '1')
    await network.settle()
    association.request('tools/list', '2')
    await network.settle()
    expect(association.replies).toHaveLength(2)
    expect(backend.calls.map(({ request }) => request.session?.id)).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      backend.calls[0]?.request.session?.id,
    ])
  })

  it('a call outside any session is broken off when its association ends, as no session ends with it', async () => {
    const { network, backend, dialIn } = relayAndForeign(settings)
    backend.script = () => {}
    const association = dialIn()
    await network.settle()
    association.request('tools/list', '1')
    await network.settle()
    association.core.close(CLOSE_CODE.NORMAL, '', network.clock.now())
    association.flush()
    await network.settle()
    expect(backend.calls.map(({ cancels }) => cancels)).toEqual([['abandoned']])
  })

  it('what it asks of a client is for nobody here', async () => {
    const { network, backend, dialIn } = relayAndForeign(settings)
    const association = dialIn()
    await network.settle()
    association.request('sampling/createMessage')
    await network.settle()
    expect(association.replies).toEqual(['failed 3'])
    expect(backend.calls).toEqual([])
  })
})

describe('a foreign peer', () => {
  it('that announces nothing and is not said to be one ends its callers as ProtocolUnsupported after 5 s', async () => {
    const network = new MemoryNetwork()
    const identity = newIdentity()
    const foreign = new ForeignPeer(identity, network.clock, HELLO_ONLY)
    foreign.mute = true
    network.listen('foreign', (transport) => foreign.accept(transport))
    const relay = startMemoryRelay({ network, peers: [peerConfig('foreign', identity.handle)] })
    const target = relay.mesh.target('foreign', 'x') as CallTarget
    const { sink } = start(target, modernRequest())
    await network.pass(5_100)
    expect(await sink.failure()).toMatchObject({ code: 'ProtocolUnsupported', outcome: OUTCOME.NOT_DELIVERED })
  })

  it('that dialled, and then says nothing of what it carries, ends them so too, and those that come later', async () => {
    const network = new MemoryNetwork()
    const identity = newIdentity()
    const foreign = new ForeignPeer(identity, network.clock, NO_HELLO)
    const config = peerConfig('foreign', identity.handle, { dial: 'never', addresses: [] })
    const relay = startMemoryRelay({ network, peers: [config] })
    const [near, far] = memoryPair()
    relay.mesh.accept(far, () => {})
    foreign.dial(near)
    await network.settle()
    const target = relay.mesh.target('foreign', 'x') as CallTarget
    const { sink } = start(target, modernRequest())
    await network.pass(4_900)
    expect(sink.ends).toEqual([])
    await network.pass(200)
    const failure = { code: 'ProtocolUnsupported', outcome: OUTCOME.NOT_DELIVERED }
    expect(await sink.failure()).toMatchObject(failure)
    expect(await start(target, modernRequest()).sink.failure()).toMatchObject(failure)
  })

  describe('that stops in the middle of large frames', () => {
    const MIB = 1024 * 1024

    /** Two associations of it have 1 MiB of a frame of 2 MiB at the relay. */
    async function twoHalves(heldOctets: number) {
      const network = new MemoryNetwork()
      const identity = newIdentity()
      const foreign = new ForeignPeer(identity, network.clock, HELLO_ONLY)
      const config = peerConfig('foreign', identity.handle, { dial: 'never', defaultBackend: 'default' })
      const relay = startMemoryRelay({ network, peers: [config], limits: { heldOctets } })
      const pauses: string[] = []
      const associations: { association: ForeignAssociation; gate: ReturnType<typeof holdBack> }[] = []
      for (const name of ['a', 'b']) {
        const [near, far] = memoryPair()
        const accepted = pausesOf(far, (what) => pauses.push(`${name} ${what}`))
        relay.mesh.accept(accepted, () => {})
        const gate = holdBack(near)
        associations.push({ association: foreign.dial(gate.transport), gate })
        await network.settle()
      }
      for (const { association, gate } of associations) {
        gate.leftOctets = MIB
        association.notify('notifications/x', `{"data":"${'x'.repeat(2 * MIB)}"}`)
        await network.settle()
      }
      const open = () => associations.map(({ association }) => !association.closed)
      return { network, relay, associations, pauses, open }
    }

    it('is not read beyond the budget, and after 5 s loses as many associations as it takes', async () => {
      const { network, relay, pauses, open } = await twoHalves(1.5 * MIB)
      expect([pauses, open()]).toEqual([['b pause'], [true, true]])
      await network.pass(4_900)
      expect(open()).toEqual([true, true])
      await network.pass(200)
      expect(open()).toEqual([true, false])
      const closed = { peer: 'foreign', reason: 'memory' }
      expect(relay.metrics.value('causeway_associations_closed_total', closed)).toBe(1)
    })

    it('holds nothing any more of a frame that has come whole, and the others are read on', async () => {
      const { network, associations, pauses, open } = await twoHalves(1.5 * MIB)
      associations[0]?.gate.open()
      await network.settle()
      expect(pauses).toEqual(['b pause', 'b resume'])
      await network.pass(6_000)
      expect([pauses.length, open()]).toEqual([2, [true, true]])
    })
  })

  it('cannot be told a target: a route that names one is refused unsent', async () => {
    const { network, target, foreign } = relayAndForeign(HELLO_ONLY, {}, 'named')
    const { sink } = start(target, modernRequest())
    await network.settle()
    expect(await sink.failure()).toMatchObject({ code: 'MethodUnsupported', outcome: OUTCOME.NOT_DELIVERED })
    expect(foreign.associations.flatMap(({ requests }) => requests)).toEqual([])
  })

  it('without a default backend gets MethodUnsupported', async () => {
    const { network, dialIn } = relayAndForeign(HELLO_ONLY, { defaultBackend: undefined })
    const association = dialIn()
    await network.settle()
    association.request('tools/list')
    await network.settle()
    expect(association.replies).toEqual(['failed 3'])
  })

  it('that initializes again on the same association has ended its session', async () => {
    const { network, backend, dialIn } = relayAndForeign(HELLO_ONLY)
    backend.script = (call) => call.result()
    const association = dialIn()
    await network.settle()
    association.request('initialize', '1')
    await network.settle()
    association.request('initialize', '2')
    await network.settle()
    const [first, second] = backend.calls.map(({ request }) => request.session?.id)
    expect(first).not.toBe(second)
    expect(backend.ended.map(({ session }) => session.id)).toEqual([first])
  })
})
