import { create } from '@bufbuild/protobuf'
import { DeltaErrorCode, InstanceStatusSchema, Reachability, ResourceKind } from '@causeway/rpc'
import { describe, expect, it } from 'vitest'
import { bootId, described, EDGE, ScriptedInstance } from '../../../test/fixtures/control-plane/instance.ts'
import { aBackend, aPeer, aRelay, aRoute, told } from '../../../test/fixtures/control-plane/objects.ts'
import { aControlPlane } from '../../../test/fixtures/control-plane/running.ts'
import { settled } from '../../../test/fixtures/kube/virtual-clock.ts'
import { requirement } from '../../../test/requirements/requirement.ts'
import type { SourceObject } from '../sources/source.ts'
import type { ObjectStatus } from '../status/object-status.ts'

const FAR = { ...EDGE, relay: 'far' }

/** A relay, what is told of it, and an instance of it that may say what it likes. */
function serving(...objects: SourceObject[]) {
  const world = aControlPlane()
  world.source.tell(told(1, [aRelay(), aBackend(), aRoute(), aPeer(), ...objects]))
  world.source.synced()
  const written = new Map<string, ObjectStatus>()
  world.plane.lead(
    { write: (status) => written.set(`${status.kind} ${status.name}`, status), forget() {} },
    { collectingMs: 0, settleMs: 250, pendingMs: 2_000 },
  )
  return { ...world, written, instance: new ScriptedInstance(world.plane.serve) }
}

/** Backends of a mebioctet each. */
function largeBackends(count: number): SourceObject[] {
  const args = Array.from({ length: 256 }, () => 'x'.repeat(4_000))
  const { resource, ...facts } = aBackend('large', { mcp: { stdio: { command: 'server', args } } })
  const named = (name: string) => ({ ...resource, metadata: { ...resource.metadata, name } }) as typeof resource
  return Array.from({ length: count }, (_, index) => ({ ...facts, resource: named(`large-${index}`) }))
}

describe(`${requirement('CTL-015')} more than one message has room for`, () => {
  it('is not sent, and nothing else suffers: the stream stays, other relays are served, and it is told', async () => {
    const { instance, plane, source, clock, written } = serving()
    await instance.hello().accepted()
    source.tell(told(2, [...largeBackends(70), aRelay('far')]))
    await clock.pass(3_000, 100)
    expect(instance.pending).toBe(0)
    const far = new ScriptedInstance(plane.serve, FAR)
    expect(described(await far.hello({ relay: 'far' }).delta())).toEqual(['+relay default/far'])
    const [programmed] = written.get('MeshBackend default/large-1')?.conditions ?? []
    expect(programmed).toMatchObject({ type: 'Programmed', status: 'False', reason: 'Rejected' })
    expect(programmed?.message).toMatch(/TooLarge: .* octets/)

    source.tell(told(3, [], { removals: largeBackends(69).map(({ resource }) => idOf(resource)) }))
    await clock.pass(20)
    expect(described(await instance.delta())).toEqual(['+backend default/large-69'])
  })

  it('in one object, which alone waits: a relay takes nothing of a Delta that has it', async () => {
    const { instance, source, clock, written } = serving()
    await instance.hello().accepted()
    const env = Array.from({ length: 10 }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(4_000) }))
    const args = Array.from({ length: 256 }, () => 'x'.repeat(4_000))
    source.tell(told(2, [aBackend('huge', { mcp: { stdio: { command: 'server', args, env } } }), aRoute('other')]))
    await clock.pass(3_000, 100)
    expect(described(await instance.delta())).toEqual(['+route default/other'])
    const [programmed] = written.get('MeshBackend default/huge')?.conditions ?? []
    expect(programmed).toMatchObject({ status: 'False', reason: 'TooLarge' })
  })
})

const idOf = ({ kind, metadata: { namespace, name } }: SourceObject['resource']) => ({
  kind,
  name: `${namespace}/${name}`,
})

describe(`${requirement('CTL-015')} an instance that refuses what it was never sent`, () => {
  const invented = (from: number) =>
    Array.from({ length: 100 }, (_, index) => ({
      kind: ResourceKind.ROUTE,
      name: `default/invented-${from + index}`,
      version: new Uint8Array(32),
      reason: 'Odd',
      fieldPath: '',
      message: '',
    }))

  it('does not make the control plane remember it', async () => {
    const { instance, plane } = serving()
    const { nonce } = await instance.hello().accepted()
    for (let from = 0; from < 1_000; from += 100) instance.reply(nonce, { refusals: invented(from) })
    await settled()
    let kept = 0
    plane.instances.attach({ changed: (_instance, { acceptances }) => (kept += acceptances.size), gone() {} })
    expect(kept).toBe(4)
  })
})

describe(`${requirement('CTL-015')} what an instance says`, () => {
  const refused = async (refusal: { reason: string; message: string; fieldPath?: string }) => {
    const world = serving()
    const delta = await world.instance.hello().delta()
    const route = delta.upserts.find(({ kind }) => kind === ResourceKind.ROUTE)
    if (route === undefined) throw new Error('there is no route')
    const { kind, name, version } = route
    world.instance.reply(delta.nonce, { refusals: [{ kind, name, version, fieldPath: '', ...refusal }] })
    await world.clock.pass(3_000, 100)
    return world.written.get('MeshRoute default/everything')
  }

  it('is cut where it is longer than a person reads, so that it can be written at all', async () => {
    const status = await refused({ reason: 'Invalid', message: 'x'.repeat(100_000), fieldPath: 'y'.repeat(100_000) })
    expect(JSON.stringify(status).length).toBeLessThan(8_000)
    expect(status?.relays[0]?.message).toMatch(/^y+….*: x+…$/)
  })

  it('is one line that no terminal obeys', async () => {
    const status = await refused({
      reason: 'Invalid',
      message: `a${String.fromCharCode(27)}[2J\n  ok all is well\u202eb`,
    })
    expect(status?.relays[0]?.message).toBe('a [2J   ok all is well b')
  })

  it.each(['', 'not a word', 'x'.repeat(2_000), '9'])(
    'has a reason that can be written, also where it is %j',
    async (reason) => {
      const status = await refused({ reason, message: 'm' })
      expect(status?.relays[0]).toMatchObject({ programmed: 'False', reason: 'Unknown' })
    },
  )

  it('of the end of an identity may be beyond every calendar', async () => {
    const world = serving()
    await world.instance.hello().accepted()
    const peer = { name: 'default/tools', reachable: Reachability.REACHABLE, identityExpires: 2n ** 53n - 1n }
    world.instance.status(create(InstanceStatusSchema, { peers: [peer] }))
    await world.clock.pass(3_000, 100)
    const conditions = world.written.get('MeshPeer default/tools')?.conditions ?? []
    expect(conditions.find(({ type }) => type === 'IdentityExpiring')).toMatchObject({ status: 'False' })
  })

  it('of a peer is cut, and what is no PeerHandle and no digest is not written', async () => {
    const world = serving()
    await world.instance.hello().accepted()
    const peer = {
      name: 'default/tools',
      reachable: Reachability.UNREACHABLE,
      message: 'x'.repeat(100_000),
      pinnedSuccessors: Array.from({ length: 1_000 }, (_, index) => `not-a-handle-${index}`),
    }
    const status = create(InstanceStatusSchema, {
      peerHandle: 'me',
      trustBundleSha256: new Uint8Array(5),
      peers: [peer],
    })
    world.instance.status(status)
    await world.clock.pass(3_000, 100)
    const written = JSON.stringify(world.written.get('MeshPeer default/tools'))
    expect([written.length < 8_000, written.includes('not-a-handle')]).toEqual([true, false])
    const [row] = world.written.get('MeshRelay default/edge')?.relays ?? []
    expect([row?.peerHandle, row?.bundleSHA256]).toEqual([undefined, undefined])
  })
})

describe(`${requirement('CTL-015')} an instance that calls everything stale`, () => {
  it('does not have everything listed again and again', async () => {
    const { instance, source, clock } = serving()
    const error = { code: DeltaErrorCode.STALE_SOURCE, message: 'older', kinds: ['MeshRoute'] }
    instance.hello()
    void (async () => {
      for (;;) instance.reply((await instance.delta()).nonce, { error })
    })()
    await clock.pass(1_100)
    expect(await instance.closed).toMatchObject({ code: 'ABORTED' })
    expect(source.lists).toBe(2)
  })

  it('nor do those that claim to have seen the future, however often they come', async () => {
    const { plane, source, clock } = serving()
    const position = { source: Uint8Array.from({ length: 16 }, (_, index) => index), value: 2n ** 63n }
    for (let boot = 1; boot <= 50; boot++) {
      const instance = new ScriptedInstance(plane.serve).hello({
        bootId: bootId(boot),
        positions: [{ kind: 'MeshRoute', position }],
      })
      await settled()
      await clock.pass(20)
      instance.end()
    }
    expect(source.lists).toBeLessThanOrEqual(3)
  })

  it('and no other relay waits for it: one that has to have a list has it at once', async () => {
    const { plane, source, clock } = serving(aRelay('far'))
    const position = { source: Uint8Array.from({ length: 16 }, (_, index) => index), value: 2n ** 63n }
    const hello = { positions: [{ kind: 'MeshRoute', position }] }
    for (let boot = 1; boot <= 5; boot++) {
      new ScriptedInstance(plane.serve).hello({ ...hello, bootId: bootId(boot) })
      await clock.pass(20)
    }
    const before = source.lists
    const far = new ScriptedInstance(plane.serve, FAR).hello({ ...hello, relay: 'far' })
    expect((await far.delta()).rewound).toBe(true)
    expect(source.lists).toBe(before + 1)
  })
})

describe(`${requirement('CTL-015')} an instance that opens stream after stream`, () => {
  it('has two at most: the last one, and the one that it takes over from', async () => {
    const { instance, plane } = serving()
    await instance.hello().accepted()
    const second = new ScriptedInstance(plane.serve).hello()
    await second.delta()
    const third = new ScriptedInstance(plane.serve).hello()
    expect(await instance.closed).toBeUndefined()
    await third.accepted()
    expect(await second.closed).toBeUndefined()
  })
})

describe(`${requirement('CTL-015')} an instance that says it has what it was never sent`, () => {
  const invented = (count: number, length = 16) =>
    Array.from({ length: count }, (_, index) => ({
      kind: ResourceKind.ROUTE,
      name: `default/${'x'.repeat(length)}${index}`,
      version: new Uint8Array(32),
    }))

  it('is refused beyond what a relay can have', async () => {
    const { plane } = serving()
    const beyond = new ScriptedInstance(plane.serve).hello({ held: invented(50_001) })
    expect(await beyond.closed).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('many times over has room for so much, and for more only when that is given back; others are served', async () => {
    const { plane, clock } = serving(aRelay('far'))
    const held = invented(1_000, 9_000)
    const instances = Array.from({ length: 8 }, (_, ordinal) =>
      new ScriptedInstance(plane.serve).hello({ ordinal, held }),
    )
    const ends: unknown[] = []
    for (const { closed } of instances) void closed.then((end) => ends.push(end))
    await clock.pass(100)
    expect(ends).toMatchObject([{ code: 'RESOURCE_EXHAUSTED' }])
    const far = new ScriptedInstance(plane.serve, FAR).hello({ relay: 'far', held: invented(1_000, 9_000) })
    await clock.pass(31_000, 1_000)
    expect((await far.delta()).removals).toHaveLength(1_000)
    for (const instance of instances.slice(0, 7)) await instance.accepted()
    await settled()
    const again = new ScriptedInstance(plane.serve).hello({ ordinal: 7, held })
    await clock.pass(31_000, 1_000)
    expect(again.pending).toBe(1)
    expect((await again.delta()).removals).toHaveLength(1_000)
  })
})

describe(`${requirement('CTL-015')} an instance that says it is many`, () => {
  it('is refused beyond the replicas that a MeshRelay can have', async () => {
    const { plane } = serving()
    const beyond = new ScriptedInstance(plane.serve).hello({ ordinal: 1_000 })
    expect(await beyond.closed).toMatchObject({ code: 'INVALID_ARGUMENT' })
    const last = new ScriptedInstance(plane.serve).hello({ ordinal: 999 })
    expect((await last.delta()).upserts.length).toBeGreaterThan(0)
  })
})
