import type { KubeClient, KubeError, RequestReport } from '@causeway/kube'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { KubernetesStatus } from '../../services/control-plane/status/kubernetes/status-writer.ts'
import type { ObjectStatus, Truth } from '../../services/control-plane/status/object-status.ts'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { until } from '../cluster/wait.ts'
import { aRelay, type MeshObject, RELAYS } from '../fixtures/control/objects.ts'
import { type RecordedSource, recordedSource } from '../fixtures/control/recorded-source.ts'
import { clientOf, createNamespace } from '../fixtures/kube/client.ts'

const cluster = useApiCluster()
let client: KubeClient
/** Everything that was started by the test under way. */
const started: { stop(): Promise<void> }[] = []
beforeAll(async () => {
  client = await clientOf(cluster().kubeconfigText)
  await cluster().applyCrds()
}, 120_000)
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()))
})

/** Names of fences are used once. */
let fences = 0

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime: string
}

describe('the status of an object', () => {
  test('is written once, by the control plane’s field manager, and not again while it stands there', async () => {
    const world = await aRelayIn('once')
    const { relay } = world
    const writer = await aWriter(world)
    writer.write(programmed(relay, 'True'))
    await until('it is written', () => conditionOf(relay))
    writer.write(programmed(relay, 'True'))
    await writer.idle()
    expect(writer.writes()).toEqual(['OK'])
    const { metadata } = await client.get(RELAYS, relay.metadata)
    const managers = metadata.managedFields?.map(({ manager, subresource }) => [manager, subresource])
    expect(managers).toContainEqual(['causeway-control-plane', 'status'])
  })

  test('is not written again by the next leader', async () => {
    const world = await aRelayIn('next-leader')
    const { relay } = world
    const first = await aWriter(world)
    first.write(programmed(relay, 'True'))
    await until('it is written', () => conditionOf(relay))
    await first.stop()
    await seenBy(world.source, relay)
    const next = await aWriter(world)
    next.write(programmed(relay, 'True'))
    await next.idle()
    expect(next.writes()).toEqual([])
  })

  test('keeps the time of a condition until its status changes', async () => {
    const world = await aRelayIn('times')
    const { relay } = world
    const before = '2026-01-01T00:00:00Z'
    const stored = { ...condition('True', 'first'), lastTransitionTime: before }
    await client.applyStatus(
      RELAYS,
      { metadata: idOf(relay), status: { conditions: [stored] } },
      { fieldManager: 'causeway-control-plane' },
    )
    await seenBy(world.source, relay)
    const writer = await aWriter(world)
    writer.write(programmed(relay, 'True', 'second'))
    await until('the message is there', async () => (await conditionOf(relay))?.message === 'second')
    expect((await conditionOf(relay))?.lastTransitionTime).toBe(before)
    writer.write(programmed(relay, 'False', 'third'))
    await until('the status is there', async () => (await conditionOf(relay))?.status === 'False')
    expect((await conditionOf(relay))?.lastTransitionTime).not.toBe(before)
  })

  test('leaves alone what others write, and is repaired where others overwrite it', async () => {
    const world = await aRelayIn('others')
    const { relay } = world
    const accepted = { ...condition('True', 'theirs'), type: 'Accepted', lastTransitionTime: '2026-01-01T00:00:00Z' }
    await client.applyStatus(
      RELAYS,
      { metadata: idOf(relay), status: { conditions: [accepted], controller: 'here' } },
      { fieldManager: 'causeway-operator' },
    )
    const writer = await aWriter(world)
    writer.write(programmed(relay, 'True', 'ours'))
    await until('it is written', () => conditionOf(relay))
    expect(await conditionOf(relay, 'Accepted')).toEqual(accepted)
    const overwritten = { ...condition('False', 'by hand'), lastTransitionTime: '2026-01-01T00:00:00Z' }
    await client.applyStatus(
      RELAYS,
      { metadata: idOf(relay), status: { conditions: [overwritten] } },
      { fieldManager: 'hand', force: true },
    )
    await until('it is repaired', async () => (await conditionOf(relay))?.message === 'ours')
    expect(await client.get(RELAYS, relay.metadata)).toMatchObject({ status: { controller: 'here' } })
  })

  test('of which everything changes all the time is written once in a while, and the last word stands', async () => {
    const world = await aRelayIn('busy')
    const { relay } = world
    const writer = await aWriter(world, { intervalMs: 500 })
    for (let change = 0; change < 100; change++) writer.write(programmed(relay, 'True', `change ${change}`))
    await until('the last word stands', async () => (await conditionOf(relay))?.message === 'change 99')
    await writer.idle()
    expect(writer.writes().length).toBeLessThanOrEqual(2)
  })

  test('is not said of another object of the same name', async () => {
    const world = await aRelayIn('again')
    const { relay } = world
    await client.delete(RELAYS, relay.metadata)
    const second = await client.create(RELAYS, aRelay(world.ns))
    const writer = await aWriter(world)
    writer.write(programmed(relay, 'True'))
    await writer.idle()
    expect(writer.writes()).not.toContain('OK')
    expect(await conditionOf(second)).toBeUndefined()
  })

  test('gets its word in although somebody else writes at the same time', async () => {
    const world = await aRelayIn('crowded')
    const { relay } = world
    const writer = await aWriter(world)
    for (let round = 0; round < 10; round++) {
      writer.write(programmed(relay, 'True', `round ${round}`))
      await client.applyStatus(
        RELAYS,
        { metadata: idOf(relay), status: { controller: `writer-${round}` } },
        { fieldManager: 'causeway-operator' },
      )
      await until('it is written', async () => (await conditionOf(relay))?.message === `round ${round}`)
    }
    expect(writer.failures).toEqual([])
  })

  test('is not made out of nothing when the object is gone', async () => {
    const world = await aRelayIn('gone')
    const { relay } = world
    await client.delete(RELAYS, relay.metadata)
    const writer = await aWriter(world)
    writer.write(programmed(relay, 'True'))
    await writer.idle()
    expect(writer.writes()).not.toContain('OK')
    expect(await client.find(RELAYS, relay.metadata)).toBeUndefined()
    expect(writer.failures).toEqual([])
  })

  test('is written when the API server is back', async () => {
    const world = await aRelayIn('back')
    const { relay } = world
    const writer = await aWriter(world)
    await cluster().killApiServer()
    writer.write(programmed(relay, 'True'))
    await until('it was tried', () => writer.failures.some(({ code }) => code === 'Unreachable'))
    await cluster().restartApiServer()
    await until('it is written', () => conditionOf(relay))
  })

  test('is not written by who is not the leader any more', async () => {
    const world = await aRelayIn('not-leader')
    const { relay } = world
    const writer = await aWriter(world, {}, () => false)
    writer.write(programmed(relay, 'True'))
    await until('it was tried', () => writer.failures.length > 0)
    expect(writer.failures[0]?.code).toBe('NotLeader')
    expect(await conditionOf(relay)).toBeUndefined()
  })
})

interface World {
  readonly ns: string
  readonly relay: MeshObject
  readonly source: RecordedSource
}

async function aRelayIn(name: string): Promise<World> {
  const ns = await createNamespace(client, name)
  const relay = await client.create(RELAYS, aRelay(ns))
  const source = recordedSource({ client, watchNamespaces: [ns], timing: { backoffMaxMs: 500 } })
  started.push({ stop: () => source.source.close() })
  await source.told('synced')
  return { ns, relay, source }
}

async function aWriter(
  { ns, source }: World,
  timing: { intervalMs?: number } = {},
  mayWrite: () => boolean = () => true,
) {
  const reports: RequestReport[] = []
  const failures: KubeError[] = []
  const own = await clientOf(cluster().kubeconfigText, { mayWrite, onRequest: (report) => reports.push(report) })
  const writer = new KubernetesStatus({
    client: own,
    random: Math.random,
    observed: source.source.statuses,
    failing: (_, __, error) => failures.push(error),
    timing: { intervalMs: 50, ...timing },
  })
  const stop = async () => {
    await writer.stop()
    own.close()
  }
  started.push({ stop })
  return {
    write: (status: ObjectStatus) => writer.write(status),
    stop,
    failures,
    writes: () => reports.filter(({ verb }) => verb === 'patch').map(({ code }) => code),
    /** What it was going to write is written: a fence, written to another object after it, stands there. */
    idle: async () => {
      const fence = await client.create(RELAYS, aRelay(ns, `fence-${++fences}`))
      await seenBy(source, fence)
      writer.write(programmed(fence, 'True'))
      await until('the fence stands', () => conditionOf(fence))
      reports.splice(
        reports.findLastIndex(({ verb }) => verb === 'patch'),
        1,
      )
    },
  }
}

/** Resolves when the source has seen the object as the API server has it now. */
async function seenBy({ source }: RecordedSource, { metadata }: MeshObject): Promise<void> {
  const { resourceVersion } = (await client.get(RELAYS, metadata)).metadata
  const name = `${metadata.namespace}/${metadata.name}`
  await until('the source has seen it', () => {
    const seen = source.statuses.get('MeshRelay', name)?.resourceVersion
    return seen !== undefined && seen >= BigInt(resourceVersion ?? '')
  })
}

async function conditionOf({ metadata }: MeshObject, type = 'Programmed'): Promise<Condition | undefined> {
  const { status } = await client.get(RELAYS, metadata)
  return (status as { conditions?: Condition[] } | undefined)?.conditions?.find((one) => one.type === type)
}

function programmed({ metadata }: MeshObject, status: Truth, message = 'every instance'): ObjectStatus {
  const name = `${metadata.namespace}/${metadata.name}`
  const conditions = [{ ...condition(status, message), observedGeneration: 1 }]
  return { kind: 'MeshRelay', name, uid: metadata.uid ?? '', conditions, relays: [], relayCount: 0 }
}

function condition(status: Truth, message: string) {
  return { type: 'Programmed', status, reason: 'Tested', message }
}

function idOf({ metadata: { name, namespace = '' } }: MeshObject): { name: string; namespace: string } {
  return { name, namespace }
}
