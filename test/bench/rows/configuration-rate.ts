import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Informer, type KubeClient } from '@causeway/kube'
import { identitySecretName } from '@causeway/mesh-api'
import { createIdentityFile } from '@causeway/npamp/crypto/node'
import type { TlsMaterial } from '@causeway/rpc'
import type { ApiCluster } from '../../cluster/api/cluster.ts'
import { startApiLevel } from '../../cluster/api-level.ts'
import { until } from '../../cluster/wait.ts'
import { aBackend, aRelay, aRoute, BACKENDS, type MeshObject, RELAYS, ROUTES } from '../../fixtures/control/objects.ts'
import { TestAuthority } from '../../fixtures/control/test-authority.ts'
import { clientOf, createNamespace } from '../../fixtures/kube/client.ts'
import { type Fixture, startFixture } from '../../fixtures/process/fixture.ts'
import type { AcceptedRoute } from '../parts/acceptance-tap.ts'
import { monotonicMs } from '../parts/monotonic.ts'
import { mountServiceAccount } from '../parts/service-account.ts'
import { severalAtOnce } from '../parts/several-at-once.ts'
import type { Bench, Row } from '../row.ts'
import { median, medianInterval, quantile } from '../stats.ts'

const PATCHES = 1_000
const RELAY_NAMES = ['r0', 'r1'] as const
const AT_ONCE = 8

/** One round; the first patch is at 0. In milliseconds. */
interface Found {
  readonly writtenMs: number
  /** Until a watch of our own, and until the relays, had all of them. */
  readonly watchedMs: number
  readonly acceptedMs: number
  /** From the request to what a watch told, and to what a relay has in force; of 99 of 100. */
  readonly watchP99Ms: number
  readonly acceptP99Ms: number
}

export const configurationRate: Bench = {
  name: 'configuration-rate',
  about: `${PATCHES} patches as fast as an API server takes them, until two relays have them in force`,
  async run({ rounds, note }) {
    const stops: (() => Promise<unknown>)[] = []
    try {
      const stand = await open(stops)
      await round(stand, 0)
      const found: Found[] = []
      for (let index = 1; index <= rounds; index++) {
        found.push(await round(stand, index))
        note(`round ${index} of ${rounds}`)
      }
      return rowsOf(found)
    } finally {
      for (const stop of stops.reverse()) await stop()
    }
  },
}

function rowsOf(found: readonly Found[]): readonly Row[] {
  return [
    {
      name: `${PATCHES} patches at full rate: all in force, against all watched`,
      figure: medianInterval(found.map(({ acceptedMs, watchedMs }) => acceptedMs / watchedMs)),
      unit: 'x',
      bar: { atMost: 1.25 },
      absolute: {
        'patches a second': median(found.map(({ writtenMs }) => PATCHES / (writtenMs / 1_000))),
        'all watched, ms': median(found.map(({ watchedMs }) => watchedMs)),
        'all in force, ms': median(found.map(({ acceptedMs }) => acceptedMs)),
      },
    },
    {
      name: 'from a write at full rate to its acceptance, 99 of 100',
      figure: medianInterval(found.map(({ acceptP99Ms }) => acceptP99Ms)),
      unit: 'ms',
      bar: { atMost: 1_000 },
      absolute: { 'to what a watch tells, 99 of 100, ms': median(found.map(({ watchP99Ms }) => watchP99Ms)) },
    },
  ]
}

interface Stand {
  readonly client: KubeClient
  readonly namespace: string
  readonly relays: Fixture<object>
  /** Of a route by its path: when the watch told it. */
  readonly watched: Map<string, number>
}

async function open(stops: (() => Promise<unknown>)[]): Promise<Stand> {
  const api = await startApiLevel()
  stops.push(() => api.stop())
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-'))
  stops.push(() => rm(folder, { recursive: true, force: true }))
  await api.applyCrds()
  const client = await clientOf(api.kubeconfigText)
  const namespace = await createNamespace(client, 'bench')
  await mountServiceAccount(api, namespace, folder)
  const made = await fill(client, namespace, folder)
  const authority = await TestAuthority.create()
  const tlsFolder = await writeTls(join(folder, 'control-plane'), await authority.controlPlane())
  const relayFolders = await Promise.all(
    made.map(async ({ metadata: { name, uid = '' } }) =>
      writeTls(join(folder, name), await authority.relay(namespace, name, { uid })),
    ),
  )
  const plane = await startControlPlane(api, [folder, namespace, tlsFolder])
  stops.push(() => plane.kill())
  const script = new URL('../parts/relays-process.ts', import.meta.url)
  const relays = await startFixture<object>(script, [plane.info.address, namespace, ...relayFolders])
  stops.push(() => relays.kill())
  const haveAll = async () => ((await relays.command('ready')) as { ok: boolean }[]).every(({ ok }) => ok)
  await until('every relay has all', haveAll, { timeoutMs: 60_000 })
  const watched = await watch(client, namespace, stops)
  return { client, namespace, relays, watched }
}

function startControlPlane({ serverUrl }: ApiCluster, args: readonly string[]): Promise<Fixture<{ address: string }>> {
  const { hostname, port } = new URL(serverUrl)
  const script = new URL('../parts/control-plane-process.ts', import.meta.url)
  return startFixture(script, [hostname, port, ...args])
}

/** The relays that were made, each with as many of the routes. */
async function fill(client: KubeClient, namespace: string, folder: string): Promise<readonly MeshObject[]> {
  const relays: MeshObject[] = []
  for (const name of RELAY_NAMES) {
    const listeners = { mcp: { host: '127.0.0.1', port: 0 } }
    relays.push(await client.create(RELAYS, aRelay(namespace, name, { listeners })))
    await giveIdentity(client, { namespace, name }, join(folder, name))
    await client.create(BACKENDS, aBackend(namespace, `${name}-tools`, { relayRefs: [{ name }] }))
  }
  const routes = Array.from({ length: PATCHES }, (_, index) => {
    const name = relayOf(index)
    const transparent = { target: { backendRef: { name: `${name}-tools` } } }
    return aRoute(namespace, `t${index}`, { relayRefs: [{ name }], path: pathAt(index, -1), transparent })
  })
  await severalAtOnce(
    AT_ONCE,
    routes.map((route) => () => client.create(ROUTES, route)),
  )
  return relays
}

/** As an operator and kubelet would: in status, and in a folder of what is mounted. */
async function giveIdentity(
  client: KubeClient,
  metadata: { readonly namespace: string; readonly name: string },
  folder: string,
): Promise<void> {
  const secretName = identitySecretName(metadata.name, 'a')
  await mkdir(join(folder, 'identity'), { recursive: true })
  const { peerHandle } = await createIdentityFile(join(folder, 'identity', 'a.pem'))
  const identity = { state: 'Active', since: new Date().toISOString(), peerHandle, secretName }
  await client.applyStatus(RELAYS, { metadata, status: { identity } }, { fieldManager: 'bench' })
}

async function watch(
  client: KubeClient,
  namespace: string,
  stops: (() => Promise<unknown>)[],
): Promise<Map<string, number>> {
  const watched = new Map<string, number>()
  const informer = new Informer<MeshObject>(
    { client, type: ROUTES, namespaces: [namespace], random: Math.random },
    {
      upsert: ({ spec }) => {
        const path = String(spec?.path)
        // Statuses are told too.
        if (!watched.has(path)) watched.set(path, monotonicMs())
      },
      remove: () => {},
    },
  )
  informer.start()
  stops.push(() => informer.stop())
  await until('the watch has begun', () => informer.isSynced)
  return watched
}

async function round({ client, namespace, relays, watched }: Stand, number: number): Promise<Found> {
  await relays.command('accepted')
  const requested = new Map<string, number>()
  const startedAt = monotonicMs()
  await severalAtOnce(
    AT_ONCE,
    Array.from({ length: PATCHES }, (_, index) => () => {
      const path = pathAt(index, number)
      requested.set(path, monotonicMs())
      return client.patch(ROUTES, { namespace, name: `t${index}` }, { kind: 'merge', patch: { spec: { path } } })
    }),
  )
  const writtenMs = monotonicMs() - startedAt
  const accepted = new Map<string, number>()
  await until(
    'everything is in force',
    async () => {
      for (const { path, atMs } of (await relays.command('accepted')) as AcceptedRoute[]) accepted.set(path, atMs)
      const paths = [...requested.keys()]
      return paths.every((path) => accepted.has(path) && watched.has(path))
    },
    { timeoutMs: 120_000 },
  )
  const [toWatch, toAcceptance] = [watched, accepted].map((told) =>
    [...requested].map(([path, atMs]) => (told.get(path) ?? Number.NaN) - atMs),
  )
  const untilAll = (told: ReadonlyMap<string, number>): number =>
    Math.max(...[...requested.keys()].map((path) => told.get(path) ?? Number.NaN)) - startedAt
  return {
    writtenMs,
    watchedMs: untilAll(watched),
    acceptedMs: untilAll(accepted),
    watchP99Ms: quantile(toWatch ?? [], 0.99),
    acceptP99Ms: quantile(toAcceptance ?? [], 0.99),
  }
}

function relayOf(index: number): string {
  return RELAY_NAMES[index % RELAY_NAMES.length] ?? ''
}

function pathAt(index: number, number: number): string {
  return `/t${index}/${number < 0 ? 'first' : number}`
}

async function writeTls(folder: string, { certificateChain, key, authorities }: TlsMaterial): Promise<string> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'tls.crt'), certificateChain)
  await writeFile(join(folder, 'tls.key'), key)
  await writeFile(join(folder, 'ca.crt'), authorities)
  return folder
}
