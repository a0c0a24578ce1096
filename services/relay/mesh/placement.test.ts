import { OUTCOME, PROTOCOL } from '@causeway/npamp'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { callRequest, modernRequest, newSession, start } from '../../../test/fixtures/mesh/calls.ts'
import { edgeAndTools } from '../../../test/fixtures/mesh/edge-and-tools.ts'
import {
  MemoryNetwork,
  newIdentity,
  peerConfig,
  ScriptedBackend,
  startMemoryRelay,
} from '../../../test/fixtures/mesh/memory-mesh.ts'
import type { CallTarget } from '../exchanges/contract.ts'
import type { PeerConfig } from './peer-config.ts'

const twoRelays = (towardsTools: Partial<PeerConfig> = {}) => edgeAndTools({ towardsTools })

describe('placing a call', () => {
  it('dials on demand: the first call waits for the association and is answered over it', async () => {
    const { network, target, backend } = twoRelays()
    expect(network.dials).toEqual([])
    const { sink } = start(target, modernRequest())
    await network.settle()
    expect(await sink.replyText()).toBe('{"jsonrpc":"2.0","id":1,"result":{}}')
    expect(backend.calls).toHaveLength(1)
    expect(network.dials).toHaveLength(1)
  })

  it('opens a second association when calls go on, and not a third one', async () => {
    const { network, target, edge } = twoRelays()
    for (let round = 0; round < 5; round++) {
      start(target, modernRequest())
      await network.settle()
    }
    expect(network.dials).toHaveLength(2)
    expect(edge.metrics.value('causeway_associations_open', { peer: 'tools' })).toBe(2)
  })

  it('spreads calls over the associations by the shortest queue', async () => {
    const { network, target, backend } = twoRelays()
    for (let round = 0; round < 3; round++) {
      start(target, modernRequest())
      await network.settle()
    }
    backend.script = () => {}
    for (let n = 0; n < 10; n++) start(target, modernRequest({ id: String(n) }))
    await network.settle()
    const perAssociation = new Map<string, number>()
    for (const { request } of backend.calls.slice(3)) {
      const association = request.requestId.split('/')[0] ?? ''
      perAssociation.set(association, (perAssociation.get(association) ?? 0) + 1)
    }
    expect([...perAssociation.values()]).toEqual([5, 5])
  })

  it(`${requirement('MCP-019')} keeps a session on one association, listing included`, async () => {
    const { network, target, backend } = twoRelays()
    for (let round = 0; round < 3; round++) {
      start(target, modernRequest())
      await network.settle()
    }
    const session = newSession()
    start(target, callRequest({ method: 'initialize', session }))
    await network.settle()
    for (const method of ['tools/list', 'tools/call', 'resources/list', 'prompts/list', 'ping']) {
      start(target, callRequest({ method, session }))
      start(target, modernRequest({ id: '"other"' }))
      await network.settle()
    }
    const ofSession = backend.calls.filter(({ request }) => request.session !== undefined)
    expect(ofSession).toHaveLength(6)
    expect(new Set(ofSession.map(({ request }) => request.requestId.split('/')[0])).size).toBe(1)
    expect(new Set(ofSession.map(({ request }) => request.session?.id))).toEqual(new Set([session.id]))
  })

  it('tries a peer that is down again, with backoff, and serves whoever still waits when it is back', async () => {
    const { network, target } = twoRelays()
    network.refusing.add('tools')
    const { sink } = start(target, modernRequest())
    await network.pass(250)
    expect(network.dials.length).toBeGreaterThan(1)
    network.refusing.clear()
    await network.pass(1_000)
    expect(await sink.replyText()).toContain('"result"')
  })

  it('ends a call after 5 s, not sent, when dial, handshake and HELLO take longer', async () => {
    const { network, target } = twoRelays()
    network.silent.add('tools')
    const { sink } = start(target, modernRequest())
    await network.pass(4_900)
    expect(sink.ends).toEqual([])
    await network.pass(100)
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.NOT_DELIVERED })
  })

  it('tells callers at once when a peer has been down for several rounds', async () => {
    const { network, target } = twoRelays()
    network.refusing.add('tools')
    start(target, modernRequest())
    await network.pass(5_000)
    const { sink } = start(target, modernRequest())
    await network.pass(2_500)
    const failure = await sink.failure()
    expect(failure).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.NOT_DELIVERED })
    expect(failure.message).toBe('no association with peer tools: connection refused')
  })

  it('says at once that a peer is not who it should be', async () => {
    const { network, target, edge } = twoRelays({ identity: { mode: 'handles', handles: [newIdentity().handle] } })
    const { sink } = start(target, modernRequest())
    await network.settle()
    const failure = await sink.failure()
    expect(failure).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.NOT_DELIVERED })
    expect(failure.message).toContain('not who its MeshPeer says')
    expect(edge.logs.some((line) => line.includes('identity_refused'))).toBe(true)
  })

  it('never dials a peer that is only to be accepted', async () => {
    const { network, target } = twoRelays({ dial: 'never' })
    const { sink } = start(target, modernRequest())
    expect(sink.ends).toHaveLength(1)
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.NOT_DELIVERED })
    expect(network.dials).toEqual([])
  })

  it('keeps a peer connected that is always to be, and dials again after a loss', async () => {
    const { network, edge } = twoRelays({ dial: 'always' })
    await network.settle()
    expect(edge.metrics.value('causeway_associations_open', { peer: 'tools' })).toBe(2)
    await network.pass(10_000)
    network.cut('tools')
    await network.pass(1_000)
    expect(network.dials).toHaveLength(4)
    expect(edge.metrics.value('causeway_associations_open', { peer: 'tools' })).toBe(2)
  })

  it('waits longer after each failure, at most 30 s, when nobody waits for the peer', async () => {
    const { network } = twoRelays({ dial: 'always', addresses: [{ host: 'nowhere', port: 1 }] })
    await network.pass(120_000)
    const gaps = network.dials.slice(1).map(({ at }, index) => at - (network.dials[index]?.at ?? 0))
    // Both associations were wanted at once; after that one dial at a time finds out.
    expect(gaps.slice(1, 4).every((gap, index, all) => index === 0 || gap > (all[index - 1] ?? 0))).toBe(true)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(30_000)
    expect(gaps.at(-1)).toBeGreaterThan(20_000)
  })

  it('tries the addresses in order', async () => {
    const addresses = [
      { host: 'nowhere', port: 1 },
      { host: 'tools', port: 1 },
    ]
    const { network, target } = twoRelays({ addresses })
    const { sink } = start(target, modernRequest())
    await network.settle()
    expect(network.dials.map(({ host }) => host)).toEqual(['nowhere', 'tools'])
    expect(await sink.replyText()).toContain('"result"')
  })

  it('takes a peer that dialled us for calls in the other direction', async () => {
    const network = new MemoryNetwork()
    const backend = new ScriptedBackend()
    backend.script = (call) => call.result()
    const identities = { edge: newIdentity(), tools: newIdentity() }
    const tools = startMemoryRelay({
      network,
      host: 'tools',
      identity: identities.tools,
      peers: [peerConfig('edge', identities.edge.handle, { dial: 'never' })],
    })
    startMemoryRelay({
      network,
      identity: identities.edge,
      peers: [peerConfig('tools', identities.tools.handle, { dial: 'always' })],
      backends: { local: { backend, peers: ['tools'] } },
    })
    await network.settle()
    const { sink } = start(tools.mesh.target('edge', 'local') as CallTarget, modernRequest())
    await network.settle()
    expect(await sink.replyText()).toContain('"result"')
    expect(network.dials).toHaveLength(2)
  })

  it('refuses what would wait beyond 8 MiB, not sent', async () => {
    const { network, target } = twoRelays()
    network.silent.add('tools')
    const params = JSON.stringify({ text: 'x'.repeat(3 * 1024 * 1024) })
    const sinks = [1, 2, 3].map((id) => start(target, callRequest({ id: String(id), params })).sink)
    expect(sinks.map(({ ends }) => ends.length)).toEqual([0, 0, 1])
    expect(await sinks[2]?.failure()).toMatchObject({ code: 'QuotaExceeded', outcome: OUTCOME.NOT_DELIVERED })
  })

  it('ends a call that is given up while it waits, not sent', async () => {
    const { network, target, backend } = twoRelays()
    network.silent.add('tools')
    const { sink, handle } = start(target, modernRequest())
    handle.cancel('disconnect')
    expect(await sink.failure()).toMatchObject({ outcome: OUTCOME.NOT_DELIVERED })
    await network.pass(6_000)
    expect(backend.calls).toEqual([])
  })

  it('answers ProtocolUnsupported, not sent, when the peer carries no MCP', async () => {
    const { network, target } = twoRelays({ protocols: [PROTOCOL.A2A] })
    const { sink } = start(target, modernRequest())
    await network.settle()
    expect(await sink.failure()).toMatchObject({ code: 'ProtocolUnsupported', outcome: OUTCOME.NOT_DELIVERED })
  })

  it('answers TooLarge, not sent, when the peer takes no frame of that size', async () => {
    const network = new MemoryNetwork()
    const identities = { edge: newIdentity(), tools: newIdentity() }
    startMemoryRelay({
      network,
      host: 'tools',
      identity: identities.tools,
      peers: [peerConfig('edge', identities.edge.handle, { dial: 'never', maxFrameOctets: 65_536 })],
    })
    const edge = startMemoryRelay({
      network,
      identity: identities.edge,
      peers: [peerConfig('tools', identities.tools.handle)],
    })
    const params = JSON.stringify({ text: 'x'.repeat(65_536) })
    const { sink } = start(edge.mesh.target('tools', 'tools') as CallTarget, callRequest({ params }))
    await network.settle()
    expect(await sink.failure()).toMatchObject({ code: 'TooLarge', outcome: OUTCOME.NOT_DELIVERED })
  })
})
