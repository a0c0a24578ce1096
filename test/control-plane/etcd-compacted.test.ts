import type { KubeClient } from '@causeway/kube'
import { beforeAll, expect, test } from 'vitest'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { aBackend, aRoute, BACKENDS, ROUTES } from '../fixtures/control/objects.ts'
import { recordedSource } from '../fixtures/control/recorded-source.ts'
import { clientOf, createNamespace } from '../fixtures/kube/client.ts'
import { stallingProxy } from '../fixtures/kube/stalling-proxy.ts'

const cluster = useApiCluster()
let client: KubeClient
beforeAll(async () => {
  client = await clientOf(cluster().kubeconfigText)
  await cluster().applyCrds()
}, 120_000)

test('a source whose place in the history is gone tells the difference, each kind at once, and nothing else', async () => {
  const ns = await createNamespace(client, 'compacted')
  for (const name of ['kept', 'gone']) await client.create(ROUTES, aRoute(ns, name))
  await client.create(BACKENDS, aBackend(ns))
  const { hostname: host, port } = new URL(cluster().serverUrl)
  const way = await stallingProxy({ host, port: Number(port) })
  const distant = await clientOf(cluster().kubeconfigText.replace(cluster().serverUrl, `https://127.0.0.1:${way.port}`))
  const recorded = recordedSource({ client: distant, watchNamespaces: [ns] })
  await recorded.told('synced')
  const told = recorded.changes.length
  way.stall()
  await client.delete(ROUTES, { namespace: ns, name: 'gone' })
  for (const name of ['new', 'newer']) await client.create(ROUTES, aRoute(ns, name))
  await cluster().killApiServer()
  await cluster().compactEtcd()
  await cluster().restartApiServer()
  way.cut()
  await recorded.told(`+MeshRoute ${ns}/newer@1`)
  expect(recorded.failures.map(({ code }) => code)).toContain('Expired')
  const changes = recorded.changes.slice(told).filter(({ upserts, removals }) => upserts.length + removals.length > 0)
  expect(changes).toHaveLength(1)
  expect(changes[0]?.removals).toEqual([{ kind: 'MeshRoute', name: `${ns}/gone` }])
  expect(changes[0]?.upserts.map(({ resource }) => resource.metadata.name)).toEqual(['new', 'newer'])
  await recorded.source.close()
  distant.close()
  await way.stop()
})
