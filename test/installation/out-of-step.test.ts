import { describe, expect, test } from 'vitest'
import { EDGE, object, TOOLS } from '../fixtures/installation/mesh-objects.ts'
import {
  expectConverged,
  expectEveryCallAnswered,
  type InstallationStand,
  useInstallationStand,
} from '../fixtures/installation/stand.ts'
import type { Ending } from '../integration/at-most-once/ending.ts'

const stand = useInstallationStand({ values: { 'operator.replicas': 1, 'controlPlane.replicas': 1 } })
const ROUTE = { namespace: EDGE.namespace, name: 'tools' }

/** A backend of the same server at `edge` itself, and the route of all calls with it as its target. */
function newTarget({ ledger }: InstallationStand, name: string) {
  const relayRefs = [{ name: EDGE.name }]
  const transparent = { target: { backendRef: { name } } }
  return {
    backend: object('MeshBackend', { namespace: EDGE.namespace, name }, { relayRefs, mcp: { url: ledger.url } }),
    route: object('MeshRoute', ROUTE, { relayRefs, path: '/tools/mcp', transparent }),
  }
}

/** The watches of kinds are not in step: what an object names may be told after it. */
describe('a route that is changed to a backend that is new', { timeout: 120_000 }, () => {
  test('serves as before until the backend is told, and no call is lost', async () => {
    const { apply, mesh, traffic } = stand()
    const { backend, route } = newTarget(stand(), 'later')
    await apply(route)
    const { reason, message } = await mesh.conditionIs('MeshRoute', ROUTE, { type: 'Programmed', status: 'False' })
    expect(reason).toBe('NotAccepted')
    expect(message).toContain('the last good version stays in force')
    await traffic.passed(100)
    await apply(backend)
    await expectConverged(stand())
    await traffic.passed(100)
    await expectEveryCallAnswered(stand(), 200)
  })

  test('and none while many are applied together, in whatever order they are told', async () => {
    const { apply } = stand()
    for (let n = 0; n < 10; n++) {
      const { backend, route } = newTarget(stand(), `target-${n}`)
      await apply(...(n % 2 === 0 ? [route, backend] : [backend, route]))
    }
    await expectConverged(stand())
    const { calls, failed } = await stand().traffic.report()
    // A session of the legacy era is one with the server that the route had: with another it is lost, and told as that.
    expect(failed.filter(({ ending }) => !isLostSession(ending))).toEqual([])
    expect(calls).toBeGreaterThan(50)
  })

  test('but its last good version goes with what that names', async () => {
    const { apply, mesh, traffic } = stand()
    const { route } = newTarget(stand(), 'never')
    await apply(route)
    await mesh.conditionIs('MeshRoute', ROUTE, { type: 'Programmed', status: 'False' })
    await mesh.delete('MeshBackend', { namespace: EDGE.namespace, name: 'target-9' })
    await traffic.passed(50)
    await apply(
      object('MeshRoute', ROUTE, {
        relayRefs: [{ name: EDGE.name }],
        path: '/tools/mcp',
        transparent: { target: { peer: { name: TOOLS.name, target: 'tools' } } },
      }),
    )
    await expectConverged(stand())
    const { failed } = await traffic.report()
    expect(failed.length).toBeGreaterThan(0)
    await traffic.passed(50)
    await expectEveryCallAnswered(stand(), 50)
  })
})

function isLostSession(ending: Ending): boolean {
  return ending.how === 'error' && ending.name === 'SessionLost' && ending.delivery === 'not_sent'
}
