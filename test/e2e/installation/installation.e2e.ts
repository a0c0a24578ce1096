import { beforeAll, describe, expect, test } from 'vitest'
import { usePodCluster } from '../../cluster/use-pod-cluster.ts'
import { until } from '../../cluster/wait.ts'
import { documentedLeftovers } from './documented.ts'
import { callEcho, connect, Load } from './load.ts'
import { causeway, installProduct, loadImages, SYSTEM, TEAMS } from './product.ts'

/**
 * The product on a cluster with a node, as a user has it: images, charts, a mesh of two teams, an agent outside. Each test
 * begins where the one before it ended.
 */
const cluster = usePodCluster()
const kubectl = (...args: string[]) => cluster().kubectl(...args)

beforeAll(async () => {
  await loadImages(cluster())
  await installProduct(cluster())
}, 10 * 60_000)

/** The route at the relay `edge`, by the port of the node. */
async function routeUrl(): Promise<URL> {
  const port = await kubectl('get', 'service', 'outside', '-n', 'shop', '-o', 'jsonpath={.spec.ports[0].nodePort}')
  return new URL(`http://${cluster().nodeAddress}:${port}/tools`)
}

async function peerHandle(relay: string, namespace: string): Promise<string> {
  return kubectl('get', 'meshrelay', relay, '-n', namespace, '-o', 'jsonpath={.status.identity.peerHandle}')
}

/** Rejects with what causeway check has to say. */
async function allIsWell(): Promise<boolean> {
  const { lines } = JSON.parse(await causeway(cluster(), 'check', '--output', 'json')) as {
    lines: { level: string; message: string }[]
  }
  const bad = lines.filter(({ level }) => level !== 'ok').map(({ level, message }) => `${level}: ${message}`)
  if (bad.length > 0) throw new Error(bad.join('\n'))
  return true
}

describe('installed by helm', () => {
  test('the mesh gets ready, and kubectl wait sees it', async () => {
    for (const namespace of TEAMS) {
      for (const condition of ['Accepted', 'Programmed']) {
        await kubectl('wait', `--for=condition=${condition}`, 'causeway', '--all', '-n', namespace, '--timeout=120s')
      }
      await kubectl('wait', '--for=condition=Ready', 'meshrelays', '--all', '-n', namespace, '--timeout=120s')
    }
  })

  test('an agent outside of the cluster calls a tool through both relays', async () => {
    const client = await connect(await routeUrl())
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('echo')
    await callEcho(client, 'over two relays')
    await client.close()
  })

  test('every pod is one that the restricted Pod Security level admits, and runs the image of this checkout', async () => {
    const pods = await kubectl(
      'get',
      'pods',
      '-A',
      '-l',
      'app.kubernetes.io/name',
      '-o',
      'jsonpath={range .items[*]}{.metadata.namespace} {.metadata.labels.app\\.kubernetes\\.io/name} {.spec.containers[*].image} {.status.phase}{"\\n"}{end}',
    )
    const image = /docker\.io\/library\/causeway:\S+/.exec(pods)?.[0]
    expect(pods.trim().split('\n').sort()).toEqual([
      `${SYSTEM} causeway-control-plane ${image} Running`,
      `${SYSTEM} causeway-control-plane ${image} Running`,
      `${SYSTEM} causeway-operator ${image} Running`,
      `${SYSTEM} causeway-operator ${image} Running`,
      `shop causeway-relay ${image} Running`,
      `warehouse causeway-relay ${image} Running`,
    ])
    for (const namespace of [SYSTEM, ...TEAMS]) {
      const enforced = await kubectl(
        'get',
        'namespace',
        namespace,
        '-o',
        'jsonpath={.metadata.labels.pod-security\\.kubernetes\\.io/enforce}',
      )
      expect(enforced, namespace).toBe('restricted')
    }
  })

  test('causeway check finds nothing wrong, and get names all of it', async () => {
    await until('all is well', allIsWell)
    const listed = await causeway(cluster(), 'get')
    for (const resource of ['MeshRelay/shop/edge', 'MeshRelay/warehouse/far', 'MeshBackend/warehouse/everything']) {
      expect(listed).toMatch(new RegExp(`^${resource} +ok `, 'm'))
    }
  })
})

describe('with 200 calls a second', () => {
  test('and no control plane, a relay whose pod is deleted comes back as itself, from its volume', async () => {
    const handle = await peerHandle('far', 'warehouse')
    await kubectl('scale', 'deployment/causeway-control-plane', '-n', SYSTEM, '--replicas=0')
    await kubectl(
      'wait',
      '--for=delete',
      'pods',
      '-l',
      'app.kubernetes.io/name=causeway-control-plane',
      '-n',
      SYSTEM,
      '--timeout=90s',
    )
    const uid = () => kubectl('get', 'pod', 'causeway-far-0', '-n', 'warehouse', '-o', 'jsonpath={.metadata.uid}')
    const before = await uid()

    const load = new Load(await routeUrl(), 200)
    await until('calls pass', () => load.answered >= 400)
    const failedBefore = load.failed.length
    const deletedAtMs = performance.now()
    await kubectl('delete', 'pod', 'causeway-far-0', '-n', 'warehouse')
    await kubectl('wait', '--for=condition=Ready', 'pod/causeway-far-0', '-n', 'warehouse', '--timeout=90s')
    const after = load.answered
    await until('calls pass again', () => load.answered >= after + 400)
    const [answered, failedUntilThen] = [load.answered, load.failed.length]
    await until('nothing else happens to them', () => load.answered >= answered + 400)
    await load.stop()

    tellOf(load, deletedAtMs)
    expect([failedBefore, load.failed.length - failedUntilThen]).toEqual([0, 0])
    expect(await uid()).not.toBe(before)
    expect(await peerHandle('far', 'warehouse')).toBe(handle)
    // The configuration is in force with nobody to ask for it: only what was under way, or came while no pod was there, failed.
    for (const { error } of load.failed) expect(error).not.toBe('')
    const client = await connect(await routeUrl())
    await callEcho(client, 'from its volume')
    await client.close()
  })

  test('the control plane comes back and finds everything programmed', async () => {
    await kubectl('scale', 'deployment/causeway-control-plane', '-n', SYSTEM, '--replicas=2')
    await kubectl('rollout', 'status', 'deployment/causeway-control-plane', '-n', SYSTEM, '--timeout=120s')
    await until('all is well', allIsWell)
  })
})

/** For whoever reads the log of the run: each failed call, those of one error in one line. */
function tellOf(load: Load, deletedAtMs: number): void {
  // Of one kind are errors that differ in the numbers of their requests only.
  const byError = Map.groupBy(load.failed, ({ error }) => error.replaceAll(/"(requestId":"[^"]*|id":\d+)/g, '"id'))
  console.log(`${load.answered} calls answered, ${load.failed.length} failed`)
  for (const [error, calls] of byError) {
    const times = calls.map(({ startedAtMs }) => Math.round(startedAtMs - deletedAtMs)).join(', ')
    console.log(`  ${calls.length} x ${error}: begun ${times} ms after the pod was deleted`)
  }
}

describe('helm uninstall', () => {
  test('leaves what docs/install.md names, and nothing else', async () => {
    await cluster().helm('uninstall', 'causeway', '--namespace', SYSTEM, '--wait', '--timeout', '3m')
    const documented = await documentedLeftovers()
    const left = (await leftovers()).filter(
      ({ kind, name }) => !documented.some((one) => one.kind === kind && one.name.test(name)),
    )
    expect(left).toEqual([])
  })

  test('leaves calls alone: relays go on with what they have', async () => {
    const client = await connect(await routeUrl())
    await callEcho(client, 'nobody looks after us')
    await client.close()
  })

  test('holds nothing back: the mesh goes, and with it its relays', async () => {
    await cluster().kubectl('delete', 'causeway', '--all', '-n', 'shop', '--timeout=20s')
    await cluster().kubectl('delete', 'causeway', '--all', '-n', 'warehouse', '--timeout=20s')
    await kubectl('wait', '--for=delete', 'pods', '-l', 'app.kubernetes.io/name=causeway-relay', '-A', '--timeout=90s')
  })
})

interface Named {
  readonly kind: string
  readonly name: string
}

/** Every object in our namespaces, and those without a namespace that are ours by their name or group. */
async function leftovers(): Promise<readonly Named[]> {
  const types = await kubectl('api-resources', '--verbs=list', '--namespaced', '-o', 'name')
  const wanted = types
    .trim()
    .split('\n')
    .filter((type) => !NOT_OURS.test(type))
    .join(',')
  const found: Named[] = []
  for (const namespace of [SYSTEM, ...TEAMS]) found.push(...(await listed(wanted, '-n', namespace)))
  const global =
    'clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings,customresourcedefinitions'
  found.push(...(await listed(global)).filter(({ name }) => name.includes('causeway')))
  return found.filter((one) => !isOfTheStage(one))
}

/** What the cluster makes by itself, and what follows from other objects. */
const NOT_OURS = /^(events|endpoints|endpointslices|pods|replicasets|controllerrevisions|podmetrics)(\.|$)/

async function listed(types: string, ...args: string[]): Promise<readonly Named[]> {
  const template = 'jsonpath={range .items[*]}{.kind} {.metadata.name}{"\\n"}{end}'
  const out = await kubectl('get', types, ...args, '-o', template)
  return out
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [kind = '', name = ''] = line.split(' ')
      return { kind, name }
    })
}

/** Namespaces have these of their own; the MCP server and the chart of the kinds are not the product. */
function isOfTheStage({ name }: Named): boolean {
  return (
    ['kube-root-ca.crt', 'default', 'everything', 'outside'].includes(name) ||
    name.startsWith('sh.helm.release.v1.causeway-crds.')
  )
}
