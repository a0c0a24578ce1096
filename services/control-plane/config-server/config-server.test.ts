import { create } from '@bufbuild/protobuf'
import {
  type Delta,
  DeltaErrorCode,
  InstanceStatusSchema,
  ReconnectReason,
  ResourceKind,
  type ResourceVersion,
  versionOf,
} from '@causeway/rpc'
import { describe, expect, it } from 'vitest'
import { bootId, described, EDGE, ScriptedInstance } from '../../../test/fixtures/control-plane/instance.ts'
import {
  aBackend,
  aPeer,
  aRelay,
  aRoute,
  positionAt,
  SOURCE_ID,
  told,
} from '../../../test/fixtures/control-plane/objects.ts'
import { aControlPlane } from '../../../test/fixtures/control-plane/running.ts'
import { settled } from '../../../test/fixtures/kube/virtual-clock.ts'
import { requirement } from '../../../test/requirements/requirement.ts'
import type { SourceObject } from '../sources/source.ts'

const EVERYTHING = ['+backend default/everything', '+relay default/edge', '+route default/everything']

/** Served, with these objects at position 1. */
function serving(...objects: SourceObject[]) {
  const world = aControlPlane()
  world.source.tell(told(1, objects.length === 0 ? [aRelay(), aBackend(), aRoute()] : objects))
  world.source.synced()
  return { ...world, instance: new ScriptedInstance(world.plane.serve) }
}

/** An instance that has everything, and the world that it is in. */
async function inSync(...objects: SourceObject[]) {
  const world = serving(...objects)
  await world.instance.hello().accepted()
  return world
}

const kindPositions = (value: number, source = SOURCE_ID) => [
  { kind: 'MeshRoute', position: positionAt(value, source) },
  { kind: 'MeshRelay', position: positionAt(value, source) },
]

const routePosition = ({ positions }: Delta) => positions.find(({ kind }) => kind === 'MeshRoute')?.position?.value

const manyRoutes = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => aRoute(`r${index + from}`, { path: `/r${index + from}` }))
const routeIds = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ kind: 'MeshRoute', name: `default/r${index}` }) as const)

describe('a stream', () => {
  it(`${requirement('CTL-002')} begins with all that the instance lacks, in one Delta`, async () => {
    const { instance } = serving()
    const delta = await instance.hello().delta()
    expect(described(delta)).toEqual(EVERYTHING)
    expect(delta.rewound).toBe(false)
    for (const { version, body } of delta.upserts) expect(versionOf(body)).toEqual(Buffer.from(version))
    expect(delta.positions.map(({ kind, position }) => [kind, position?.value])).toEqual([
      ['MeshRelay', 1n],
      ['MeshPeer', 1n],
      ['MeshBackend', 1n],
      ['MeshRoute', 1n],
    ])
  })

  it(`${requirement('CTL-002')} gives an instance that has some of it the difference, also what it has too much`, async () => {
    const { instance } = serving()
    const { upserts } = await instance.hello().delta()
    const held: ResourceVersion[] = upserts
      .filter(({ kind }) => kind !== ResourceKind.BACKEND)
      .map(({ kind, name, version }) => ({ $typeName: 'causeway.config.v1.ResourceVersion', kind, name, version }))
    const old = { kind: ResourceKind.ROUTE, name: 'default/old', version: new Uint8Array(32) }
    const again = new ScriptedInstance(serving().plane.serve).hello({ held: [...held, old] })
    expect(described(await again.delta())).toEqual(['+backend default/everything', '-route default/old'])
  })

  it(`${requirement('CTL-002')} has a first Delta also where nothing is lacking: then the instance knows that it is up to date`, async () => {
    const { instance, plane } = serving()
    const { upserts } = await instance.hello().accepted()
    const held = upserts.map(({ kind, name, version }) => ({ kind, name, version }))
    const next = new ScriptedInstance(plane.serve).hello({ held, positions: kindPositions(1) })
    expect(described(await next.delta())).toEqual([])
  })

  it(`${requirement('CTL-009', 'CTL-001')} leaves an instance what is not valid, also its own settings, where nothing else is known of it`, async () => {
    const { plane, source, clock } = aControlPlane()
    const broken = (kind: 'MeshRelay' | 'MeshRoute', name: string) =>
      ({ kind, name: `default/${name}`, uid: '', generation: 1, problems: [] }) as const
    source.tell(told(1, [aBackend()], { invalid: [broken('MeshRelay', 'edge'), broken('MeshRoute', 'old')] }))
    source.synced()
    const held = [
      { kind: ResourceKind.RELAY, name: 'default/edge', version: new Uint8Array(32) },
      { kind: ResourceKind.ROUTE, name: 'default/old', version: new Uint8Array(32) },
      { kind: ResourceKind.ROUTE, name: 'default/gone', version: new Uint8Array(32) },
    ]
    const instance = new ScriptedInstance(plane.serve).hello({ held })
    await settled()
    expect(instance.pending).toBe(1)
    expect(described(await instance.accepted())).toEqual(['+backend default/everything', '-route default/gone'])
    source.tell(told(2, [], { removals: [{ kind: 'MeshRoute', name: 'default/old' }] }))
    await clock.pass(20)
    expect(described(await instance.delta())).toEqual(['-route default/old'])
  })

  it(`${requirement('CTL-001')} says nothing before every kind has been listed once`, async () => {
    const { plane, source } = aControlPlane()
    source.tell(told(1, [aRelay()]))
    const instance = new ScriptedInstance(plane.serve).hello()
    await settled()
    expect(instance.pending).toBe(0)
    expect(plane.ready()).toEqual({ ok: false, reasons: ['not every kind has been listed yet'] })
    source.tell(told(2, [aBackend()]))
    source.synced()
    expect(described(await instance.delta())).toEqual(['+backend default/everything', '+relay default/edge'])
    expect(plane.ready().ok).toBe(true)
  })

  it(`${requirement('CTL-001')} says nothing while the relay has no settings to put the rest into`, async () => {
    const { plane, source, clock } = aControlPlane({ place: 'cluster' })
    const relay = aRelay('edge', { identity: {} }, { uid: 'u1' })
    source.tell(told(1, [relay, aBackend()]))
    source.synced()
    const instance = new ScriptedInstance(plane.serve, { ...EDGE, uid: 'u1' }).hello()
    await settled()
    expect(instance.pending).toBe(0)
    const identity = { state: 'Active', peerHandle: 'x', secretName: 'causeway-edge-identity-a' } as const
    source.tell(told(2, [{ ...relay, status: { identity } }]))
    await clock.pass(20)
    expect(described(await instance.delta())).toEqual(['+backend default/everything', '+relay default/edge'])
  })
})

describe(`${requirement('CTL-004')} changes`, () => {
  it('go out one Delta at a time; what changes meanwhile adds up', async () => {
    const { instance, source, clock } = await inSync()
    source.tell(told(2, [aRoute('a', { path: '/a' })]))
    await clock.pass(20)
    const first = await instance.delta()
    source.tell(told(3, [aRoute('a', { path: '/b' })]))
    source.tell(told(4, [aRoute('a', { path: '/c' }), aRoute('b', { path: '/d' })]))
    source.tell(told(5, [], { removals: [{ kind: 'MeshRoute', name: 'default/everything' }] }))
    await clock.pass(1_000)
    expect(instance.pending).toBe(0)
    instance.reply(first.nonce)
    const second = await instance.delta()
    expect(described(second)).toEqual(['+route default/a', '+route default/b', '-route default/everything'])
    expect(routePosition(second)).toBe(5n)
  })

  it('that come together go out together', async () => {
    const { instance, source, clock } = await inSync()
    source.tell(told(2, [aRoute('a')]))
    source.tell(told(3, [aRoute('b')]))
    await clock.pass(20)
    expect(described(await instance.delta())).toEqual(['+route default/a', '+route default/b'])
  })

  it('that are taken back meanwhile are not sent', async () => {
    const { instance, source, clock } = await inSync()
    source.tell(told(2, [aRoute('a')]))
    source.tell(told(3, [], { removals: [{ kind: 'MeshRoute', name: 'default/a' }] }))
    await clock.pass(1_000)
    expect(instance.pending).toBe(0)
  })

  it('of other relays are nothing to an instance', async () => {
    const { instance, source, clock } = await inSync()
    source.tell(told(2, [aRelay('far'), aBackend('b', { relayRefs: [{ name: 'far' }] })]))
    await clock.pass(1_000)
    expect(instance.pending).toBe(0)
  })

  it(`${requirement('CTL-005')} that are not answered end the stream`, async () => {
    const { instance, clock } = serving()
    await instance.hello().delta()
    await clock.pass(61_000, 1_000)
    expect(await instance.closed).toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  })

  it(`${requirement('CTL-005')} that could not be stored are sent again, later and later`, async () => {
    const { instance, clock } = serving()
    const error = { code: DeltaErrorCode.NOT_STORED, message: 'no space left' }
    let delta = await instance.hello().delta()
    for (const waitMs of [1_000, 2_000, 4_000]) {
      instance.reply(delta.nonce, { error })
      await settled()
      await clock.pass(waitMs - 100)
      expect(instance.pending).toBe(0)
      await clock.pass(100)
      delta = await instance.delta()
      expect(described(delta)).toEqual(EVERYTHING)
    }
  })

  it(`${requirement('CTL-005')} that could be stored at last make the next failure the first one again`, async () => {
    const { instance, clock, source } = serving()
    const error = { code: DeltaErrorCode.NOT_STORED, message: 'no space left' }
    instance.reply((await instance.hello().delta()).nonce, { error })
    await clock.pass(1_000)
    instance.reply((await instance.delta()).nonce, { error })
    await clock.pass(2_000)
    await instance.accepted()
    source.tell(told(2, [aRoute('a')]))
    await clock.pass(20)
    instance.reply((await instance.delta()).nonce, { error })
    await clock.pass(1_000)
    expect(instance.pending).toBe(1)
    expect(described(await instance.delta())).toEqual(['+route default/a'])
  })

  it(`${requirement('CTL-005')} about which the two do not agree end the stream, so that it is opened anew`, async () => {
    const { instance } = serving()
    const { nonce } = await instance.hello().delta()
    instance.reply(nonce, { error: { code: DeltaErrorCode.INCONSISTENT, message: 'no such resource' } })
    expect(await instance.closed).toMatchObject({ code: 'ABORTED' })
  })

  it(`${requirement('CTL-005')} a reply to what was never said ends the stream`, async () => {
    const { instance } = await inSync()
    instance.reply(17n)
    expect(await instance.closed).toMatchObject({ code: 'ABORTED' })
  })
})

describe(`${requirement('CTL-006')} a Delta that would remove more than half of at least 20 resources`, () => {
  const world = () => inSync(aRelay(), aBackend(), ...manyRoutes(20))

  it('waits 30 s, and is sent when a fresh list says the same', async () => {
    const { instance, source, clock, metrics } = await world()
    source.tell(told(2, [], { removals: routeIds(12) }))
    await clock.pass(29_900, 1_000)
    expect(instance.pending).toBe(0)
    expect(source.lists).toBe(0)
    await clock.pass(200)
    expect((await instance.delta()).removals).toHaveLength(12)
    expect(source.lists).toBe(1)
    expect(metrics.value('causeway_control_plane_deltas_held_total')).toBe(1)
  })

  it('is not sent when the list finds what was gone', async () => {
    const { instance, source, clock } = await world()
    source.tell(told(2, [], { removals: routeIds(12) }))
    source.onList = () => told(3, manyRoutes(11))
    await clock.pass(31_000, 1_000)
    expect(described(await instance.delta())).toEqual(['-route default/r11'])
  })

  it('takes what changes meanwhile with it', async () => {
    const { instance, source, clock } = await world()
    source.tell(told(2, [], { removals: routeIds(12) }))
    await clock.pass(10_000, 1_000)
    source.tell(told(3, [aPeer()]))
    await clock.pass(19_000, 1_000)
    expect(instance.pending).toBe(0)
    await clock.pass(2_000, 1_000)
    const delta = await instance.delta()
    expect([delta.removals.length, delta.upserts.length]).toEqual([12, 1])
  })

  it('is forgotten when what was gone is there again', async () => {
    const { instance, source, clock } = await world()
    source.tell(told(2, [], { removals: routeIds(12) }))
    await clock.pass(10_000, 1_000)
    source.tell(told(3, manyRoutes(12)))
    await clock.pass(60_000, 1_000)
    expect([instance.pending, source.lists]).toEqual([0, 0])
  })

  it('20 are enough', async () => {
    const { instance, source, clock } = await inSync(aRelay(), aBackend(), ...manyRoutes(18))
    source.tell(told(2, [], { removals: routeIds(11) }))
    await clock.pass(1_000)
    expect(instance.pending).toBe(0)
    await clock.pass(30_000, 1_000)
    expect((await instance.delta()).removals).toHaveLength(11)
  })

  it('half of them, or most of few, go at once', async () => {
    const half = await world()
    half.source.tell(told(2, [], { removals: routeIds(11) }))
    await half.clock.pass(20)
    expect((await half.instance.delta()).removals).toHaveLength(11)
    const few = await inSync(aRelay(), aBackend(), ...manyRoutes(17))
    few.source.tell(told(2, [], { removals: routeIds(17) }))
    await few.clock.pass(20)
    expect((await few.instance.delta()).removals).toHaveLength(17)
  })

  it('the same for an instance that comes with more than is known here', async () => {
    const { instance, clock, source } = serving(aRelay(), aBackend())
    const held = routeIds(30).map(({ name }) => ({ kind: ResourceKind.ROUTE, name, version: new Uint8Array(32) }))
    instance.hello({ held })
    source.onList = () => told(2, manyRoutes(30))
    await settled()
    expect(instance.pending).toBe(0)
    await clock.pass(31_000, 1_000)
    expect(described(await instance.delta())).toHaveLength(32)
  })
})

describe(`${requirement('CTL-007')} a source that is behind what an instance has seen`, () => {
  it('is listed first', async () => {
    const { instance, source } = serving()
    source.onList = () => told(9, [aRoute('a')])
    instance.hello({ positions: kindPositions(7) })
    const delta = await instance.delta()
    expect([source.lists, delta.rewound, routePosition(delta)]).toEqual([1, false, 9n])
    expect(described(delta)).toContain('+route default/a')
  })

  it('and older even then: it went back itself', async () => {
    const { instance, source, clock } = serving()
    instance.hello({ positions: kindPositions(7) })
    const delta = await instance.delta()
    expect([source.lists, delta.rewound, routePosition(delta)]).toEqual([1, true, 1n])
    instance.reply(delta.nonce)
    source.tell(told(2, [aRoute('a')]))
    await clock.pass(20)
    expect(instance.pending).toBe(1)
    expect((await instance.delta()).rewound).toBe(false)
    expect(source.lists).toBe(1)
  })

  it('is not listed where the instance has seen as much and no more', async () => {
    const { instance, source } = serving()
    const delta = await instance.hello({ positions: kindPositions(1) }).delta()
    expect([source.lists, delta.rewound]).toEqual([0, false])
  })

  it('of another source nothing is older', async () => {
    const { instance, source } = serving()
    instance.hello({ positions: kindPositions(7, new Uint8Array(16)) })
    expect((await instance.delta()).rewound).toBe(false)
    expect(source.lists).toBe(0)
  })

  it('an instance that knows more than it said refuses, and is believed', async () => {
    const { instance, source, clock } = serving()
    const error = { code: DeltaErrorCode.STALE_SOURCE, message: 'older', kinds: ['MeshRoute'] }
    const first = await instance.hello().delta()
    instance.reply(first.nonce, { error })
    const second = await instance.delta()
    expect([source.lists, second.rewound]).toEqual([1, false])
    instance.reply(second.nonce, { error })
    await settled()
    await clock.pass(1_000)
    const third = await instance.delta()
    expect([source.lists, third.rewound, described(third)]).toEqual([2, true, EVERYTHING])
    instance.reply(third.nonce)
    source.tell(told(2, [aRoute('a')]))
    await clock.pass(2_000)
    expect([(await instance.delta()).rewound, source.lists]).toEqual([false, 2])
  })
})

describe(`${requirement('CTL-012')} who is served`, () => {
  const refused = { code: 'PERMISSION_DENIED', message: 'this relay is not served here' }

  it.each([
    ['another relay than that of the certificate', { relay: 'far' }, EDGE],
    ['another namespace', { namespace: 'other' }, EDGE],
    ['a relay that is not there', { relay: 'gone' }, { ...EDGE, relay: 'gone' }],
    ['an object of that name that is gone', {}, { ...EDGE, uid: 'old' }],
  ])('not %s', async (_who, hello, identity) => {
    const { plane, metrics } = serving()
    const instance = new ScriptedInstance(plane.serve, identity).hello(hello)
    expect(await instance.closed).toMatchObject(refused)
    expect(metrics.value('causeway_control_plane_streams_total', { result: 'refused' })).toBe(1)
  })

  it('not whoever says nothing, or something else first', async () => {
    const { plane, clock } = serving()
    const silent = new ScriptedInstance(plane.serve)
    const odd = new ScriptedInstance(plane.serve).reply(1n)
    expect(await odd.closed).toMatchObject({ code: 'INVALID_ARGUMENT' })
    await clock.pass(11_000, 1_000)
    expect(await silent.closed).toMatchObject({ code: 'DEADLINE_EXCEEDED' })
    const nameless = new ScriptedInstance(plane.serve).hello({ bootId: 'first' })
    expect(await nameless.closed).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('a relay that is deleted, or made again, is not any more', async () => {
    const { instance, source } = await inSync(aRelay('edge', {}, { uid: '' }))
    source.tell(told(2, [], { removals: [{ kind: 'MeshRelay', name: 'default/edge' }] }))
    expect(await instance.closed).toMatchObject(refused)

    const { plane, source: other } = aControlPlane({ place: 'cluster' })
    const identity = { state: 'Active', peerHandle: 'x', secretName: 'causeway-edge-identity-a' } as const
    const relay = (uid: string) => aRelay('edge', { identity: {} }, { uid, status: { identity } })
    other.tell(told(1, [relay('one')]))
    other.synced()
    const old = new ScriptedInstance(plane.serve, { ...EDGE, uid: 'one' }).hello()
    await old.accepted()
    other.tell(told(2, [relay('two')]))
    expect(await old.closed).toMatchObject(refused)
  })
})

describe(`${requirement('CTL-013')} several streams of one instance`, () => {
  it('a newer process replaces an older one', async () => {
    const { instance, plane } = await inSync()
    const newer = new ScriptedInstance(plane.serve).hello({ bootId: bootId(2) })
    expect(await instance.closed).toMatchObject({ code: 'ABORTED' })
    expect(described(await newer.delta())).toEqual(EVERYTHING)
  })

  it('and an older one does not come back', async () => {
    const { plane } = await inSync()
    const newer = new ScriptedInstance(plane.serve).hello({ bootId: bootId(2) })
    await newer.accepted()
    const older = new ScriptedInstance(plane.serve).hello({ bootId: bootId(1) })
    expect(await older.closed).toMatchObject({ code: 'ALREADY_EXISTS' })
  })

  it('other ordinals are other instances', async () => {
    const { instance, plane, source, clock } = await inSync()
    const second = new ScriptedInstance(plane.serve).hello({ ordinal: 1, bootId: bootId(2) })
    await second.accepted()
    source.tell(told(2, [aRoute('a')]))
    await clock.pass(20)
    expect(described(await instance.delta())).toEqual(['+route default/a'])
    expect(described(await second.delta())).toEqual(['+route default/a'])
  })

  it('what a superseded stream says counts no more, and it is not asked to move; its end is not that of the instance', async () => {
    const { instance, plane } = await inSync(aRelay(), aBackend(), aRoute(), aPeer())
    const heard: string[] = []
    plane.instances.attach({
      changed: (_instance, { acceptances, status }) => heard.push(`${acceptances.size} ${status?.peers.length}`),
      gone: () => heard.push('gone'),
    })
    heard.length = 0
    const next = new ScriptedInstance(plane.serve).hello()
    const { nonce } = await next.delta()
    const version = new Uint8Array(32)
    const refused = { kind: ResourceKind.ROUTE, name: 'default/everything', version, reason: 'Odd', message: 'late' }
    instance.reply(1n, { refusals: [refused] })
    instance.status(create(InstanceStatusSchema, { peers: [{ name: 'default/tools' }] }))
    await settled()
    expect(heard).toEqual([])
    void plane.drain(5_000)
    await settled()
    expect([instance.reconnects.length, next.reconnects.length]).toEqual([0, 1])
    next.reply(nonce)
    expect(await instance.closed).toBeUndefined()
    await settled()
    expect([heard, plane.instances.size]).toEqual([[], 1])
  })

  it('a process that moves keeps its old stream until the new one serves it, and is told nothing twice', async () => {
    const { instance, plane, source, clock } = await inSync()
    let isClosed = false
    void instance.closed.then(() => {
      isClosed = true
    })
    const next = new ScriptedInstance(plane.serve).hello()
    const first = await next.delta()
    source.tell(told(2, [aRoute('a')]))
    await clock.pass(100)
    expect([instance.pending, isClosed]).toEqual([0, false])
    next.reply(first.nonce)
    expect(described(await next.delta())).toEqual(['+route default/a'])
    expect(await instance.closed).toBeUndefined()
  })
})

describe(`${requirement('CTL-014')} a stream ends`, () => {
  const certified = (clock: { wallNow(): number }, lifeMs: number) => ({
    ...EDGE,
    certificateEndsAtMs: clock.wallNow() + lifeMs,
  })

  it('after 30 to 60 minutes, asked first', async () => {
    const { plane, clock } = serving()
    const instance = new ScriptedInstance(plane.serve, certified(clock, 24 * 3_600_000)).hello()
    await instance.accepted()
    await clock.pass(44 * 60_000, 10_000)
    expect(instance.reconnects).toEqual([])
    await clock.pass(70_000, 10_000)
    expect(instance.reconnects).toMatchObject([{ reason: ReconnectReason.AGE, withinMs: 30_000 }])
    await clock.pass(31_000, 1_000)
    expect(await instance.closed).toBeUndefined()
  })

  it('with its certificate, asked first', async () => {
    const { plane, clock } = serving()
    const instance = new ScriptedInstance(plane.serve, certified(clock, 600_000)).hello()
    await instance.accepted()
    await clock.pass(545_000, 5_000)
    expect(instance.reconnects).toMatchObject([{ reason: ReconnectReason.CERTIFICATE }])
    await clock.pass(60_000, 5_000)
    expect(await instance.closed).toBeUndefined()
  })

  it('with its certificate also where that ends sooner than an instance may take to move', async () => {
    const { plane, clock } = serving()
    const instance = new ScriptedInstance(plane.serve, certified(clock, 20_000)).hello()
    let isClosed = false
    void instance.closed.then(() => {
      isClosed = true
    })
    await instance.accepted()
    await clock.pass(19_000, 1_000)
    expect([instance.reconnects.length, isClosed]).toEqual([1, false])
    await clock.pass(1_100)
    expect(isClosed).toBe(true)
  })

  it('with the control plane, asked first; nobody new is served meanwhile', async () => {
    const { instance, plane, clock } = await inSync()
    const drained = plane.drain(5_000)
    await settled()
    expect(instance.reconnects).toMatchObject([{ reason: ReconnectReason.SHUTDOWN, withinMs: 5_000 }])
    expect(await new ScriptedInstance(plane.serve).hello().closed).toMatchObject({ code: 'UNAVAILABLE' })
    await clock.pass(5_100)
    await drained
    await plane.close()
  })

  it('and leaves nothing behind', async () => {
    const { instance, plane, clock, metrics } = await inSync()
    expect(metrics.value('causeway_control_plane_streams_open')).toBe(1)
    instance.end()
    await instance.closed
    await settled()
    expect(metrics.value('causeway_control_plane_streams_open')).toBe(0)
    expect(plane.instances.size).toBe(0)
    await plane.close()
    expect(clock.pending).toBe(0)
  })
})
