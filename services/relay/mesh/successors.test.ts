import { signSuccessor } from '@causeway/npamp'
import { describe, expect, it } from 'vitest'
import { modernRequest, start } from '../../../test/fixtures/mesh/calls.ts'
import {
  MemoryNetwork,
  newIdentity,
  peerConfig,
  type RelayIdentity,
  ScriptedBackend,
  startMemoryRelay,
} from '../../../test/fixtures/mesh/memory-mesh.ts'
import type { KeptSuccessor, SuccessorStore } from './successor-store.ts'

const NOW_S = Math.floor(Date.now() / 1_000)

function statement(
  current: RelayIdentity,
  next: RelayIdentity,
  terms = { notBeforeS: NOW_S - 60, notAfterS: NOW_S + 3_600 },
) {
  return signSuccessor(terms, current.key, next.key, current.provider)
}

function storeInMemory(): SuccessorStore & { kept: Map<string, KeptSuccessor[]> } {
  const store = {
    kept: new Map<string, KeptSuccessor[]>(),
    load: () => new Map(store.kept),
    save: (kept: ReadonlyMap<string, readonly KeptSuccessor[]>) => {
      store.kept = new Map([...kept].map(([name, successors]) => [name, [...successors]]))
    },
  }
  return store
}

/** `edge` calls `tools`, whose handle it pins; `tools` is another administration's and changes its key. */
async function world(changes: Parameters<typeof peerConfig>[2] = { acceptSuccessors: true }) {
  const network = new MemoryNetwork()
  const [edgeKey, toolsKey, nextKey] = [newIdentity('edge'), newIdentity('tools'), newIdentity('tools')]
  const backend = new ScriptedBackend()
  backend.script = (call) => call.result()
  const tools = startMemoryRelay({
    network,
    host: 'tools',
    identity: toolsKey,
    peers: [peerConfig('edge', edgeKey.handle, { dial: 'never', addresses: [] })],
    backends: { tools: { backend, peers: ['edge'] } },
  })
  const successorStore = storeInMemory()
  const startEdge = () =>
    startMemoryRelay({
      network,
      identity: edgeKey,
      peers: [peerConfig('tools', toolsKey.handle, { associations: 1, ...changes })],
      successorStore,
    })
  const edge = startEdge()
  const ask = async (relay = edge) => {
    const { sink } = start(relay.mesh.target('tools', 'tools'), modernRequest())
    await network.settle()
    return sink
  }
  await ask()
  const announce = async (octets = statement(toolsKey, nextKey)) => {
    tools.mesh.setIdentity(toolsKey, octets)
    await network.settle()
  }
  const pinned = (relay = edge) => relay.mesh.peerStates()[0]?.pinnedSuccessors
  return { network, tools, edge, startEdge, toolsKey, nextKey, successorStore, ask, announce, pinned }
}

const RESULT = '{"jsonrpc":"2.0","id":1,"result":{}}'

describe('a successor that a peer announces', () => {
  it('is pinned beside its key, and the change of keys loses nothing', async () => {
    const { network, edge, tools, nextKey, toolsKey, announce, pinned, ask } = await world()
    await announce()
    expect(pinned()).toEqual([nextKey.handle])
    expect(edge.mesh.peerStates()[0]?.identityExpiresS).toBe(NOW_S + 3_600)
    tools.mesh.setIdentity({ ...nextKey, bootId: toolsKey.bootId }, undefined)
    await network.pass(5_000)
    expect(await (await ask()).replyText()).toBe(RESULT)
    expect(edge.mesh.peerStates()).toMatchObject([{ peerHandle: nextKey.handle, associations: 1 }])
  })

  it('is told to an association that comes later, too', async () => {
    const { network, tools, toolsKey, nextKey, pinned, ask } = await world()
    network.cut('tools')
    await network.pass(1_000)
    tools.mesh.setIdentity(toolsKey, statement(toolsKey, nextKey))
    await ask()
    expect(pinned()).toEqual([nextKey.handle])
  })

  it('is known after a restart, though the peer has changed its key meanwhile', async () => {
    const { network, edge, startEdge, tools, toolsKey, nextKey, announce, ask, pinned } = await world()
    await announce()
    void edge.mesh.close(0)
    tools.mesh.setIdentity({ ...nextKey, bootId: toolsKey.bootId }, undefined)
    await network.pass(3_000)
    const again = startEdge()
    expect(pinned(again)).toEqual([nextKey.handle])
    expect(await (await ask(again)).replyText()).toBe(RESULT)
  })

  it('may name one of its own in turn', async () => {
    const { network, tools, toolsKey, nextKey, announce, pinned, ask } = await world()
    await announce()
    const third = newIdentity('tools')
    tools.mesh.setIdentity({ ...nextKey, bootId: toolsKey.bootId }, undefined)
    await network.pass(5_000)
    await ask()
    tools.mesh.setIdentity({ ...nextKey, bootId: toolsKey.bootId }, statement(nextKey, third))
    await network.settle()
    expect(pinned()).toEqual([nextKey.handle, third.handle])
  })

  it('is not pinned any more when the key that named it is not', async () => {
    const { network, edge, announce, pinned } = await world()
    await announce()
    edge.mesh.setPeers([peerConfig('tools', newIdentity().handle, { acceptSuccessors: true })], [])
    await network.settle()
    expect(pinned()).toEqual([])
  })

  it.each([
    ['of a peer that is not to be believed that', { acceptSuccessors: false }, undefined],
    ['that is over', { acceptSuccessors: true }, { notBeforeS: NOW_S - 7_200, notAfterS: NOW_S - 3_600 }],
  ])('is not pinned: one %s', async (_which, changes, terms) => {
    const { toolsKey, nextKey, announce, pinned, successorStore } = await world(changes)
    await announce(terms && statement(toolsKey, nextKey, terms))
    expect(pinned()).toEqual([])
    expect(successorStore.kept.size).toBe(0)
  })

  it('is not pinned: one that another key has signed', async () => {
    const { nextKey, announce, pinned, edge } = await world()
    await announce(statement(newIdentity(), nextKey))
    expect(pinned()).toEqual([])
    expect(edge.logs.some((line) => line.includes("the peer's next key is not pinned"))).toBe(true)
  })
})
