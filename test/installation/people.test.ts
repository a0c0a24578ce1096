import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { until } from '../cluster/wait.ts'
import { TestAuthority } from '../fixtures/control/test-authority.ts'
import { CONTROL_PLANE, SHORT_TIMES } from '../fixtures/installation/installation.ts'
import { EDGE, object, routeAt, TOOLS } from '../fixtures/installation/mesh-objects.ts'
import { probeCall } from '../fixtures/installation/probe-call.ts'
import { configMapPath, secretPath } from '../fixtures/installation/secrets.ts'
import {
  CONVERGED,
  expectConverged,
  expectEveryCallAnswered,
  expectNoFailedCall,
  useInstallationStand,
} from '../fixtures/installation/stand.ts'
import { askFor, certificateOf } from '../fixtures/installation/stranger.ts'
import { ROOT } from '../tools/step.ts'

const stand = useInstallationStand({
  values: { 'operator.replicas': 1, 'controlPlane.replicas': 1 },
  variables: SHORT_TIMES,
})

const ROUTE = { ...EDGE, name: 'tools' }
const GROUP = '/apis/mesh.causeway.dev/v1alpha1'
const ROUTE_PATH = `${GROUP}/namespaces/${ROUTE.namespace}/meshroutes/${ROUTE.name}`
const MERGE = 'application/merge-patch+json'

describe('what a person does with objects, while calls go through two relays', { timeout: 120_000 }, () => {
  test('a stored object that the schema no longer admits: the field is named, its last good version stays in force', async () => {
    const { cluster, mesh, installation, traffic, apply } = stand()
    const definition = parse(await readFile(join(ROOT, 'charts/causeway-crds/crds/meshroutes.yaml'), 'utf8'))
    const loose = structuredClone(definition)
    for (const { schema } of loose.spec.versions)
      schema.openAPIV3Schema.properties.spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    await cluster.apply(stringify(loose), '--force-conflicts')
    await until('it is stored', async () => {
      await mesh.patch('MeshRoute', ROUTE, { spec: { path: 'no slash' } })
      return true
    })
    await cluster.apply(stringify(definition), '--force-conflicts')
    const accepted = { type: 'Accepted', status: 'False', reason: 'InvalidStored' } as const
    expect((await mesh.conditionIs('MeshRoute', ROUTE, accepted, CONVERGED)).message).toContain('spec.path')
    await apply(routeAt('/beside/mcp'))
    await until('other objects are not concerned', async () => answers('/beside/mcp'))
    // A control plane that comes now has never seen it as it was.
    await Promise.all(installation.pods.of(CONTROL_PLANE).map((pod) => pod.kill()))
    await installation.pods.ready(CONTROL_PLANE, 1)
    await apply(routeAt('/after/mcp'))
    await until('the new one is heard', async () => answers('/after/mcp'))
    expect(await answers('/tools/mcp')).toBe(true)
    await traffic.passed(100)
    await mesh.patch('MeshRoute', ROUTE, { spec: { path: '/tools/mcp' } })
    await expectConverged(stand())
    await expectNoFailedCall(stand(), 100)
  })

  test('two field managers want the same field: who comes second is told, who insists has it', async () => {
    const { cluster, mesh } = stand()
    const spec = {
      relayRefs: [{ name: 'edge' }],
      transparent: { target: { peer: { name: 'tools', target: 'tools' } } },
    }
    const applyAs = (manager: string, path: string, force = false) =>
      cluster.client.request({
        method: 'PATCH',
        path: `${GROUP}/namespaces/team-a/meshroutes/wanted?fieldManager=${manager}&force=${force}`,
        contentType: 'application/apply-patch+yaml',
        body: { ...object('MeshRoute', { ...EDGE, name: 'wanted' }, { ...spec, path }) },
      })
    expect((await applyAs('one', '/one/mcp')).status).toBe(201)
    const conflict = await applyAs('other', '/other/mcp')
    expect(conflict).toMatchObject({ status: 409, body: { message: expect.stringContaining('.spec.path') } })
    expect((await applyAs('other', '/other/mcp', true)).status).toBe(200)
    await expectConverged(stand())
    expect([await answers('/one/mcp'), await answers('/other/mcp')]).toEqual([false, true])
    // What the product says of it is the product's own: no apply of theirs takes it away.
    const { status } = await mesh.get('MeshRoute', { ...EDGE, name: 'wanted' })
    expect(status?.conditions?.map(({ type }) => type).sort()).toEqual(['Accepted', 'Programmed'])
    await expectNoFailedCall(stand(), 10)
  })

  test.each([
    [
      'the certificate of a relay',
      secretPath({ ...EDGE, name: 'causeway-edge-client' }),
      { data: { 'tls.crt': 'bm9uZQ==' } },
    ],
    [
      'the trust bundle of a namespace',
      configMapPath({ ...EDGE, name: 'causeway-trust' }),
      { data: { 'ca.crt': 'none' } },
    ],
    [
      'the certificate of the control plane',
      secretPath({ namespace: 'causeway-system', name: 'causeway-control-plane-tls' }),
      { data: { 'tls.key': 'bm9uZQ==' } },
    ],
    [
      'the Service of a relay',
      '/api/v1/namespaces/team-b/services/causeway-tools',
      { spec: { selector: { app: 'mine' } } },
    ],
    [
      'the workload of a relay',
      '/apis/apps/v1/namespaces/team-a/statefulsets/causeway-edge',
      { metadata: { labels: { 'app.kubernetes.io/managed-by': 'me' } } },
    ],
    [
      'a disruption budget',
      '/apis/policy/v1/namespaces/team-a/poddisruptionbudgets/causeway-edge',
      { spec: { maxUnavailable: 0 } },
    ],
  ])('%s is edited by hand: it is put right, and a change after it is in force', async (what, path, body) => {
    const { cluster, apply, installation } = stand()
    const pieces = async () => piecesOf(await cluster.client.send({ path }), body)
    const before = await pieces()
    await cluster.client.send({ method: 'PATCH', path, contentType: MERGE, body })
    await until('it is not as it was edited', async () => (await pieces()) !== piecesOf(body, body), CONVERGED)
    if (!path.includes('/secrets/')) expect(await pieces()).toBe(before)
    installation.pods.services.cut()
    await apply(routeAt(`/after-${what.toLowerCase().replaceAll(' ', '-')}/mcp`))
    await expectConverged(stand())
    await expectNoFailedCall(stand(), 10)
  })

  test.each([
    ['conditions', { conditions: [wrong('Accepted'), wrong('Programmed')] }],
    ['rows of relays', { relays: [] }],
  ])('%s of a status are edited by hand: they are told again', async (_what, status) => {
    const { cluster, mesh } = stand()
    const told = async () => {
      const { conditions = [], relays } = (await mesh.get('MeshRoute', ROUTE)).status ?? {}
      return JSON.stringify([
        conditions.map(({ type, status, reason, message }) => [type, status, reason, message]),
        relays,
      ])
    }
    const before = await told()
    await cluster.client.send({ method: 'PATCH', path: `${ROUTE_PATH}/status`, contentType: MERGE, body: { status } })
    await until('it is told as before', async () => (await told()) === before, CONVERGED)
    await expectConverged(stand())
    await expectNoFailedCall(stand(), 10)
  })

  test('the identity in a status is edited by hand: it is told, no key is made or lost, and it can be put right', async () => {
    const { cluster, mesh, traffic } = stand()
    const path = `${GROUP}/namespaces/${TOOLS.namespace}/meshrelays/${TOOLS.name}/status`
    const { identity } = (await mesh.get('MeshRelay', TOOLS)).status ?? {}
    const edit = (peerHandle = '') =>
      cluster.client.send({ method: 'PATCH', path, contentType: MERGE, body: { status: { identity: { peerHandle } } } })
    await edit(`bciq${'a'.repeat(52)}`)
    const lost = await mesh.conditionIs('MeshRelay', TOOLS, { type: 'Ready', status: 'False', reason: 'IdentityLost' })
    expect(lost.message).toContain(identity?.secretName)
    await edit(identity?.peerHandle)
    await expectConverged(stand())
    expect((await mesh.get('MeshRelay', TOOLS)).status?.identity).toEqual(identity)
    // Its peers follow what the status says, so calls were lost meanwhile, and only then.
    await until('a call is answered', async () => answers('/tools/mcp'), CONVERGED)
    await traffic.report()
    await traffic.passed(50)
    await expectEveryCallAnswered(stand(), 50)
  })
})

describe('kubectl', { timeout: 60_000 }, () => {
  const kubectl = (...args: string[]) => stand().cluster.kubectl(...args, '--namespace=team-a')

  test('get causeway names everything of the mesh, and says what works', async () => {
    const names = (await kubectl('get', 'causeway', '-o', 'name')).trim().split('\n')
    for (const name of ['meshrelay', 'meshpeer', 'meshroute'])
      expect(names.some((one) => one.startsWith(`${name}.mesh.causeway.dev/`))).toBe(true)
    const [header = '', ...rows] = (await kubectl('get', 'cwroute')).trim().split('\n')
    expect(header.split(/ +/)).toEqual(['NAME', 'PATH', 'ACCEPTED', 'PROGRAMMED', 'SINCE', 'REASON', 'AGE'])
    expect(
      rows
        .find((row) => row.startsWith('tools '))
        ?.split(/ +/)
        .slice(1, 4),
    ).toEqual(['/tools/mcp', 'True', 'True'])
  })

  test('explain says what a field is for', async () => {
    const text = await kubectl('explain', 'meshroute.spec.transparent.target')
    expect(text).toContain('KIND:       MeshRoute')
    for (const field of ['peer', 'backendRef']) expect(text).toMatch(new RegExp(`^ +${field}\\s`, 'm'))
    expect(await kubectl('explain', 'meshpeer.spec.acceptSuccessors')).toContain('DESCRIPTION')
  })

  test('wait --for=condition=Programmed ends when the change is in force, not before', async () => {
    const wait = (name: string) => kubectl('wait', '--for=condition=Programmed', `meshroute/${name}`, '--timeout=30s')
    await stand().apply(routeAt('/waited/mcp'))
    await wait('waited')
    expect(await answers('/waited/mcp')).toBe(true)
    await kubectl('patch', 'meshroute', 'waited', '--type=merge', '-p', '{"spec":{"path":"/moved/mcp"}}')
    await wait('waited')
    expect([await answers('/moved/mcp'), await answers('/waited/mcp')]).toEqual([true, false])
    await kubectl('wait', '--for=condition=Programmed', 'causeway', '--all', '--timeout=30s')
  })
})

describe('a control plane tells', { timeout: 60_000 }, () => {
  const SPARE = { ...EDGE, name: 'spare' }
  const REFUSED = {
    learned: [],
    code: 'PERMISSION_DENIED',
    message: expect.stringContaining('this relay is not served here'),
  }

  test('a relay what is for it, and nothing to who has another certificate', async () => {
    const own = await certificateOf(EDGE, stand())
    const { learned } = await askFor(EDGE, own, stand())
    expect(learned).toContain('+route team-a/tools')
    expect(learned.filter((one) => one.includes('team-b'))).toEqual([])
    // A relay of somebody else, and one that is not there, are told alike.
    expect(await askFor(TOOLS, own, stand())).toMatchObject(REFUSED)
    expect(await askFor({ ...TOOLS, name: 'nobody' }, own, stand())).toMatchObject(REFUSED)
    const { uid } = (await stand().mesh.get('MeshRelay', EDGE)).metadata
    const forged = await (await TestAuthority.create()).relay('team-a', 'edge', { uid })
    const stranger = await askFor(EDGE, { ...forged, authorities: own.authorities }, stand())
    expect(stranger).toMatchObject({ learned: [], code: 'UNAVAILABLE' })
    expect(stranger.message).not.toContain('team-')
    await expectNoFailedCall(stand(), 1)
  })

  test('nothing to a relay of the same name that was deleted', async () => {
    const { mesh, apply } = stand()
    const spare = object('MeshRelay', SPARE, {})
    await apply(spare)
    const old = await certificateOf(SPARE, stand())
    await until('it is told its configuration', async () => (await askFor(SPARE, old, stand())).code === undefined)
    await mesh.delete('MeshRelay', SPARE)
    await until('it is gone', async () => (await mesh.find('MeshRelay', SPARE)) === undefined)
    await apply(spare)
    const now = await until('it has a certificate of its own', async () => {
      const found = await certificateOf(SPARE, stand())
      return Buffer.compare(found.certificateChain, old.certificateChain) === 0 ? undefined : found
    })
    await until('it is told its configuration', async () => (await askFor(SPARE, now, stand())).code === undefined)
    expect(await askFor(SPARE, old, stand())).toMatchObject(REFUSED)
    await expectConverged(stand())
    await mesh.delete('MeshRelay', SPARE)
    await expectNoFailedCall(stand(), 1)
  })
})

async function answers(path: string): Promise<boolean> {
  return (await probeCall(new URL(path, stand().url).href)).how === 'answer'
}

function wrong(type: string): object {
  return { type, status: 'False', reason: 'Mine', message: '', lastTransitionTime: '2020-01-01T00:00:00Z' }
}

/** What stands in an object where a patch has its values, as one text. */
function piecesOf(stored: unknown, patch: object): string {
  return JSON.stringify(piecesIn(stored, patch))
}

function piecesIn(stored: unknown, patch: unknown): unknown[] {
  if (typeof patch !== 'object' || patch === null) return [stored]
  const there = (stored ?? {}) as Readonly<Record<string, unknown>>
  return Object.entries(patch).flatMap(([key, value]) => piecesIn(there[key], value))
}
