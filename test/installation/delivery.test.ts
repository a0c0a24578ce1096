import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { LocalPod } from '../cluster/local-pods/local-pod.ts'
import { until } from '../cluster/wait.ts'
import { CONTROL_PLANE, OPERATOR, RELAY } from '../fixtures/installation/installation.ts'
import { EDGE, object, routeAt, TOOLS } from '../fixtures/installation/mesh-objects.ts'
import { probeCall } from '../fixtures/installation/probe-call.ts'
import { CONVERGED, expectConverged, expectNoFailedCall, useInstallationStand } from '../fixtures/installation/stand.ts'
import { SteppedClock } from '../fixtures/installation/stepped-clock.ts'

const folder = await mkdtemp(join(tmpdir(), 'causeway-delivery-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const clock = new SteppedClock(join(folder, 'clock'))

const stand = useInstallationStand({
  values: { 'operator.replicas': 1, 'controlPlane.replicas': 2 },
  variables: { [OPERATOR]: clock.variables, [CONTROL_PLANE]: clock.variables, [RELAY]: clock.variables },
})

describe('while calls go through two relays', { timeout: 120_000 }, () => {
  test('both control planes are killed while they push changes: all of them are in force', async () => {
    const { installation, apply, mesh } = stand()
    const routes = Array.from({ length: 20 }, (_, n) => routeAt(`/pushed-${n}/mcp`))
    await apply(...routes)
    await Promise.all(installation.pods.of(CONTROL_PLANE).map((pod) => pod.kill()))
    for (const n of routes.keys())
      await until(`change ${n} is in force`, async () => answers(`/pushed-${n}/mcp`), CONVERGED)
    // It is told later: first the lease of who led runs out, then who leads collects for as long again.
    await mesh.settled()
    await expectNoFailedCall(stand(), 50)
  })

  test('a relay moves ten times between two control planes, of which one hears nothing: it never goes back', async () => {
    const { installation, apply, mesh } = stand()
    const { pods, ways } = installation
    await apply(routeAt('/older/mcp'))
    await expectConverged(stand())
    const [lagging, other] = await pods.ready(CONTROL_PLANE, 2)
    if (lagging === undefined || other === undefined) throw new Error('there are two')
    ;(await ways.of(lagging.name)).stall()
    await apply(routeAt('/newest/mcp'))
    await mesh.delete('MeshRoute', { ...EDGE, name: 'older' })
    await moveTo(other)
    await until(
      'the change is in force',
      async () => (await answers('/newest/mcp')) && !(await answers('/older/mcp')),
      CONVERGED,
    )
    for (let move = 0; move < 10; move++) {
      await moveTo(move % 2 === 0 ? lagging : other)
      expect([await answers('/newest/mcp'), await answers('/older/mcp')]).toEqual([true, false])
    }
    pods.services.choose = (ready) => ready[0]
    ;(await ways.of(lagging.name)).cut()
    await expectConverged(stand())
    await expectNoFailedCall(stand(), 100)
  })

  test('a fresh control plane is refused the routes: it is not ready, and takes nothing away', async () => {
    const { installation, cluster, traffic, mesh, apply } = stand()
    await apply(routeAt('/kept/mcp'))
    await expectConverged(stand())
    const role = await controlPlaneRole()
    await cluster.client.send({ method: 'PUT', path: ROLE, body: withoutRoutes(role) })
    await Promise.all(installation.pods.of(CONTROL_PLANE).map((pod) => pod.kill()))
    await traffic.passed(300)
    for (const pod of installation.pods.of(CONTROL_PLANE)) {
      expect(pod.starts).toBeGreaterThan(1)
      expect(pod.isReady).toBe(false)
    }
    expect(await answers('/kept/mcp')).toBe(true)
    const { rules } = role
    await cluster.client.send({
      method: 'PATCH',
      path: ROLE,
      contentType: 'application/merge-patch+json',
      body: { rules },
    })
    await installation.pods.ready(CONTROL_PLANE, 2)
    await mesh.delete('MeshRoute', { ...EDGE, name: 'kept' })
    await until('the change is in force', async () => !(await answers('/kept/mcp')), CONVERGED)
    await expectConverged(stand())
    await expectNoFailedCall(stand(), 300)
  })

  test('a relay refuses what it cannot use: the field and the instance are named, and the last good stays in force', async () => {
    const { cluster, mesh, traffic } = stand()
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'authority' }, data: { 'ca.crt': 'no PEM' } }
    const path = `/api/v1/namespaces/${EDGE.namespace}/configmaps`
    await cluster.client.send({ method: 'POST', path, body })
    const peer = { ...EDGE, name: 'tools' }
    const before = (await mesh.get('MeshPeer', peer)).spec.tls
    await mesh.patch('MeshPeer', peer, {
      spec: { tls: { mode: 'ca', caConfigMapRef: { name: 'authority', key: 'ca.crt' } } },
    })
    const refused = await mesh.conditionIs('MeshPeer', peer, { type: 'Programmed', status: 'False' })
    expect(refused.message).toContain('causeway-edge-0')
    expect(refused.message).toContain('spec.tls')
    await traffic.passed(100)
    await mesh.patch('MeshPeer', peer, { spec: { tls: { ...(before as object), caConfigMapRef: null } } })
    await expectConverged(stand())
    await expectNoFailedCall(stand(), 100)
  })

  test('what is not implemented yet is told as that, by its field', async () => {
    const { apply, mesh } = stand()
    const name = { ...EDGE, name: 'later' }
    const targets = [{ prefix: 'one', peer: { name: 'tools', target: 'tools' } }]
    await apply(object('MeshRoute', name, { relayRefs: [{ name: 'edge' }], path: '/later', terminating: { targets } }))
    const { message } = await mesh.conditionIs('MeshRoute', name, { type: 'Programmed', status: 'False' })
    expect(message).toContain('spec.terminating is not implemented yet')
    await mesh.delete('MeshRoute', name)
    await expectConverged(stand())
    await expectNoFailedCall(stand(), 10)
  })

  test('clocks step an hour ahead, then two back, in the middle of a rotation of identities', async () => {
    const { installation, mesh, apply } = stand()
    const HOUR_MS = 3_600_000
    clock.set(HOUR_MS, installation.pods)
    await apply(routeAt('/ahead/mcp'))
    await expectConverged(stand())
    await mesh.patch('MeshRelay', TOOLS, { spec: { identity: { rotation: { overlap: '2s' } } } })
    await mesh.patch('MeshRelay', TOOLS, { metadata: { annotations: { 'mesh.causeway.dev/rotate-identity': 'now' } } })
    const state = async () => (await mesh.get('MeshRelay', TOOLS)).status?.identity?.state
    await until('the next key is announced', async () => (await state()) === 'Announced')
    clock.set(-HOUR_MS, installation.pods)
    await until('the new key signs', async () => (await state()) === 'Switched')
    await apply(routeAt('/back/mcp'))
    await expectConverged(stand())
    clock.set(0, installation.pods)
    await expectNoFailedCall(stand(), 100)
  })
})

describe('a relay whose volume is put back', { timeout: 120_000 }, () => {
  test('starts from it without a control plane, and takes what is newer from the first that comes', async () => {
    const { installation, apply, mesh, traffic } = stand()
    const edge = installation.pods.find(EDGE.namespace, 'causeway-edge-0')
    if (edge === undefined) throw new Error('no pod of relay edge')
    await apply(routeAt('/before-copy/mcp'))
    await expectConverged(stand())
    const volume = edge.claimFolder('state-causeway-edge-0')
    await edge.halt()
    await cp(volume, join(folder, 'volume'), { recursive: true })
    edge.resume()
    await until('the relay is ready', () => edge.isReady)
    await apply(routeAt('/after-copy/mcp'))
    await mesh.delete('MeshRoute', { ...EDGE, name: 'before-copy' })
    await expectConverged(stand())
    expect([await answers('/after-copy/mcp'), await answers('/before-copy/mcp')]).toEqual([true, false])

    await edge.halt()
    await rm(volume, { recursive: true })
    await cp(join(folder, 'volume'), volume, { recursive: true })
    const controlPlanes = installation.pods.of(CONTROL_PLANE)
    await Promise.all(controlPlanes.map((pod) => pod.halt('SIGKILL')))
    edge.resume()
    await until(
      'it serves what was in force then',
      async () => (await answers('/before-copy/mcp')) && (await answers('/tools/mcp')),
    )
    expect(await answers('/after-copy/mcp')).toBe(false)
    for (const pod of controlPlanes) pod.resume()
    await until(
      'what is newer is in force',
      async () => (await answers('/after-copy/mcp')) && !(await answers('/before-copy/mcp')),
      CONVERGED,
    )
    await expectConverged(stand())
    // Calls were lost while the relay was down, and only then.
    await traffic.report()
    await traffic.passed(100)
    await expectNoFailedCall(stand(), 100)
  })
})

async function answers(path: string): Promise<boolean> {
  return (await probeCall(new URL(path, stand().url).href)).how === 'answer'
}

/** Relay `edge` gets its configuration from this one. */
async function moveTo(pod: LocalPod): Promise<void> {
  const { pods } = stand().installation
  const times = () =>
    pods.find(EDGE.namespace, 'causeway-edge-0')?.log.split('configuration comes from this control plane').length ?? 0
  const before = times()
  pods.services.choose = (ready) => ready.find((one) => one === pod)
  pods.services.cut()
  await until(`the relay comes to ${pod.name}`, () => times() > before)
}

const ROLE = `/apis/rbac.authorization.k8s.io/v1/namespaces/${EDGE.namespace}/roles/causeway-control-plane`

interface Role {
  readonly rules: readonly { readonly resources: readonly string[] }[]
}

async function controlPlaneRole(): Promise<Role> {
  return (await stand().cluster.client.send({ path: ROLE })) as Role
}

function withoutRoutes(role: Role): Role {
  const rules = role.rules.map((rule) => ({ ...rule, resources: rule.resources.filter((one) => one !== 'meshroutes') }))
  return { ...role, rules }
}
