import type { KubeClient } from '@causeway/kube'
import { beforeAll, expect, test } from 'vitest'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { until } from '../cluster/wait.ts'
import { aRoute, ROUTES } from '../fixtures/control/objects.ts'
import { recordedSource } from '../fixtures/control/recorded-source.ts'
import { clientOf, createNamespace } from '../fixtures/kube/client.ts'

const cluster = useApiCluster()
let client: KubeClient
beforeAll(async () => {
  client = await clientOf(cluster().kubeconfigText)
})

test('without the definitions nothing is all that there is: a source waits for them', async () => {
  const recorded = recordedSource({ client, watchNamespaces: '*', timing: { backoffMaxMs: 500 } })
  await until('it is told', () => recorded.failures.some(({ code }) => code === 'NotFound'))
  expect(recorded.log).toEqual([])
  await cluster().applyCrds()
  await recorded.told('synced')
  await recorded.source.close()
})

test('when the definition of a kind is deleted, a list anew confirms nothing', async () => {
  await cluster().applyCrds()
  const ns = await createNamespace(client, 'undefined')
  await client.create(ROUTES, aRoute(ns))
  const recorded = recordedSource({ client, watchNamespaces: [ns], timing: { backoffMaxMs: 500 } })
  await recorded.told('synced')
  await cluster().kubectl('delete', 'crd', 'meshroutes.mesh.causeway.dev')
  const abort = new AbortController()
  const relisted = recorded.source.relist({ consistent: true, signal: abort.signal })
  relisted.catch(() => {})
  await until('the failure is told', () => recorded.failures.some(({ code }) => code === 'NotFound'))
  abort.abort(new Error('it took too long'))
  await expect(relisted).rejects.toThrow('it took too long')
  await recorded.source.close()
})
