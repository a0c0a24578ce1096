import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useCli } from '../cli/run-cli.ts'
import { freePort } from '../cluster/processes/ports.ts'
import { until } from '../cluster/wait.ts'
import { type Administration, complaintsOf, startAdministration } from '../fixtures/installation/administration.ts'
import { Identities } from '../fixtures/installation/identities.ts'
import { CONTROL_PLANE, OPERATOR, RELAY, SHORT_TIMES } from '../fixtures/installation/installation.ts'
import { type Ledger, startLedger } from '../fixtures/installation/ledger.ts'
import { EDGE, object, routeAt, TOOLS, yamlOf } from '../fixtures/installation/mesh-objects.ts'
import type { ObjectName } from '../fixtures/installation/mesh-reader.ts'
import { expectConverged, expectEveryCallAnswered } from '../fixtures/installation/stand.ts'
import { type StandaloneRelay, startStandaloneRelay } from '../fixtures/installation/standalone-relay.ts'
import { Traffic } from '../fixtures/installation/traffic.ts'

/** Two API servers, two administrations, which know of each other what the files say that they exchange. */

const cli = useCli()
const stops: (() => Promise<unknown>)[] = []
let near: Administration
let far: Administration
let ledger: Ledger
let traffic: Traffic

const ports = { mcp: 0, npamp: 0, standalone: 0 }
/** Nobody waits for a peer of another administration: it has the overlap to hear of the next key. */
const IDENTITY = { identity: { rotation: { overlap: '8s' } } }

beforeAll(async () => {
  for (const port of ['mcp', 'npamp', 'standalone'] as const) ports[port] = await freePort()
  const values = { 'operator.replicas': 1, 'controlPlane.replicas': 1 }
  ;[near, far, ledger] = await Promise.all([
    // The operator of one comes after everything else.
    startAdministration({
      watchNamespaces: [EDGE.namespace],
      values: { ...values, 'operator.replicas': 0 },
      variables: SHORT_TIMES,
    }),
    startAdministration({ watchNamespaces: [TOOLS.namespace], values, variables: SHORT_TIMES }),
    startLedger(),
  ])
  stops.push(near.stop, far.stop, ledger.stop)
}, 20 * 60_000)
afterAll(async () => {
  for (const one of stops.reverse()) await one()
})
beforeEach(({ onTestFailed }) => {
  onTestFailed(async () => console.error(await complaintsOf(near), await complaintsOf(far)))
})

describe('on an empty cluster', () => {
  test('a control plane that is scheduled before the operator is ready within 60 s of it', async () => {
    const { installation, cluster } = near
    const controlPlane = await until('it is scheduled', () => installation.pods.of(CONTROL_PLANE)[0])
    expect(controlPlane.isReady).toBe(false)
    expect(installation.pods.of(OPERATOR)).toEqual([])
    await cluster.kubectl('scale', 'deployment', OPERATOR, '--replicas=1', '--namespace', installation.namespace)
    await until('it is ready', () => controlPlane.isReady, { timeoutMs: 60_000 })
  }, 90_000)
})

describe('two administrations', { timeout: 180_000 }, () => {
  test('exchange files, and a call crosses', async () => {
    const allowedNamespaces = { from: 'Same' }
    await near.apply(
      object('MeshRelay', EDGE, {
        listeners: { mcp: { host: '127.0.0.1', port: ports.mcp } },
        allowedNamespaces,
        ...IDENTITY,
      }),
      routeAt('/tools/mcp'),
    )
    await far.apply(
      object('MeshRelay', TOOLS, {
        listeners: { npamp: { host: '127.0.0.1', port: ports.npamp } },
        allowedNamespaces,
        ...IDENTITY,
      }),
      object('MeshBackend', TOOLS, {
        relayRefs: [{ name: TOOLS.name }],
        mcp: { url: ledger.url },
        peers: [{ name: 'edge' }],
      }),
    )
    await new Identities(near).is(EDGE, 'Active')
    await new Identities(far).is(TOOLS, 'Active')
    await importFrom(await exportOf(far, TOOLS, '--address', `npamp://127.0.0.1:${ports.npamp}`), near, EDGE)
    await importFrom(await exportOf(near, EDGE), far, TOOLS)
    await near.mesh.settled()
    await far.mesh.settled()
    traffic = await Traffic.start(`http://127.0.0.1:${ports.mcp}/tools/mcp`)
    stops.push(() => traffic.stop())
    await traffic.passed(100)
    await expectEveryCallAnswered({ traffic, ledger }, 100)
  })

  test('both get new identities at once, twice: no call is lost, and nobody edits anything', async () => {
    const before = await peers()
    for (const _time of [1, 2]) {
      const [edge, tools] = await Promise.all([new Identities(near).rotated(EDGE), new Identities(far).rotated(TOOLS)])
      await expectKnown(near, TOOLS_AT_NEAR, tools)
      await expectKnown(far, EDGE_AT_FAR, edge)
    }
    await expectConverged(near)
    await expectConverged(far)
    await expectEveryCallAnswered({ traffic, ledger }, 500)
    expect((await peers()).map(({ spec }) => spec)).toEqual(before.map(({ spec }) => spec))
  })

  test('relays that are started again then still know each other', async () => {
    await Promise.all(
      [...near.installation.pods.of(RELAY), ...far.installation.pods.of(RELAY)].map((pod) => pod.kill()),
    )
    await until(
      'a call is answered',
      async () => {
        const { calls, failed } = await traffic.report()
        return calls > 0 && failed.length === 0
      },
      { intervalMs: 500 },
    )
    await traffic.passed(100)
    await expectEveryCallAnswered({ traffic, ledger }, 100)
    await expectConverged(near)
    await expectConverged(far)
  })
})

describe('a relay of which no operator knows', { timeout: 120_000 }, () => {
  let relay: StandaloneRelay
  let calls: Traffic

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-standalone-'))
    stops.push(() => rm(folder, { recursive: true }))
    expect((await cli.run(undefined, ['keys', 'generate', '--out', join(folder, 'key.pem')])).code).toBe(0)
    const name = { namespace: 'default', name: 'standalone' }
    const peer = await exportOf(far, TOOLS, '--address', `npamp://127.0.0.1:${ports.npamp}`)
    const imported = await cli.run(undefined, ['peer', 'import', cli.file('tools.yaml', peer), '--relay', name.name])
    expect(imported.code).toBe(0)
    const own = yamlOf([
      object('MeshRelay', name, {
        identity: { keyFile: 'key.pem' },
        listeners: { mcp: { host: '127.0.0.1', port: ports.standalone } },
      }),
      object('MeshRoute', name, {
        relayRefs: [{ name: name.name }],
        path: '/tools/mcp',
        transparent: { target: { peer: { name: 'tools', target: 'tools' } } },
      }),
    ])
    relay = await startStandaloneRelay(folder, `${own}---\n${imported.out}`)
    stops.push(relay.stop)
    const exported = await cli.run(undefined, ['peer', 'export', name.name, '--standalone', relay.adminUrl])
    expect(exported.error).not.toContain('has no identity')
    await importFrom(exported.out, far, TOOLS)
    await far.mesh.patch('MeshBackend', TOOLS, { spec: { peers: [{ name: 'edge' }, { name: 'standalone' }] } })
    await expectConverged(far)
    calls = await Traffic.start(`http://127.0.0.1:${ports.standalone}/tools/mcp`, 'standalone')
    stops.push(() => calls.stop())
    await calls.passed(100)
  }, 120_000)
  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => console.error(relay.log().slice(-5_000)))
  })

  test('loses no call to one that gets a new identity', async () => {
    await new Identities(far).rotated(TOOLS)
    await calls.passed(100)
    await expectConverged(far)
    await expectEveryCallAnswered({ traffic: calls, ledger }, 200)
    await expectEveryCallAnswered({ traffic, ledger }, 200)
  })
})

const TOOLS_AT_NEAR = { namespace: EDGE.namespace, name: 'tools' }
const EDGE_AT_FAR = { namespace: TOOLS.namespace, name: 'edge' }

async function peers() {
  return [await near.mesh.get('MeshPeer', TOOLS_AT_NEAR), await far.mesh.get('MeshPeer', EDGE_AT_FAR)]
}

/** The relays pin this handle beside the one that the object says. */
async function expectKnown({ mesh }: Administration, peer: ObjectName, handle: string): Promise<void> {
  await mesh.conditionIs('MeshPeer', peer, { type: 'SuccessorPinned', status: 'True' })
  await until(`${peer.name} is known by its new handle`, async () => {
    const { status } = await mesh.get('MeshPeer', peer)
    return JSON.stringify(status?.relays).includes(handle)
  })
}

/** What `causeway peer export` prints. */
async function exportOf({ cluster }: Administration, { namespace, name }: ObjectName, ...more: string[]) {
  const args = ['peer', 'export', name, '--namespace', namespace, ...more]
  const { code, out, error } = await cli.run(cluster.kubeconfig, args)
  expect(code, error).toBe(0)
  return out
}

/** `causeway peer import` of that, for a relay here. */
async function importFrom(exported: string, { cluster }: Administration, { namespace, name }: ObjectName) {
  const file = cli.file('peer.yaml', exported)
  const args = ['peer', 'import', file, '--relay', name, '--namespace', namespace, '--apply']
  const { code, error } = await cli.run(cluster.kubeconfig, args)
  expect(code, error).toBe(0)
}
