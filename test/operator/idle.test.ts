import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { until } from '../cluster/wait.ts'
import type { OperatorProcess } from './operator-process.ts'
import { SYSTEM, useOperatorStand } from './stand.ts'

const stand = useOperatorStand()

const OPERATOR = `system:serviceaccount:${SYSTEM}:causeway-operator`
const RELAYS = 20
const BACKENDS = 480
const MEASURED_S = 20
/** Of Linux, on every machine that these tests run on. */
const TICKS_PER_SECOND = 100

/** Seconds of a processor that a process has used. */
async function cpuSeconds({ pid }: OperatorProcess): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/task/${pid}/../../stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

async function writes(since = 0): Promise<readonly string[]> {
  return (await stand().cluster.auditEvents())
    .filter(({ user }) => user === OPERATOR)
    .slice(since)
    .filter(
      ({ verb, resource }) => !['get', 'list', 'watch'].includes(verb) && !['leases', 'events'].includes(resource),
    )
    .map(({ verb, requestUri, code }) => `${verb} ${requestUri.split('?')[0]} ${code}`)
}

/** Resolves with the writes since `before` once there was none for two seconds. */
async function settled(before: number): Promise<readonly string[]> {
  let last = -1
  await until(
    'nothing is written any more',
    async () => {
      const { length } = await writes()
      const isQuiet = length === last
      last = length
      return isQuiet
    },
    { intervalMs: 2_000, timeoutMs: 180_000 },
  )
  return (await writes()).slice(before)
}

describe('an operator with a thousand objects', { timeout: 300_000 }, () => {
  it('does nothing when there is nothing to do', async () => {
    const objects: object[] = []
    const object = (kind: string, name: string, spec: object) =>
      objects.push({ apiVersion: 'mesh.causeway.dev/v1alpha1', kind, metadata: { name, namespace: 'shop' }, spec })
    for (let relay = 0; relay < RELAYS; relay++)
      object('MeshRelay', `relay-${relay}`, { listeners: { mcp: { host: '0.0.0.0', port: 8080 } } })
    for (let at = 0; at < BACKENDS; at++) {
      const relayRefs = [{ name: `relay-${at % RELAYS}` }]
      object('MeshBackend', `backend-${at}`, { relayRefs, mcp: { url: 'http://tools:3000/mcp' } })
      const target = { backendRef: { name: `backend-${at}` } }
      object('MeshRoute', `route-${at}`, { relayRefs, path: `/${at}`, transparent: { target } })
    }
    await stand().cluster.apply(objects.map((one) => JSON.stringify(one)).join('\n---\n'))
    const operator = await stand().startLeading()
    await settled(0)
    const before = await cpuSeconds(operator)
    await delay(MEASURED_S * 1_000)
    const share = ((await cpuSeconds(operator)) - before) / MEASURED_S
    expect(share).toBeLessThan(0.02)
  })

  it('writes for a change what the change needs, and nothing besides', async () => {
    const { kube } = stand()
    const start = async () => (await writes()).length
    let before = await start()
    await kube.patch('MeshRoute', 'shop', 'route-7', { spec: { path: '/seven' } })
    // Accepted, of the new generation.
    expect(await settled(before)).toHaveLength(1)

    before = await start()
    await kube.patch('MeshRelay', 'shop', 'relay-3', { spec: { replicas: 3 } })
    // Accepted, Ready, the StatefulSet.
    const relay = await settled(before)
    expect(relay.length, relay.join('\n')).toBeLessThanOrEqual(3)

    before = await start()
    await kube.patch('MeshRelay', 'shop', 'relay-3', { metadata: { labels: { team: 'a' } } })
    expect(await settled(before)).toEqual([])

    before = await start()
    await kube.delete('MeshRoute', 'shop', 'route-8')
    // The finalizer of its backend.
    expect(await settled(before)).toHaveLength(1)
  })

  it('writes nothing when it is started again', async () => {
    const before = (await writes()).length
    await stand().stopOperators()
    await stand().startLeading()
    await delay(3_000)
    expect(await settled(before)).toEqual([])
  })
})
