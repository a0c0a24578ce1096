import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { type InstanceStatus, InstanceStatusSchema, Reachability } from '@causeway/rpc'
import { describe, expect, it } from 'vitest'
import { bootId } from '../../../test/fixtures/control-plane/instance.ts'
import {
  aBackend,
  anObject,
  aPeer,
  aRelay,
  aRoute,
  HANDLE,
  OTHER_HANDLE,
  told,
} from '../../../test/fixtures/control-plane/objects.ts'
import { KubeVirtualClock } from '../../../test/fixtures/kube/virtual-clock.ts'
import { requirement } from '../../../test/requirements/requirement.ts'
import { Configuration } from '../snapshot/configuration.ts'
import type { SourceChange } from '../sources/source.ts'
import { StatusAggregator, type StatusTiming } from './aggregator.ts'
import type { Acceptance, InstanceName } from './instance.ts'
import type { ObjectStatus, StatusSink } from './object-status.ts'

const ROUTE = 'MeshRoute default/everything'
const PEER = 'MeshPeer default/tools'
const BACKEND = 'MeshBackend default/everything'

class Written implements StatusSink {
  readonly writes: ObjectStatus[] = []
  readonly forgotten: string[] = []

  write(status: ObjectStatus): void {
    this.writes.push(status)
  }

  forget(kind: string, name: string): void {
    this.forgotten.push(`${kind} ${name}`)
  }

  of(key: string): ObjectStatus | undefined {
    return this.writes.findLast(({ kind, name }) => `${kind} ${name}` === key)
  }

  count(key: string): number {
    return this.writes.filter(({ kind, name }) => `${kind} ${name}` === key).length
  }

  condition(key: string, type: string): string | undefined {
    const found = this.of(key)?.conditions.find((one) => one.type === type)
    return found && `${found.status}/${found.reason} ${found.observedGeneration}: ${found.message}`
  }
}

function anAggregator(objects = [aRelay(), aBackend(), aPeer(), aRoute()], timing: Partial<StatusTiming> = {}) {
  const clock = new KubeVirtualClock()
  const configuration = new Configuration({ place: 'files', installation: undefined, installationNamespace: undefined })
  configuration.apply(told(1, objects))
  const written = new Written()
  const aggregator = new StatusAggregator({
    configuration,
    sink: written,
    clock,
    label: (relay, ordinal) => `causeway-${relay}-${ordinal}`,
    timing: { collectingMs: 0, settleMs: 250, pendingMs: 2_000, ...timing },
  })
  return {
    clock,
    written,
    aggregator,
    change: (change: SourceChange) => aggregator.objectsChanged(configuration.apply(change).objects),
    current: (key: string): Acceptance => {
      const versionHex = configuration.state(key)?.placed?.resource.versionHex
      if (versionHex === undefined) throw new Error(`${key} is not placed`)
      return { versionHex, refusal: undefined }
    },
  }
}

type World = ReturnType<typeof anAggregator>

const instance = (ordinal = 0, more: Partial<InstanceName> = {}): InstanceName => ({
  ...{ namespace: 'default', relay: 'edge', ordinal, bootId: bootId(1), relayUid: '' },
  ...more,
})

const status = (more: MessageInitShape<typeof InstanceStatusSchema>): InstanceStatus =>
  create(InstanceStatusSchema, more)

const says = (world: World, one: InstanceName, more: MessageInitShape<typeof InstanceStatusSchema>): void =>
  world.aggregator.changed(one, { acceptances: new Map(), status: status(more) })

function accepts(world: World, one: InstanceName, ...keys: string[]): void {
  const acceptances = new Map(keys.map((key) => [key, world.current(key)]))
  world.aggregator.changed(one, { acceptances, status: undefined })
}

const refusal = { reason: 'ListenFailed', fieldPath: 'spec.path', message: 'is not possible here' }
const refuses = (world: World, one: InstanceName, key: string, why = refusal): void =>
  world.aggregator.changed(one, {
    acceptances: new Map([[key, { ...world.current(key), refusal: why }]]),
    status: undefined,
  })

describe(`${requirement('CTL-016')} Programmed`, () => {
  it('is True when every connected instance has accepted the version', async () => {
    const world = anAggregator()
    accepts(world, instance(0), ROUTE)
    accepts(world, instance(1), ROUTE)
    await world.clock.pass(250)
    expect(world.written.condition(ROUTE, 'Programmed')).toBe('True/Programmed 1: 2 of 2 relay instances accepted it')
    expect(world.written.of(ROUTE)).toMatchObject({
      relayCount: 2,
      relays: [
        { namespace: 'default', relay: 'edge', instance: 'causeway-edge-0', programmed: 'True', observedGeneration: 1 },
        { instance: 'causeway-edge-1', programmed: 'True' },
      ],
    })
  })

  it('is Unknown where none is connected', async () => {
    const world = anAggregator()
    await world.clock.pass(250)
    expect(world.written.condition(ROUTE, 'Programmed')).toMatch(/^Unknown\/NoRelay 1: /)
  })

  it('is told once, when the answers come soon after a change', async () => {
    const world = anAggregator()
    accepts(world, instance(), ROUTE)
    await world.clock.pass(250)
    world.change(told(2, [aRoute('everything', { path: '/other' }, { generation: 2 })]))
    await world.clock.pass(1_000)
    expect(world.written.count(ROUTE)).toBe(1)
    accepts(world, instance(), ROUTE)
    await world.clock.pass(250)
    expect(world.written.count(ROUTE)).toBe(2)
    expect(world.written.condition(ROUTE, 'Programmed')).toMatch(/^True\/Programmed 2: /)
  })

  it('says who is awaited when they do not', async () => {
    const world = anAggregator()
    accepts(world, instance(0), ROUTE)
    accepts(world, instance(1), ROUTE)
    world.change(told(2, [aRoute('everything', { path: '/other' }, { generation: 2 })]))
    accepts(world, instance(0), ROUTE)
    await world.clock.pass(2_500)
    expect(world.written.condition(ROUTE, 'Programmed')).toBe(
      'Unknown/Pending 2: 1 of 2 relay instances accepted it so far',
    )
  })

  it('is False where one refuses, with its name, reason and field', async () => {
    const world = anAggregator()
    accepts(world, instance(0), ROUTE)
    refuses(world, instance(1), ROUTE)
    await world.clock.pass(250)
    expect(world.written.condition(ROUTE, 'Programmed')).toBe(
      'False/Rejected 1: causeway-edge-1: ListenFailed: spec.path: is not possible here',
    )
    expect(world.written.of(ROUTE)?.relays[1]).toMatchObject({
      programmed: 'False',
      reason: 'ListenFailed',
      message: 'spec.path: is not possible here',
    })
  })

  it('has the reason CredentialPending where a file is waited for', async () => {
    const world = anAggregator()
    refuses(world, instance(), BACKEND, { reason: 'CredentialPending', fieldPath: '', message: 'not there yet' })
    await world.clock.pass(250)
    expect(world.written.condition(BACKEND, 'Programmed')).toMatch(/^False\/CredentialPending /)
  })

  it('says what is wrong with an object that relays are not sent', async () => {
    const world = anAggregator()
    const problems = [{ fieldPath: 'spec.path', message: 'is required' }]
    world.change(
      told(2, [], { invalid: [{ kind: 'MeshRoute', name: 'default/everything', uid: '', generation: 5, problems }] }),
    )
    world.change(told(3, [aRoute('lost', { transparent: { target: { backendRef: { name: 'gone' } } } })]))
    await world.clock.pass(250)
    expect(world.written.condition(ROUTE, 'Programmed')).toBe(
      'False/InvalidStored 5: spec.path: is required; the last good version stays in force',
    )
    expect(world.written.condition('MeshRoute default/lost', 'Programmed')).toBe(
      'False/NotAccepted 1: spec.transparent.target.backendRef.name: not found or not permitted: MeshBackend default/gone',
    )
  })

  it('is Unknown where the only one has gone before it said anything of it', async () => {
    const world = anAggregator()
    accepts(world, instance(), PEER)
    world.aggregator.gone(instance())
    await world.clock.pass(2_500)
    expect(world.written.condition(ROUTE, 'Programmed')).toMatch(/^Unknown\/NoRelay 1: /)
  })

  it('does not wait for an instance whose stream has ended', async () => {
    const world = anAggregator()
    accepts(world, instance(0), ROUTE)
    accepts(world, instance(1), ROUTE)
    world.aggregator.gone(instance(1))
    world.change(told(2, [aRoute('everything', { path: '/other' }, { generation: 2 })]))
    accepts(world, instance(0), ROUTE)
    await world.clock.pass(250)
    expect(world.written.condition(ROUTE, 'Programmed')).toMatch(/^True\/Programmed 2: /)
  })
})

describe(`${requirement('CTL-018')} instances`, () => {
  it('a silent one leaves the count after 60 s, and not when it is heard again', async () => {
    const world = anAggregator()
    accepts(world, instance(0), ROUTE)
    accepts(world, instance(1), ROUTE)
    world.aggregator.gone(instance(0))
    world.aggregator.gone(instance(1))
    await world.clock.pass(50_000, 5_000)
    accepts(world, instance(1), ROUTE)
    expect(world.written.of(ROUTE)?.relayCount).toBe(2)
    await world.clock.pass(11_000, 1_000)
    expect(world.written.of(ROUTE)?.relayCount).toBe(1)
    expect(world.written.condition(ROUTE, 'Programmed')).toMatch(/^True\//)
    world.aggregator.gone(instance(1))
    await world.clock.pass(61_000, 1_000)
    expect(world.written.condition(ROUTE, 'Programmed')).toMatch(/^Unknown\/NoRelay /)
    expect(world.written.of(ROUTE)?.relays).toEqual([])
  })

  it('a newer process takes the place of the older one, and what that says late counts no more', async () => {
    const world = anAggregator()
    accepts(world, instance(), ROUTE)
    refuses(world, instance(0, { bootId: bootId(2) }), ROUTE)
    accepts(world, instance(), ROUTE)
    world.aggregator.gone(instance())
    await world.clock.pass(250)
    expect(world.written.of(ROUTE)?.relayCount).toBe(1)
    expect(world.written.condition(ROUTE, 'Programmed')).toMatch(/^False\/Rejected /)
  })

  it('of many 32 are listed, those that lag first, and all are counted', async () => {
    const world = anAggregator()
    for (let ordinal = 0; ordinal < 100; ordinal++) accepts(world, instance(ordinal), ROUTE)
    refuses(world, instance(77), ROUTE)
    await world.clock.pass(250)
    const { relays = [], relayCount } = world.written.of(ROUTE) ?? {}
    expect([relays.length, relayCount]).toEqual([32, 100])
    expect(relays.filter(({ programmed }) => programmed === 'False').map((row) => row.instance)).toEqual([
      'causeway-edge-77',
    ])
  })

  it('say who they are and which authorities they have', async () => {
    const world = anAggregator()
    accepts(world, instance(), 'MeshRelay default/edge')
    says(world, instance(), { peerHandle: HANDLE, trustBundleSha256: new Uint8Array(32).fill(0xab) })
    await world.clock.pass(250)
    expect(world.written.of('MeshRelay default/edge')?.relays).toMatchObject([
      { peerHandle: HANDLE, bundleSHA256: 'ab'.repeat(32) },
    ])
    expect(world.written.condition('MeshRelay default/edge', 'AuditReady')).toMatch(/^Unknown\/NotImplemented /)
  })

  it('say by which handles they know a peer, once they have its present version', async () => {
    const world = anAggregator()
    accepts(world, instance(), PEER)
    says(world, instance(), { peers: [{ name: 'default/tools', pinnedSuccessors: [OTHER_HANDLE] }] })
    await world.clock.pass(250)
    expect(world.written.of(PEER)?.relays).toMatchObject([{ handles: [HANDLE, OTHER_HANDLE] }])
    world.change(told(2, [aPeer('tools', { identity: { handles: [OTHER_HANDLE] } })]))
    await world.clock.pass(2_500)
    expect(world.written.of(PEER)?.relays[0]).not.toHaveProperty('handles')
  })
})

describe(`${requirement('CTL-017')} Reachable and PostQuantum`, () => {
  const { REACHABLE, UNREACHABLE, NOT_TRIED } = Reachability
  const peer = (reachable: Reachability, more: { postQuantum?: boolean; message?: string } = {}) => ({
    peers: [{ name: 'default/tools', reachable, ...more }],
  })

  it.each([
    [[peer(NOT_TRIED)], 'Unknown/NotDialled', 'Unknown/NotDialled'],
    [[peer(REACHABLE, { postQuantum: true })], 'True/Reached', 'True/PostQuantum'],
    [[peer(REACHABLE, { postQuantum: true }), peer(NOT_TRIED)], 'True/Reached', 'True/PostQuantum'],
    [
      [peer(REACHABLE, { postQuantum: true }), peer(REACHABLE, { postQuantum: false })],
      'True/Reached',
      'False/Classical',
    ],
    [[peer(REACHABLE), peer(UNREACHABLE)], 'False/Unreachable', 'Unknown/NotDialled'],
    // A peer that dials itself has come to one of them.
    [[peer(REACHABLE), peer(NOT_TRIED)], 'True/Reached', 'Unknown/NotDialled'],
  ])('%#', async (said, reachable, postQuantum) => {
    const world = anAggregator()
    said.forEach((one, ordinal) => {
      accepts(world, instance(ordinal), PEER)
      says(world, instance(ordinal), one)
    })
    await world.clock.pass(2_500)
    expect(world.written.condition(PEER, 'Reachable')).toMatch(new RegExp(`^${reachable} `))
    expect(world.written.condition(PEER, 'PostQuantum')).toMatch(new RegExp(`^${postQuantum} `))
  })

  it('say of a peer that is waited for, because it is never dialled, that nothing is wrong', async () => {
    const world = anAggregator([aRelay(), aPeer('tools', { dial: 'never', addresses: [] })])
    accepts(world, instance(), PEER)
    says(world, instance(), peer(NOT_TRIED))
    await world.clock.pass(2_500)
    expect(world.written.condition(PEER, 'Reachable')).toBe(
      'Unknown/NotDialled 1: no association is open: none was needed from here yet, and the peer has opened none',
    )
    says(world, instance(), peer(REACHABLE))
    await world.clock.pass(2_500)
    expect(world.written.condition(PEER, 'Reachable')).toMatch(/^True\/Reached /)
    says(world, instance(), peer(NOT_TRIED))
    await world.clock.pass(2_500)
    expect(world.written.condition(PEER, 'Reachable')).toMatch(/^Unknown\/NotDialled /)
  })

  it('say how many, and which one not', async () => {
    const world = anAggregator()
    says(world, instance(0), peer(REACHABLE))
    says(world, instance(1), peer(UNREACHABLE, { message: 'connection refused' }))
    await world.clock.pass(2_500)
    expect(world.written.condition(PEER, 'Reachable')).toBe(
      'False/Unreachable 1: 1 of 2 relay instances reach it; causeway-edge-1: connection refused',
    )
  })

  it('of backends, with whether their server takes the credentials', async () => {
    const world = anAggregator()
    says(world, instance(), { backends: [{ name: 'default/everything', reachable: REACHABLE, authorized: false }] })
    await world.clock.pass(2_500)
    expect(world.written.condition(BACKEND, 'Reachable')).toMatch(/^True\/Reached /)
    expect(world.written.condition(BACKEND, 'Authorized')).toBe(
      'False/Unauthorized 1: the server accepts 0 of 1 relay instance; not causeway-edge-0',
    )
  })
})

describe('identities of peers', () => {
  it('SuccessorPinned and IdentityExpiring follow what the instances pinned, and time', async () => {
    const world = anAggregator()
    const days = (count: number) => count * 24 * 3_600
    const nowSeconds = Math.floor(world.clock.wallNow() / 1_000)
    const ends = { name: 'default/tools', identityExpires: BigInt(nowSeconds + days(8)) }
    accepts(world, instance(), PEER)
    says(world, instance(), { peers: [{ ...ends, pinnedSuccessors: [OTHER_HANDLE] }] })
    await world.clock.pass(250)
    expect(world.written.condition(PEER, 'SuccessorPinned')).toMatch(/^True\/Pinned /)
    expect(world.written.condition(PEER, 'IdentityExpiring')).toMatch(
      /^False\/EndsLater 1: the pinned identity ends at 2026-/,
    )
    await world.clock.pass(days(1) * 1_000 + 2 * 3_600_000, 600_000)
    expect(world.written.condition(PEER, 'IdentityExpiring')).toMatch(/^True\/EndsSoon /)
  })
})

describe('writing', () => {
  it(`${requirement('CTL-020')} nothing is told twice`, async () => {
    const world = anAggregator()
    accepts(world, instance(), ROUTE, PEER, BACKEND)
    await world.clock.pass(3_000)
    const before = world.written.writes.length
    accepts(world, instance(), ROUTE, PEER, BACKEND)
    says(world, instance(), { peers: [], backends: [] })
    world.change(told(2, [aRoute()]))
    await world.clock.pass(5_000)
    expect(world.written.writes.length).toBe(before)
  })

  it(`${requirement('CTL-020')} one change costs one write, however many objects there are`, async () => {
    const many = Array.from({ length: 500 }, (_, index) => aRoute(`r${index}`))
    const world = anAggregator([aRelay(), aBackend(), ...many])
    accepts(world, instance(), ...many.map((_, index) => `MeshRoute default/r${index}`))
    await world.clock.pass(3_000)
    const before = world.written.writes.length
    world.change(told(2, [aRoute('r7', { path: '/other' }, { generation: 2 })]))
    accepts(world, instance(), 'MeshRoute default/r7')
    await world.clock.pass(5_000)
    expect(world.written.writes.length - before).toBe(1)
  })

  it(`${requirement('CTL-020')} an object that is gone is forgotten`, async () => {
    const world = anAggregator()
    await world.clock.pass(250)
    world.change(told(2, [], { removals: [{ kind: 'MeshPeer', name: 'default/tools' }] }))
    await world.clock.pass(250)
    expect(world.written.forgotten).toEqual([PEER])
  })

  it('kinds that do nothing yet say so', async () => {
    const policy = anObject('SafetyPolicy', 'careful', {
      targetRefs: [{ kind: 'MeshRoute', name: 'everything' }],
      rules: [],
    })
    const world = anAggregator([aRelay(), aBackend(), aRoute(), policy])
    await world.clock.pass(250)
    expect(world.written.condition('SafetyPolicy default/careful', 'Enforced')).toBe(
      'False/NotImplemented 1: Enforced is not implemented yet',
    )
  })

  it(`${requirement('CTL-019')} a new leader waits 10 s, and says of what changes meanwhile that it collects`, async () => {
    const world = anAggregator(undefined, { collectingMs: 10_000 })
    refuses(world, instance(), ROUTE)
    await world.clock.pass(5_000, 250)
    expect(world.written.writes).toEqual([])
    world.change(told(2, [aRoute('everything', { path: '/other' }, { generation: 2 })]))
    await world.clock.pass(1_000, 250)
    expect(world.written.condition(ROUTE, 'Programmed')).toMatch(/^Unknown\/Collecting 2: /)
    expect(world.written.writes.length).toBe(1)
    accepts(world, instance(), ROUTE)
    await world.clock.pass(5_000, 250)
    expect(world.written.condition(ROUTE, 'Programmed')).toMatch(/^True\/Programmed 2: /)
    expect(world.written.count(PEER)).toBe(1)
  })
})
