import { ANNOUNCED_TLV_TYPES, PROTOCOL } from '@causeway/npamp'
import { memoryPair } from '@causeway/npamp/transports'
import { describe, expect, it } from 'vitest'
import { ForeignPeer } from '../../../test/fixtures/mesh/foreign-peer.ts'
import {
  MemoryNetwork,
  newIdentity,
  peerConfig,
  ScriptedBackend,
  startMemoryRelay,
} from '../../../test/fixtures/mesh/memory-mesh.ts'

const MIB = 1024 * 1024

/** A relay, and a peer that speaks every extension, sends what it likes, and reads nothing of what comes back. */
async function relayAndDeafPeer() {
  const network = new MemoryNetwork()
  const identity = newIdentity()
  const peer = new ForeignPeer(identity, network.clock, {
    protocols: [PROTOCOL.MCP],
    extensions: { tlvTypes: ANNOUNCED_TLV_TYPES, replica: 'deaf', bootId: identity.bootId },
  })
  const backend = new ScriptedBackend()
  const relay = startMemoryRelay({
    network,
    peers: [peerConfig('peer', identity.handle, { dial: 'never' })],
    backends: { tools: { backend, peers: ['peer'] } },
  })
  const [near, far] = memoryPair()
  relay.mesh.accept(far, () => {})
  const association = peer.dial(near)
  await network.settle()
  near.pauseReading()
  let id = 0
  const request = (target: string) => {
    const octets = Buffer.from(`{"jsonrpc":"2.0","id":${++id},"method":"tools/list"}`)
    const label = { effect: 0, scope: '' }
    const route = { target, session: undefined }
    association.bridge.request({ protocolId: PROTOCOL.MCP, octets, label, route }, network.clock.now())
    association.flush()
  }
  const notify = (session: Uint8Array) => {
    const octets = Buffer.from('{"jsonrpc":"2.0","method":"notifications/x"}')
    association.bridge.notify({ protocolId: PROTOCOL.MCP, octets, route: { target: 'tools', session } })
    association.flush()
  }
  const framesSent = () => relay.metrics.total('causeway_frames_sent_total')
  return { network, relay, backend, association, near, request, notify, framesSent }
}

describe('a peer that sends and never reads', () => {
  it('makes the sources of its answers wait, beyond what the send queue takes', async () => {
    const { network, backend, request, near } = await relayAndDeafPeer()
    for (let n = 0; n < 200; n++) request('tools')
    await network.settle()
    const { calls } = backend
    expect(calls).toHaveLength(200)
    const text = 'x'.repeat(MIB)
    let answered = 0
    for (const call of calls) {
      if (call.arrive(MIB) === 'wait') continue
      call.result(`{"jsonrpc":"2.0","id":${call.id},"result":"${text}"}`)
      answered += 1
      await network.settle()
    }
    // The send queue, and what is under way.
    expect(answered).toBeGreaterThanOrEqual(8)
    expect(answered).toBeLessThanOrEqual(12)
    near.resumeReading()
    await network.settle()
    await network.settle()
    expect(calls.filter(({ resumes }) => resumes > 0).length).toBeGreaterThan(0)
  })

  it('is not told of unknown sessions once the queue is full', async () => {
    const { network, relay, backend, request, notify, near, framesSent } = await relayAndDeafPeer()
    for (let n = 0; n < 12; n++) request('tools')
    await network.settle()
    for (const call of backend.calls) call.result(`{"jsonrpc":"2.0","id":${call.id},"result":"${'x'.repeat(MIB)}"}`)
    await network.settle()
    for (let n = 0; n < 100; n++) notify(new Uint8Array(16).fill(n))
    await network.settle()
    expect(relay.metrics.value('causeway_notifications_dropped_total', { reason: 'unknown_session' })).toBe(100)
    const before = framesSent()
    near.resumeReading()
    await network.pass(500)
    expect(framesSent() - before).toBeLessThan(20)
    notify(new Uint8Array(16).fill(200))
    const drained = framesSent()
    await network.settle()
    expect(framesSent() - drained).toBe(1)
  })
})
