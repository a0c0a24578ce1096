import type { KubeClient } from '@causeway/kube'
import { beforeAll, expect, test } from 'vitest'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { until } from '../cluster/wait.ts'
import { aRoute, ROUTES } from '../fixtures/control/objects.ts'
import { recordedSource } from '../fixtures/control/recorded-source.ts'
import { clientOf, createNamespace } from '../fixtures/kube/client.ts'
import { stallingProxy } from '../fixtures/kube/stalling-proxy.ts'
import { KubeVirtualClock } from '../fixtures/kube/virtual-clock.ts'

/** Issue 5: a watch that stalls silently is recovered from within this time. */
const RECOVERY_MS = 180_000

const cluster = useApiCluster()
let client: KubeClient
beforeAll(async () => {
  client = await clientOf(cluster().kubeconfigText)
  await cluster().applyCrds()
}, 120_000)

test('watches that stall without a word are noticed in time, and what they missed is told', async () => {
  const ns = await createNamespace(client, 'silent')
  const { hostname: host, port } = new URL(cluster().serverUrl)
  const way = await stallingProxy({ host, port: Number(port) })
  const clock = new KubeVirtualClock()
  const distant = await clientOf(
    cluster().kubeconfigText.replace(cluster().serverUrl, `https://127.0.0.1:${way.port}`),
    { clock },
  )
  const recorded = recordedSource({ client: distant, watchNamespaces: [ns] })
  await recorded.told('synced')
  await client.create(ROUTES, aRoute(ns, 'heard'))
  await recorded.told(`+MeshRoute ${ns}/heard@1`)
  way.stall()
  const stalledAtMs = clock.now()
  await client.create(ROUTES, aRoute(ns, 'missed'))
  await client.delete(ROUTES, { namespace: ns, name: 'heard' })
  const isTold = () => recorded.log.includes(`+MeshRoute ${ns}/missed@1`)
  const passed = async () => {
    if (!isTold()) await clock.pass(500, 100)
    return isTold()
  }
  await until('what was missed is told', passed, { intervalMs: 20 })
  expect(clock.now() - stalledAtMs).toBeLessThanOrEqual(RECOVERY_MS)
  expect(recorded.log.slice(-2)).toEqual([`+MeshRoute ${ns}/missed@1`, `-MeshRoute ${ns}/heard`])
  await recorded.source.close()
  distant.close()
  await way.stop()
})
