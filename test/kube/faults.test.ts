import type { KubeClient, RequestReport } from '@causeway/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { until } from '../cluster/wait.ts'
import { clientOf, createNamespace } from '../fixtures/kube/client.ts'
import { CONFIG_MAPS, configMap } from '../fixtures/kube/objects.ts'
import { recordedInformer } from '../fixtures/kube/recorded-informer.ts'
import { stallingProxy } from '../fixtures/kube/stalling-proxy.ts'

/** The waits of the product, made short. */
const TIMING = { silenceMs: 1_000, backoffInitialMs: 50, backoffMaxMs: 500 }

const cluster = useApiCluster()
let client: KubeClient
const reports: RequestReport[] = []
beforeAll(async () => {
  client = await clientOf(cluster().kubeconfigText, { onRequest: (report) => reports.push(report) })
})
afterAll(() => client.close())

const ends = (verb: string, code: string) => reports.filter((report) => report.verb === verb && report.code === code)

describe('an informer whose API server fails', () => {
  test('killed and restarted: nothing is removed, what changed is told', async () => {
    const ns = await createNamespace(client, 'killed')
    await client.create(CONFIG_MAPS, configMap(ns, 'before'))
    const watched = recordedInformer({ client, type: CONFIG_MAPS, namespaces: [ns], timing: TIMING })
    await watched.told('+before', 'synced')
    await cluster().killApiServer()
    await until('the failure is told', () => watched.failures.some(({ code }) => code === 'Unreachable'))
    expect(watched.informer.size).toBe(1)
    await cluster().restartApiServer()
    await client.create(CONFIG_MAPS, configMap(ns, 'after'))
    await watched.told('+before', 'synced', '+after')
    await watched.informer.stop()
  })

  test('compacted while it was away: the 410 leads to a list, which tells the difference', async () => {
    const ns = await createNamespace(client, 'compacted')
    await client.create(CONFIG_MAPS, configMap(ns, 'kept'))
    await client.create(CONFIG_MAPS, configMap(ns, 'gone'))
    const away = await stallingProxy(addressOf(cluster().serverUrl))
    const distant = await clientOf(through(away.port))
    const watched = recordedInformer({
      client: distant,
      type: CONFIG_MAPS,
      namespaces: [ns],
      timing: { ...TIMING, silenceMs: 600_000 },
    })
    await watched.told('synced')
    // Its watch hears nothing of what happens now; then the connection breaks.
    away.stall()
    await client.delete(CONFIG_MAPS, { namespace: ns, name: 'gone' })
    await client.create(CONFIG_MAPS, configMap(ns, 'new'))
    await cluster().killApiServer()
    await cluster().compactEtcd()
    await cluster().restartApiServer()
    away.cut()
    await watched.told('synced', '-gone', '+new')
    expect(watched.failures.map(({ code }) => code)).toContain('Expired')
    await watched.informer.stop()
    distant.close()
    await away.stop()
  })

  test('a watch that falls silent is given up after the silence, and the next list tells what it missed', async () => {
    const ns = await createNamespace(client, 'silent')
    const way = await stallingProxy(addressOf(cluster().serverUrl))
    const distant = await clientOf(through(way.port))
    const watched = recordedInformer({
      client: distant,
      type: CONFIG_MAPS,
      namespaces: [ns],
      timing: { ...TIMING, silenceMs: 2_000 },
    })
    await watched.told('synced')
    const first = await client.create(CONFIG_MAPS, configMap(ns, 'heard'))
    await watched.told('synced', '+heard')
    way.stall()
    await client.create(CONFIG_MAPS, configMap(ns, 'missed'))
    await watched.told('synced', '+heard', '+missed')
    expect(watched.failures.map(({ message }) => message)).toContain(`watch configmaps ${ns}: silent for 2000 ms`)
    expect(watched.informer.position).toBeGreaterThan(BigInt(first.metadata.resourceVersion ?? ''))
    await watched.informer.stop()
    distant.close()
    await way.stop()
  })

  test('stopped and woken: it goes on', async () => {
    const ns = await createNamespace(client, 'paused')
    const watched = recordedInformer({ client, type: CONFIG_MAPS, namespaces: [ns], timing: TIMING })
    await watched.told('synced')
    cluster().pauseApiServer()
    await until('the silence is told', () => watched.failures.some(({ code }) => code === 'Timeout'))
    cluster().resumeApiServer()
    await client.create(CONFIG_MAPS, configMap(ns, 'after'))
    await watched.told('synced', '+after')
    await watched.informer.stop()
  })

  test('a watch that the API server ends in its time goes on from where it was, without a list', async () => {
    const ns = await createNamespace(client, 'short-watches')
    const timing = { ...TIMING, silenceMs: 60_000, watchTimeoutSeconds: 1 }
    const watched = recordedInformer({ client, type: CONFIG_MAPS, namespaces: [ns], timing })
    await watched.told('synced')
    const listsBefore = ends('list', 'OK').length
    const watchesBefore = ends('watch', 'OK').length
    for (let round = 0; round < 3; round++) {
      await until('another watch has ended', () => ends('watch', 'OK').length > watchesBefore + round)
      await client.create(CONFIG_MAPS, configMap(ns, `c${round}`))
      await watched.told(`+c${round}`)
    }
    expect(watched.log).toEqual(['synced', '+c0', '+c1', '+c2'])
    expect(ends('list', 'OK').length).toBe(listsBefore)
    expect(watched.failures).toEqual([])
    await watched.informer.stop()
  })

  /** The kubeconfig of the cluster by another way. */
  function through(port: number): string {
    return cluster().kubeconfigText.replace(cluster().serverUrl, `https://127.0.0.1:${port}`)
  }
})

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}
