import { EFFECT, OUTCOME } from '@causeway/npamp'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { callRequest, modernRequest, newSession, start } from '../../../test/fixtures/mesh/calls.ts'
import { edgeAndTools } from '../../../test/fixtures/mesh/edge-and-tools.ts'
import { newIdentity, peerConfig, ScriptedBackend } from '../../../test/fixtures/mesh/memory-mesh.ts'
import { MAX_RETIRING_MS } from './retirement.ts'

/** One association with `tools` is open, and has carried a call. */
async function connected(options: Parameters<typeof edgeAndTools>[0] = {}) {
  const mesh = edgeAndTools({ towardsTools: { associations: 1 }, ...options })
  const ask = async (request = modernRequest()) => {
    const { sink } = start(mesh.target, request)
    await mesh.network.settle()
    return sink
  }
  await ask()
  mesh.network.listen('elsewhere', (transport) => mesh.tools.mesh.accept(transport, () => {}))
  return {
    ...mesh,
    ask,
    /** What the MeshPeer `tools` says on `edge`. */
    toolsPeer: (changes: Parameters<typeof peerConfig>[2] = {}) =>
      peerConfig('tools', mesh.identities.tools.handle, { associations: 1, ...changes }),
    open: () => mesh.edge.metrics.value('causeway_associations_open', { peer: 'tools' }),
    dialledHosts: () => mesh.network.dials.map(({ host }) => host),
  }
}

const RESULT = '{"jsonrpc":"2.0","id":1,"result":{}}'
const ELSEWHERE = { addresses: [{ host: 'elsewhere', port: 1 }] }

describe('a peer that is configured later', () => {
  it('is reached by targets that were there before', async () => {
    const { edge, toolsPeer, ask } = await connected()
    edge.mesh.setPeers([], ['tools'])
    const before = await (await ask()).failure()
    expect(before).toMatchObject({ code: 'NotDelivered', outcome: OUTCOME.NOT_DELIVERED })
    expect(before.message).toBe('peer tools is not configured on this relay')
    edge.mesh.setPeers([toolsPeer()], [])
    expect(await (await ask()).replyText()).toBe(RESULT)
  })

  it('is dialled at once where it always is to be', async () => {
    const { network, edge, toolsPeer, open } = await connected()
    edge.mesh.setPeers([], ['tools'])
    await network.settle()
    expect(open()).toBe(0)
    edge.mesh.setPeers([toolsPeer({ dial: 'always', associations: 2 })], [])
    await network.settle()
    expect(open()).toBe(2)
  })
})

describe('a peer that is configured no more', () => {
  it('is let go at once: its calls end, and what was opened is over', async () => {
    const { backend, edge, ask, open, network } = await connected()
    backend.script = () => {}
    const sink = await ask()
    edge.mesh.setPeers([], ['tools'])
    await network.settle()
    expect(await sink.failure()).toMatchObject({ outcome: OUTCOME.UNKNOWN })
    expect(open()).toBe(0)
  })

  it('tells calls that wait for it why they wait no more', async () => {
    const { network, edge, toolsPeer, ask } = await connected()
    edge.mesh.setPeers([], ['tools'])
    network.silent.add('tools')
    edge.mesh.setPeers([toolsPeer()], [])
    const sink = await ask()
    expect(sink.ends).toEqual([])
    edge.mesh.setPeers([], ['tools'])
    expect((await sink.failure()).message).toBe('peer tools is not configured on this relay')
  })
})

describe('a handle that is pinned no more', () => {
  it(`${requirement('RLY-014')} costs its associations at once`, async () => {
    const { network, edge, identities, toolsPeer, open, ask } = await connected()
    const more = newIdentity().handle
    edge.mesh.setPeers([toolsPeer({ identity: { mode: 'handles', handles: [more, identities.tools.handle] } })], [])
    await network.settle()
    expect(open()).toBe(1)
    edge.mesh.setPeers([toolsPeer({ identity: { mode: 'handles', handles: [more] } })], [])
    await network.settle()
    expect(open()).toBe(0)
    const sink = await ask()
    await network.pass(3_000)
    expect((await sink.failure()).message).toContain('it is not who its MeshPeer says it is')
  })

  it('keeps whoever dials in out', async () => {
    const { network, tools, identities, open, ask } = await connected()
    tools.mesh.setPeers([peerConfig('edge', newIdentity().handle, { dial: 'never' })], [])
    await network.settle()
    expect(open()).toBe(0)
    const sink = await ask()
    await network.pass(6_000)
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered' })
    tools.mesh.setPeers([peerConfig('edge', identities.edge.handle, { dial: 'never' })], [])
    const again = await ask()
    await network.pass(3_000)
    expect(await again.replyText()).toBe(RESULT)
  })

  it('may be another peer’s in the same change', async () => {
    const { network, edge, identities, toolsPeer } = await connected()
    const nobody = newIdentity().handle
    const other = peerConfig('other', identities.tools.handle, { addresses: [{ host: 'tools', port: 1 }] })
    edge.mesh.setPeers([other, toolsPeer({ identity: { mode: 'handles', handles: [nobody] } })], [])
    const { sink } = start(edge.mesh.target('other', 'tools'), modernRequest())
    await network.settle()
    expect(await sink.replyText()).toBe(RESULT)
    expect(edge.metrics.value('causeway_associations_open', { peer: 'other' })).toBe(1)
  })
})

describe('a call that waits while its peer changes', () => {
  it.each([
    ['is labelled as if nothing were known of its tool where the peer is somebody else', true, EFFECT.DESTRUCTIVE],
    ['keeps its label where only the address is another', false, EFFECT.READ_ONLY],
  ])('%s', async (_what, isAnother, effect) => {
    const mesh = edgeAndTools()
    const { network, edge, backend, target, identities } = mesh
    network.silent.add('tools')
    const { sink } = start(target, modernRequest({ effect: EFFECT.READ_ONLY }))
    await network.settle()
    const identity = isAnother ? newIdentity('another') : identities.tools
    const now = isAnother ? mesh.startTools(identity) : mesh.tools
    network.listen('elsewhere', (transport) => now.mesh.accept(transport, () => {}))
    edge.mesh.setPeers([peerConfig('tools', identity.handle, ELSEWHERE)], [])
    await network.settle()
    expect(await sink.replyText()).toBe(RESULT)
    expect(backend.calls.map(({ request }) => request.effect)).toEqual([effect])
  })
})

describe('an address that changes', () => {
  it(`${requirement('RLY-013')} is dialled at once, and the old one is left when nothing is on it`, async () => {
    const { network, edge, toolsPeer, open, ask, dialledHosts } = await connected()
    edge.mesh.setPeers([toolsPeer(ELSEWHERE)], [])
    await network.settle()
    expect(dialledHosts()).toEqual(['tools', 'elsewhere'])
    await network.pass(3_000)
    expect(open()).toBe(1)
    expect(await (await ask()).replyText()).toBe(RESULT)
    expect(dialledHosts()).toEqual(['tools', 'elsewhere'])
  })

  it(`${requirement('RLY-013')} leaves what is open alone, and a session where it is, until it ends`, async () => {
    const { network, edge, toolsPeer, open, ask, backend, target } = await connected()
    const session = newSession()
    await ask(callRequest({ method: 'initialize', session }))
    const script = backend.script
    backend.script = () => {}
    const long = await ask()
    backend.script = script
    edge.mesh.setPeers([toolsPeer(ELSEWHERE)], [])
    await network.pass(60_000)
    expect(open()).toBe(2)
    expect(await (await ask(callRequest({ session, method: 'ping' }))).replyText()).toContain('result')
    expect(long.ends).toEqual([])
    backend.calls.at(-2)?.result()
    await network.settle()
    expect(await long.replyText()).toBe(RESULT)
    target.endSession(session, 'client')
    await network.pass(3_000)
    expect(open()).toBe(1)
  })

  it(`${requirement('RLY-013')} is where new calls go, while a session is still at the old one`, async () => {
    const { network, edge, toolsPeer, ask, backend } = await connected()
    await ask(callRequest({ method: 'initialize', session: newSession() }))
    edge.mesh.setPeers([toolsPeer(ELSEWHERE)], [])
    await network.settle()
    backend.script = () => {}
    const fresh = await ask()
    network.cut('tools')
    await network.settle()
    backend.calls.at(-1)?.result()
    await network.settle()
    expect(await fresh.end).toMatchObject({ kind: 'result' })
  })

  it(`${requirement('RLY-013')} that nobody answers at leaves the old association in use`, async () => {
    const { network, edge, toolsPeer, open, ask, dialledHosts } = await connected()
    network.refusing.add('elsewhere')
    edge.mesh.setPeers([toolsPeer(ELSEWHERE)], [])
    await network.pass(5_000)
    expect(open()).toBe(1)
    expect(await (await ask()).replyText()).toBe(RESULT)
    const tried = dialledHosts().length
    network.refusing.delete('elsewhere')
    await network.pass(40_000)
    expect(dialledHosts().length).toBeGreaterThan(tried)
    expect(open()).toBe(1)
    network.cut('tools')
    await network.settle()
    expect(open()).toBe(1)
  })

  it('is no reason to leave one that is still listed', async () => {
    const { network, edge, toolsPeer, dialledHosts } = await connected()
    edge.mesh.setPeers(
      [
        toolsPeer({
          addresses: [
            { host: 'elsewhere', port: 1 },
            { host: 'tools', port: 1 },
          ],
        }),
      ],
      [],
    )
    await network.pass(3_000)
    expect(dialledHosts()).toEqual(['tools'])
  })
})

describe('what may change in place', () => {
  it('leaves associations as they are', async () => {
    const { network, edge, toolsPeer, open, dialledHosts } = await connected()
    edge.mesh.setPeers([toolsPeer({ associations: 3, sessionsPerPeer: 9, defaultBackend: 'x' })], [])
    await network.pass(3_000)
    expect(open()).toBe(1)
    expect(dialledHosts()).toEqual(['tools'])
  })

  it('never to be dialled any more: what is open stays', async () => {
    const { network, edge, toolsPeer, open, ask } = await connected()
    edge.mesh.setPeers([toolsPeer({ dial: 'never' })], [])
    await network.pass(3_000)
    expect(open()).toBe(1)
    network.cut('tools')
    await network.settle()
    expect((await (await ask()).failure()).message).toContain('no association with peer tools')
  })

  it('the default backend is that of the next request', async () => {
    const { network, tools, targetNamed, identities, backend } = await connected()
    tools.mesh.setPeers([peerConfig('edge', identities.edge.handle, { dial: 'never', defaultBackend: 'tools' })], [])
    const before = backend.calls.length
    const { sink } = start(targetNamed(undefined), modernRequest())
    await network.settle()
    expect(await sink.replyText()).toBe(RESULT)
    expect(backend.calls).toHaveLength(before + 1)
  })
})

describe('the identity of a relay', () => {
  it(`${requirement('RLY-015')} changes without a lost call: new associations have the new key, old ones drain`, async () => {
    const { network, edge, tools, identities, ask, open } = await connected()
    const next = newIdentity('edge')
    const both = { identity: { mode: 'handles', handles: [identities.edge.handle, next.handle] } } as const
    tools.mesh.setPeers([peerConfig('edge', identities.edge.handle, { dial: 'never', ...both })], [])
    edge.mesh.setIdentity({ ...next, bootId: identities.edge.bootId }, undefined)
    for (let n = 0; n < 5; n++) {
      expect(await (await ask()).replyText()).toBe(RESULT)
      await network.pass(1_000)
    }
    expect(open()).toBe(1)
    expect(tools.mesh.peerStates()).toMatchObject([{ name: 'edge', associations: 1, peerHandle: next.handle }])
  })

  it('is in use while a session is on an association made with it, for so long and no longer', async () => {
    const { network, edge, tools, identities, ask } = await connected({ towardsTools: { associations: 1 } })
    const session = newSession()
    await ask(callRequest({ method: 'initialize', session }))
    const next = newIdentity('edge')
    const both = { identity: { mode: 'handles', handles: [identities.edge.handle, next.handle] } } as const
    tools.mesh.setPeers([peerConfig('edge', identities.edge.handle, { dial: 'never', ...both })], [])
    edge.mesh.setIdentity({ ...next, bootId: identities.edge.bootId }, undefined)
    expect(await (await ask()).replyText()).toBe(RESULT)
    await network.pass(MAX_RETIRING_MS / 2, 4_000)
    expect(await (await ask(callRequest({ session, method: 'ping' }))).replyText()).toContain('result')
    expect(edge.mesh.isInUse(identities.edge.key)).toBe(true)
    await network.pass(MAX_RETIRING_MS / 2, 4_000)
    await network.pass(3_000)
    expect([edge.mesh.isInUse(identities.edge.key), edge.mesh.isInUse(next.key)]).toEqual([false, true])
    // The session is lost with it, and its client is told that the call was not sent.
    expect(edge.sessionsEnded).toEqual([session.id])
    expect(await (await ask()).replyText()).toBe(RESULT)
  })

  it('that is the same one read again changes nothing', async () => {
    const { network, edge, identities, open, dialledHosts } = await connected()
    edge.mesh.setIdentity(identities.edge, undefined)
    await network.pass(3_000)
    expect([open(), dialledHosts()]).toEqual([1, ['tools']])
  })
})

describe('a change while an association is being made', () => {
  /** A call is on its way to the first association; `turns` later the change comes, and everything goes on from there. */
  async function changedAfter(turns: number, change: (mesh: ReturnType<typeof edgeAndTools>) => void) {
    const mesh = edgeAndTools({ towardsTools: { associations: 1 } })
    const { sink } = start(mesh.target, modernRequest())
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
    change(mesh)
    await mesh.network.pass(5_000)
    const again = start(mesh.target, modernRequest())
    await mesh.network.pass(40_000)
    return { ...mesh, sink, again: again.sink }
  }
  const open = ({ edge }: ReturnType<typeof edgeAndTools>) =>
    edge.metrics.value('causeway_associations_open', { peer: 'tools' })
  const turns = Array.from({ length: 8 }, (_, turn) => turn)

  it.each(turns)(
    `${requirement('RLY-015')} of the identity of who dials leaves nothing with the old key, after %i turns`,
    async (turn) => {
      const next = newIdentity('edge')
      const { edge, tools, identities, sink, again } = await changedAfter(turn, ({ edge, tools, identities }) => {
        const handles = [identities.edge.handle, next.handle]
        tools.mesh.setPeers([peerConfig('edge', '', { dial: 'never', identity: { mode: 'handles', handles } })], [])
        edge.mesh.setIdentity({ ...next, bootId: identities.edge.bootId }, undefined)
      })
      expect([await sink.replyText(), await again.replyText()]).toEqual([RESULT, RESULT])
      expect([edge.mesh.isInUse(identities.edge.key), edge.mesh.isInUse(next.key)]).toEqual([false, true])
      expect(tools.mesh.peerStates()).toMatchObject([{ associations: 1, peerHandle: next.handle }])
    },
  )

  it.each(turns)(
    `${requirement('RLY-015')} of the identity of who is dialled leaves nothing with the old key, after %i turns`,
    async (turn) => {
      const next = newIdentity('tools')
      const { tools, identities, sink, again } = await changedAfter(turn, ({ edge, tools, identities }) => {
        const handles = [identities.tools.handle, next.handle]
        edge.mesh.setPeers([peerConfig('tools', '', { associations: 1, identity: { mode: 'handles', handles } })], [])
        tools.mesh.setIdentity({ ...next, bootId: identities.tools.bootId }, undefined)
      })
      // A handshake that was under way may have pinned the first key alone.
      expect([sink.ends.length, await again.replyText()]).toEqual([1, RESULT])
      expect([tools.mesh.isInUse(identities.tools.key), tools.mesh.isInUse(next.key)]).toEqual([false, true])
    },
  )

  it.each(turns)(
    `${requirement('RLY-014')} of the pins lets nobody in who is pinned no more, after %i turns`,
    async (turn) => {
      const nobody = newIdentity()
      const mesh = await changedAfter(turn, ({ edge }) => {
        edge.mesh.setPeers([peerConfig('tools', nobody.handle, { associations: 1 })], [])
      })
      expect(open(mesh)).toBe(0)
      expect((await mesh.again.failure()).message).toContain('it is not who its MeshPeer says it is')
    },
  )

  it.each(turns)('of what the HELLO says leaves no association with the old one, after %i turns', async (turn) => {
    const mesh = await changedAfter(turn, ({ edge, identities }) => {
      edge.mesh.setPeers(
        [peerConfig('tools', identities.tools.handle, { associations: 1, maxFrameOctets: 70_000 })],
        [],
      )
    })
    expect([await mesh.sink.replyText(), await mesh.again.replyText(), open(mesh)]).toEqual([RESULT, RESULT, 1])
    expect(mesh.network.dials.length).toBeLessThanOrEqual(2)
    const large = `{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(80_000)}"}`
    mesh.backend.script = (call) => call.result(large)
    const { sink } = start(mesh.target, modernRequest())
    await mesh.network.settle()
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered' })
  })
})

describe('a grant that ends', () => {
  it('is the end of the sessions with that target, and of nothing else', async () => {
    const other = new ScriptedBackend()
    other.script = (call) => call.result()
    const granted = ['edge']
    const { network, tools, edge, backend, ask, targetNamed } = await connected({
      backends: { other: { backend: other, peers: granted } },
    })
    const [kept, lost] = [newSession(), newSession()]
    await ask(callRequest({ method: 'initialize', session: kept }))
    start(targetNamed('other'), callRequest({ method: 'initialize', session: lost }))
    await network.settle()
    granted.splice(0)
    tools.mesh.targetsChanged()
    await network.settle()
    expect(other.ended.map(({ session, reason }) => [session.id, reason])).toEqual([[lost.id, 'policy']])
    expect(backend.ended).toEqual([])
    expect(edge.sessionsEnded).toEqual([lost.id])
    const { sink } = start(targetNamed('other'), modernRequest())
    await network.settle()
    expect(await sink.failure()).toMatchObject({ code: 'MethodUnsupported' })
  })
})

describe('a configuration that is too old', () => {
  it('lets peers do nothing but read', async () => {
    const { tools, ask, backend } = await connected()
    tools.mesh.denyUnlessReadOnly(true)
    const before = backend.calls.length
    expect(await (await ask(modernRequest({ method: 'tools/call' }))).failure()).toMatchObject({
      code: 'SafetyPolicy',
      outcome: OUTCOME.NOT_DELIVERED,
    })
    expect(backend.calls).toHaveLength(before)
    expect(await (await ask(modernRequest({ method: 'tools/list' }))).replyText()).toBe(RESULT)
    tools.mesh.denyUnlessReadOnly(false)
    expect(await (await ask(modernRequest({ method: 'tools/call' }))).replyText()).toBe(RESULT)
  })
})

describe('how peers are', () => {
  it('is known without a call where one was dialled, and told when it changes', async () => {
    const { network, edge, tools, toolsPeer } = await connected()
    expect(edge.mesh.peerStates()).toMatchObject([{ name: 'tools', reachable: 'reachable', associations: 1 }])
    expect(tools.mesh.peerStates()).toMatchObject([{ name: 'edge', reachable: 'reachable' }])
    network.refusing.add('tools')
    await network.pass(6_000)
    network.cut('tools')
    await network.settle()
    expect(edge.mesh.peerStates()).toMatchObject([{ reachable: 'notTried', message: '' }])
    expect(tools.mesh.peerStates()).toMatchObject([{ reachable: 'notTried' }])
    edge.mesh.setPeers([toolsPeer({ dial: 'always' })], [])
    await network.settle()
    expect(edge.mesh.peerStates()).toMatchObject([{ reachable: 'unreachable', message: 'tools: ECONNREFUSED' }])
  })
})
