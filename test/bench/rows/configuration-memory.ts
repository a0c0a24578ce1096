import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KubeClient } from '@causeway/kube'
import type { ApiCluster } from '../../cluster/api/cluster.ts'
import { startApiLevel } from '../../cluster/api-level.ts'
import { until } from '../../cluster/wait.ts'
import { aBackend, aRelay, aRoute, BACKENDS, RELAYS, ROUTES } from '../../fixtures/control/objects.ts'
import { clientOf, createNamespace } from '../../fixtures/kube/client.ts'
import { startFixture } from '../../fixtures/process/fixture.ts'
import { mountServiceAccount } from '../parts/service-account.ts'
import { severalAtOnce } from '../parts/several-at-once.ts'
import type { Bench } from '../row.ts'
import { median, medianInterval } from '../stats.ts'

const OBJECTS = 10_000
const RELAYS_COUNT = 100
const AT_ONCE = 32
const KIB_PER_MB = 1_000_000 / 1_024

export const configurationMemory: Bench = {
  name: 'configuration-memory',
  about: 'peak memory of a leading control plane at 10,000 objects of a real API server, two forced lists included',
  async run({ rounds, note }) {
    const api = await startApiLevel()
    const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-'))
    try {
      await api.applyCrds()
      const client = await clientOf(api.kubeconfigText)
      const namespace = await createNamespace(client, 'bench')
      await mountServiceAccount(api, namespace, folder)
      await fill(client, namespace)
      note(`${OBJECTS} objects are there`)
      const peaks: number[] = []
      for (let round = 0; round < rounds; round++) {
        peaks.push(await peakKib(api, namespace, folder))
        note(`round ${round + 1} of ${rounds}: ${Math.round((peaks.at(-1) ?? 0) / KIB_PER_MB)} MB`)
      }
      return [
        {
          name: 'peak memory of a control plane at 10,000 objects',
          figure: medianInterval(peaks),
          unit: 'KiB',
          bar: { atMost: 400 * KIB_PER_MB },
          absolute: { MB: median(peaks) / KIB_PER_MB },
        },
      ]
    } finally {
      await api.stop()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

async function peakKib({ serverUrl }: ApiCluster, namespace: string, folder: string): Promise<number> {
  const { hostname, port } = new URL(serverUrl)
  const script = new URL('../parts/control-plane-process.ts', import.meta.url)
  const child = await startFixture(script, [hostname, port, folder, namespace])
  try {
    const all = async () => Number(await child.command('objects')) === OBJECTS
    await until('every object is known', all, { timeoutMs: 120_000 })
    await child.command('relist')
    await child.command('relist')
    return Number(await child.command('peakKib'))
  } finally {
    await child.kill()
  }
}

/** A hundred relays, each with as many backends as routes. */
async function fill(client: KubeClient, namespace: string): Promise<void> {
  const each = OBJECTS / RELAYS_COUNT - 1
  const makers = Array.from({ length: RELAYS_COUNT }, (_, relay) => [
    () => client.create(RELAYS, aRelay(namespace, `r${relay}`)),
    ...Array.from({ length: each }, (__, index) => () => make(client, namespace, `r${relay}`, index)),
  ]).flat()
  await severalAtOnce(AT_ONCE, makers)
}

function make(client: KubeClient, namespace: string, relay: string, index: number): Promise<unknown> {
  const relayRefs = [{ name: relay }]
  const backend = `${relay}-b${index - (index % 2)}`
  if (index % 2 === 0) return client.create(BACKENDS, aBackend(namespace, backend, { relayRefs }))
  const transparent = { target: { backendRef: { name: backend } } }
  return client.create(ROUTES, aRoute(namespace, `${relay}-t${index}`, { relayRefs, transparent }))
}
