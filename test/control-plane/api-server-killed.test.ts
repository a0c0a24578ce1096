import type { KubeClient } from '@causeway/kube'
import { beforeAll, expect, test } from 'vitest'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { until } from '../cluster/wait.ts'
import { aBackend, aRoute, BACKENDS, ROUTES } from '../fixtures/control/objects.ts'
import { recordedSource } from '../fixtures/control/recorded-source.ts'
import { clientOf, createNamespace } from '../fixtures/kube/client.ts'

const cluster = useApiCluster()
let client: KubeClient
beforeAll(async () => {
  client = await clientOf(cluster().kubeconfigText)
  await cluster().applyCrds()
}, 120_000)

test('a source whose API server is killed and started again takes nothing back and misses nothing', async () => {
  const ns = await createNamespace(client, 'killed')
  await client.create(ROUTES, aRoute(ns, 'before'))
  await client.create(BACKENDS, aBackend(ns))
  const recorded = recordedSource({ client, watchNamespaces: [ns] })
  await recorded.told('synced')
  const before = new Map(recorded.positions)
  await cluster().killApiServer()
  await until('the failure is told', () => recorded.failures.some(({ code }) => code === 'Unreachable'))
  await cluster().restartApiServer()
  await client.delete(BACKENDS, { namespace: ns, name: 'everything' })
  await client.create(ROUTES, aRoute(ns, 'after'))
  await recorded.told(`+MeshRoute ${ns}/after@1`)
  await recorded.told(`-MeshBackend ${ns}/everything`)
  expect(recorded.log.toSorted()).toEqual([
    `+MeshBackend ${ns}/everything@1`,
    `+MeshRoute ${ns}/after@1`,
    `+MeshRoute ${ns}/before@1`,
    `-MeshBackend ${ns}/everything`,
    'synced',
  ])
  for (const [kind, { value }] of recorded.positions) {
    expect(value).toBeGreaterThanOrEqual(before.get(kind)?.value ?? 0n)
  }
  await recorded.source.close()
})

test('a source that is opened while there is no API server reads when there is one', async () => {
  const ns = await createNamespace(client, 'late')
  await client.create(ROUTES, aRoute(ns))
  await cluster().killApiServer()
  const recorded = recordedSource({ client, watchNamespaces: [ns] })
  await until('the failure is told', () => recorded.failures.length > 0)
  expect(recorded.changes).toEqual([])
  await cluster().restartApiServer()
  await recorded.told('synced')
  expect(recorded.log).toEqual([`+MeshRoute ${ns}/everything@1`, 'synced'])
  await recorded.source.close()
})
