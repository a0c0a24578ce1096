import { EventRecorder, type KubeClient, systemClock } from '@causeway/kube'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { until } from '../cluster/wait.ts'
import { clientOf, createNamespace } from '../fixtures/kube/client.ts'
import { KubeVirtualClock } from '../fixtures/kube/virtual-clock.ts'

interface StoredEvent {
  readonly note: string
  readonly reason: string
  readonly type: string
  readonly series?: { readonly count: number }
}

const cluster = useApiCluster()
let client: KubeClient
beforeAll(async () => {
  client = await clientOf(cluster().kubeconfigText)
})

function recorder(clock: KubeVirtualClock, dropped: unknown[] = []): EventRecorder {
  return new EventRecorder({
    client,
    clock,
    random: Math.random,
    reportingController: 'mesh.causeway.dev/test',
    reportingInstance: 'test-0',
    dropped: (_, error) => dropped.push(error),
  })
}

function about(namespace: string, note: string) {
  return {
    regarding: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' },
    type: 'Warning' as const,
    reason: 'IdentityLost',
    action: 'Reconcile',
    note,
  }
}

async function eventsIn(namespace: string): Promise<StoredEvent[]> {
  const list = await client.getPath(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`)
  return (list as { items: StoredEvent[] }).items
}

/** A clock on which the time of the wall is right, as the API server compares it. */
function wallClock(): KubeVirtualClock {
  const clock = new KubeVirtualClock()
  clock.wallOffsetMs = systemClock().wallNow() - clock.now()
  return clock
}

describe('events', () => {
  test('say what happened to which object', async () => {
    const ns = await createNamespace(client, 'said')
    const clock = wallClock()
    const events = recorder(clock)
    events.record(about(ns, 'the Secret is gone'))
    await until('it is there', async () => (await eventsIn(ns)).length === 1)
    expect(await eventsIn(ns)).toMatchObject([{ note: 'the Secret is gone', reason: 'IdentityLost', type: 'Warning' }])
    expect(await cluster().kubectl('-n', ns, 'get', 'events')).toContain('the Secret is gone')
    await events.stop()
  })

  test('that repeat are one event that counts', async () => {
    const ns = await createNamespace(client, 'repeated')
    const clock = wallClock()
    const events = recorder(clock)
    events.record(about(ns, 'again'))
    await until('it is there', async () => (await eventsIn(ns)).length === 1)
    for (let repeat = 0; repeat < 9; repeat++) events.record(about(ns, 'again'))
    await until('it counts', async () => {
      await clock.pass(1_000)
      return (await eventsIn(ns))[0]?.series?.count === 10
    })
    expect(await eventsIn(ns)).toHaveLength(1)
    await events.stop()
  })

  test('of a namespace that takes none are dropped, and the others are written', async () => {
    const ns = await createNamespace(client, 'others')
    const clock = wallClock()
    const dropped: unknown[] = []
    const events = recorder(clock, dropped)
    events.record(about('absent', 'nobody hears this'))
    events.record(about(ns, 'somebody hears this'))
    await until('the other one is there', async () => {
      await clock.pass(100)
      return (await eventsIn(ns)).length === 1
    })
    expect(dropped).toMatchObject([{ code: 'NotFound' }])
    await events.stop()
  })
})
