import { OUTCOME } from '@causeway/npamp'
import { memoryPair } from '@causeway/npamp/transports'
import { describe, expect, it } from 'vitest'
import { callRequest, modernRequest, newSession, start } from '../../../test/fixtures/mesh/calls.ts'
import { edgeAndTools } from '../../../test/fixtures/mesh/edge-and-tools.ts'
import { ForeignPeer } from '../../../test/fixtures/mesh/foreign-peer.ts'
import {
  MemoryNetwork,
  newIdentity,
  peerConfig,
  restarted,
  startMemoryRelay,
} from '../../../test/fixtures/mesh/memory-mesh.ts'
import { MAX_DIALS } from './dial-gate.ts'

describe('accepting', () => {
  it('refuses a key that none of the peers has, and says who it was', async () => {
    const network = new MemoryNetwork()
    const stranger = newIdentity()
    const relay = startMemoryRelay({ network, peers: [peerConfig('friend', newIdentity().handle)] })
    const [near, far] = memoryPair()
    let settled = 0
    relay.mesh.accept(far, () => settled++)
    const association = new ForeignPeer(stranger, network.clock, { protocols: [1] }).dial(near)
    await network.settle()
    expect(association.closed).toBe(true)
    expect(settled).toBe(1)
    expect(relay.logs.some((line) => line.includes('identity_refused') && line.includes(stranger.handle))).toBe(true)
    expect(relay.metrics.value('causeway_handshakes_total', { role: 'responder', result: 'identity_refused' })).toBe(1)
  })

  it('lets anybody in as the peer that says so, and the others under their own names', async () => {
    const network = new MemoryNetwork()
    const friend = newIdentity()
    const relay = startMemoryRelay({
      network,
      peers: [peerConfig('friend', friend.handle), peerConfig('anybody', '', { identity: { mode: 'any' } })],
    })
    for (const identity of [friend, newIdentity(), newIdentity()]) {
      const [near, far] = memoryPair()
      relay.mesh.accept(far, () => {})
      new ForeignPeer(identity, network.clock, { protocols: [1] }).dial(near)
    }
    await network.settle()
    expect(relay.metrics.value('causeway_associations_open', { peer: 'friend' })).toBe(1)
    expect(relay.metrics.value('causeway_associations_open', { peer: 'anybody' })).toBe(2)
  })

  it('takes no more associations of one peer than sessions could need', async () => {
    const network = new MemoryNetwork()
    const friend = newIdentity()
    const relay = startMemoryRelay({ network, peers: [peerConfig('friend', friend.handle, { sessionsPerPeer: 1 })] })
    const foreign = new ForeignPeer(friend, network.clock, { protocols: [1] })
    for (let n = 0; n < 70; n++) {
      const [near, far] = memoryPair()
      relay.mesh.accept(far, () => {})
      foreign.dial(near)
      await network.settle()
    }
    expect(relay.metrics.value('causeway_associations_open', { peer: 'friend' })).toBe(65)
    expect(foreign.associations.filter(({ closed }) => closed)).toHaveLength(5)
  })

  it('ends a connection that says nothing, and counts it', async () => {
    const network = new MemoryNetwork()
    const relay = startMemoryRelay({ network, peers: [peerConfig('friend', newIdentity().handle)] })
    const [near, far] = memoryPair()
    const ended: boolean[] = []
    near.start({ onOctets: () => {}, onWritable: () => {}, onEnd: (clean) => ended.push(clean) })
    relay.mesh.accept(far, () => {})
    await network.pass(11_000)
    expect(ended).toHaveLength(1)
    expect(relay.metrics.value('causeway_handshakes_total', { role: 'responder', result: 'handshake_timeout' })).toBe(1)
  })

  it('ends a connection that sends garbage', async () => {
    const network = new MemoryNetwork()
    const relay = startMemoryRelay({ network, peers: [peerConfig('friend', newIdentity().handle)] })
    const [near, far] = memoryPair()
    relay.mesh.accept(far, () => {})
    near.start({ onOctets: () => {}, onWritable: () => {}, onEnd: () => {} })
    near.write([Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n and more than a header of octets')])
    await network.settle()
    expect(relay.logs.some((line) => line.includes('handshake failed'))).toBe(true)
  })
})

describe('dialling', () => {
  it('never runs more than 16 dials of a relay at a time', async () => {
    const network = new MemoryNetwork()
    const peers = Array.from({ length: 40 }, (_, n) => peerConfig(`peer${n}`, newIdentity().handle, { dial: 'always' }))
    for (const { name } of peers) network.silent.add(name)
    startMemoryRelay({ network, peers })
    await network.settle()
    expect(network.dials).toHaveLength(MAX_DIALS)
  })
})

describe('a peer that starts again', () => {
  it('with the same replica name and another boot id: its older associations are over at once', async () => {
    const mesh = edgeAndTools({ towardsTools: { dial: 'never' } })
    // Here `tools` is dialled by a process of `edge` that then dies without a word.
    const dialIn = (identity = mesh.identities.edge) => {
      const relay = startMemoryRelay({
        network: mesh.network,
        identity,
        peers: [peerConfig('tools', mesh.identities.tools.handle, { dial: 'always', associations: 1 })],
      })
      return relay
    }
    dialIn()
    await mesh.network.settle()
    expect(mesh.tools.metrics.value('causeway_associations_open', { peer: 'edge' })).toBe(1)
    dialIn(restarted(mesh.identities.edge))
    await mesh.network.settle()
    expect(mesh.tools.metrics.value('causeway_associations_open', { peer: 'edge' })).toBe(1)
    expect(mesh.tools.metrics.value('causeway_associations_closed_total', { peer: 'edge', reason: 'dead' })).toBe(1)
  })

  it('with the same boot id, or as another replica, it only adds an association', async () => {
    const mesh = edgeAndTools()
    for (const identity of [
      mesh.identities.edge,
      mesh.identities.edge,
      { ...restarted(mesh.identities.edge), replica: 'other' },
    ]) {
      startMemoryRelay({
        network: mesh.network,
        identity,
        peers: [peerConfig('tools', mesh.identities.tools.handle, { dial: 'always', associations: 1 })],
      })
    }
    await mesh.network.settle()
    expect(mesh.tools.metrics.value('causeway_associations_open', { peer: 'edge' })).toBe(3)
  })
})

describe('draining', () => {
  it('the peer opens nothing new here, what is open is served, and then the association closes', async () => {
    const mesh = edgeAndTools({ towardsTools: { associations: 1 } })
    mesh.backend.script = () => {}
    const open = start(mesh.target, modernRequest({ id: '1' }))
    await mesh.network.settle()
    mesh.tools.mesh.announceDrain()
    let drained = false
    void mesh.tools.mesh.closeWhenIdle().then(() => {
      drained = true
    })
    await mesh.network.settle()
    // The relay that drains listens no more.
    mesh.network.refusing.add('tools')
    const late = start(mesh.target, modernRequest({ id: '2' }))
    await mesh.network.pass(6_000)
    expect(await late.sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.NOT_DELIVERED })
    expect(drained).toBe(false)

    mesh.backend.calls[0]?.result()
    await mesh.network.settle()
    expect(await open.sink.replyText()).toContain('"id":1')
    expect(drained).toBe(true)
    expect(mesh.edge.metrics.value('causeway_associations_closed_total', { peer: 'tools', reason: 'peer_1' })).toBe(1)
  })

  it('serves a request that crosses the announcement', async () => {
    const mesh = edgeAndTools({ towardsTools: { associations: 1 } })
    start(mesh.target, modernRequest())
    await mesh.network.settle()
    mesh.tools.mesh.announceDrain()
    void mesh.tools.mesh.closeWhenIdle()
    const { sink } = start(mesh.target, modernRequest({ id: '2' }))
    await mesh.network.settle()
    expect(await sink.replyText()).toContain('"id":2')
  })

  it('a session on an association that drains takes no new request: it is lost, and never moved', async () => {
    const mesh = edgeAndTools({ towardsTools: { associations: 1 } })
    const session = newSession()
    start(mesh.target, callRequest({ method: 'initialize', session }))
    await mesh.network.settle()
    mesh.tools.mesh.announceDrain()
    await mesh.network.settle()
    const { sink } = start(mesh.target, callRequest({ session }))
    expect(await sink.failure()).toMatchObject({ code: 'SessionLost', outcome: OUTCOME.NOT_DELIVERED })
  })

  it('closes after 30 s whatever is open', async () => {
    const mesh = edgeAndTools({ towardsTools: { associations: 1 } })
    mesh.backend.script = () => {}
    const { sink } = start(mesh.target, modernRequest())
    await mesh.network.settle()
    void mesh.tools.mesh.closeWhenIdle()
    await mesh.network.pass(36_500)
    expect(await sink.failure()).toMatchObject({ outcome: OUTCOME.UNKNOWN })
  })

  it('stopping closes everything with CLOSE 1 and ends what waits', async () => {
    const mesh = edgeAndTools()
    const open = start(mesh.target, modernRequest())
    await mesh.network.settle()
    await open.sink.replyText()
    mesh.network.silent.add('tools')
    const stopped = mesh.edge.mesh.close(2_000)
    await mesh.network.settle()
    await stopped
    expect(mesh.tools.metrics.value('causeway_associations_closed_total', { peer: 'edge', reason: 'peer_1' })).toBe(1)
    const { sink } = start(mesh.target, modernRequest())
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.NOT_DELIVERED })
  })

  it('stopping breaks off a dial whose handshake is under way', async () => {
    const network = new MemoryNetwork()
    const ended: boolean[] = []
    network.listen('friend', (transport) =>
      transport.start({ onOctets: () => {}, onWritable: () => {}, onEnd: (clean) => ended.push(clean) }),
    )
    const relay = startMemoryRelay({ network, peers: [peerConfig('friend', newIdentity().handle, { dial: 'always' })] })
    await network.settle()
    expect([network.dials.length, ended]).toEqual([2, []])
    await relay.mesh.close(2_000)
    await network.settle()
    expect(ended).toHaveLength(2)
    await network.pass(11_000)
    expect(network.dials).toHaveLength(2)
  })
})

describe('what is counted', () => {
  it('frames and octets of both ends agree, closed associations included', async () => {
    const mesh = edgeAndTools()
    for (let n = 0; n < 5; n++) {
      start(mesh.target, modernRequest({ id: String(n) }))
      await mesh.network.settle()
    }
    const sent = () => mesh.edge.metrics.total('causeway_frames_sent_total')
    const received = () => mesh.tools.metrics.total('causeway_frames_received_total')
    expect(sent()).toBe(received())
    expect(mesh.edge.metrics.total('causeway_octets_sent_total')).toBe(
      mesh.tools.metrics.total('causeway_octets_received_total'),
    )
    const before = sent()
    const stopped = mesh.edge.mesh.close(2_000)
    await mesh.network.settle()
    await stopped
    expect(sent()).toBeGreaterThan(before)
    expect(sent()).toBe(received())
    expect(mesh.tools.metrics.value('causeway_frames_received_total', { peer: 'unknown' })).toBeGreaterThan(0)
  })

  it('exchanges by side and outcome', async () => {
    const mesh = edgeAndTools()
    start(mesh.target, modernRequest())
    start(mesh.targetNamed('nothing'), modernRequest({ id: '2' }))
    await mesh.network.settle()
    const ended = (relay: typeof mesh.edge, side: 'mesh_out' | 'mesh_in', outcome: string) =>
      relay.metrics.value('causeway_exchanges_total', { side, outcome })
    expect(ended(mesh.edge, 'mesh_out', 'result')).toBe(1)
    expect(ended(mesh.edge, 'mesh_out', 'not_sent')).toBe(1)
    expect(ended(mesh.tools, 'mesh_in', 'result')).toBe(1)
    expect(mesh.edge.metrics.value('causeway_exchanges_open', { side: 'mesh_out' })).toBe(0)
  })

  it('logs a call that failed on both sides under one name, at the near one for debugging: its edge has a line too', async () => {
    const mesh = edgeAndTools()
    mesh.backend.script = (call) => call.fail()
    const request = modernRequest()
    const { sink } = start(mesh.target, request)
    await mesh.network.settle()
    const failed = ({ logs }: typeof mesh.edge) =>
      logs.map((text) => JSON.parse(text)).find(({ msg }) => msg.startsWith('exchange failed'))
    const [near, far] = [failed(mesh.edge), failed(mesh.tools)]
    expect(near.requestId).toBe(request.requestId)
    expect(near.exchange).toMatch(/^[0-9a-f]{16}\/1$/)
    expect(far).toMatchObject({ level: 'warn', requestId: near.exchange, target: 'backend/default/scripted' })
    expect(near.level).toBe('debug')
    expect(await sink.failure()).toMatchObject({ exchange: near.exchange })
  })

  it('logs only so many handshakes that failed within a second, and counts them all', async () => {
    const network = new MemoryNetwork()
    const relay = startMemoryRelay({ network, peers: [peerConfig('friend', newIdentity().handle)] })
    for (let n = 0; n < 30; n++) {
      const [near, far] = memoryPair()
      relay.mesh.accept(far, () => {})
      near.destroy()
    }
    await network.pass(1_100)
    expect(relay.logs.filter((line) => line.includes('handshake failed'))).toHaveLength(10)
    expect(relay.logs.some((line) => line.includes('"leftOut":20'))).toBe(true)
    expect(relay.metrics.total('causeway_handshakes_total')).toBe(30)
  })

  it('logs who was met, by handle, and how', async () => {
    const mesh = edgeAndTools({ towardsTools: { associations: 1 } })
    start(mesh.target, modernRequest())
    await mesh.network.settle()
    const line = mesh.edge.logs.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'association established')
    expect(line).toMatchObject({
      peer: 'tools',
      peerHandle: mesh.identities.tools.handle,
      dialledBy: 'us',
      profile: 'Standard',
      kem: 'X25519MLKEM768',
      signature: 'ED25519',
      aead: 'AES_256_GCM',
    })
  })
})
