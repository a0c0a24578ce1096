import { describe, expect, test } from 'vitest'
import { until } from '../cluster/wait.ts'
import { CONTROL_PLANE, OPERATOR } from '../fixtures/installation/installation.ts'
import { EDGE, routeAt } from '../fixtures/installation/mesh-objects.ts'
import { probeCall } from '../fixtures/installation/probe-call.ts'
import { CONVERGED, expectConverged, expectNoFailedCall, useInstallationStand } from '../fixtures/installation/stand.ts'

/** The silence after which a watch is given up; 150 s where nobody waits for it. */
const SILENCE = { CAUSEWAY_WATCH_SILENCE: '10s' }

const stand = useInstallationStand({
  values: { 'operator.replicas': 1, 'controlPlane.replicas': 1 },
  variables: { [OPERATOR]: SILENCE, [CONTROL_PLANE]: SILENCE },
})

describe('while calls go through two relays', { timeout: 120_000 }, () => {
  test('the API server is killed and started again: no call fails, and a change after it is in force', async () => {
    const { cluster, traffic } = stand()
    await cluster.killApiServer()
    await traffic.passed(200)
    await cluster.restartApiServer()
    await changeIsInForce('after-restart')
    await expectNoFailedCall(stand(), 200)
  })

  test('the store is compacted behind watches that have heard nothing: what they missed is in force', async () => {
    const { cluster, installation, mesh } = stand()
    await installation.ways.stall()
    await applied('/missed/mcp')
    await mesh.delete('MeshRoute', { namespace: EDGE.namespace, name: 'after-restart' })
    await cluster.killApiServer()
    await cluster.compactEtcd()
    await cluster.restartApiServer()
    await installation.ways.cut()
    await expectConverged(stand())
    await expectRoute('/missed/mcp', true)
    await expectRoute('/after-restart/mcp', false)
    await expectNoFailedCall(stand(), 200)
  })

  test('watches fall silent while their connections stay open: they are given up, and what they missed is in force', async () => {
    const { installation } = stand()
    await installation.ways.stall()
    await applied('/unheard/mcp')
    await expectConverged(stand())
    await expectRoute('/unheard/mcp', true)
    await expectNoFailedCall(stand(), 100)
  })

  test('the API server is stopped and woken: the same', async () => {
    const { cluster, traffic } = stand()
    cluster.pauseApiServer()
    await traffic.passed(500)
    cluster.resumeApiServer()
    await changeIsInForce('after-waking')
    await expectNoFailedCall(stand(), 500)
  })
})

async function changeIsInForce(name: string): Promise<void> {
  await applied(`/${name}/mcp`)
  await expectConverged(stand())
  await expectRoute(`/${name}/mcp`, true)
}

/** An API server that has just come does not serve every kind at once. */
async function applied(path: string): Promise<void> {
  await until(`a route at ${path} is taken`, async () => {
    await stand().apply(routeAt(path))
    return true
  })
}

async function expectRoute(path: string, isThere: boolean): Promise<void> {
  const url = new URL(path, stand().url).href
  await until(
    `${path} is ${isThere ? '' : 'not '}there`,
    async () => ((await probeCall(url)).how === 'answer') === isThere,
    CONVERGED,
  )
  expect((await probeCall(stand().url)).how).toBe('answer')
}
