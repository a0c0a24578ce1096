import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { cpuMs } from '../bench/parts/cpu.ts'
import { useOperatorStand } from './stand.ts'
import { settledWrites, thousandObjects, writesOf } from './thousand-objects.ts'

const stand = useOperatorStand()

const MEASURED_MS = 20_000

describe('an operator with a thousand objects', { timeout: 300_000 }, () => {
  it('does nothing when there is nothing to do', async () => {
    await stand().cluster.apply(thousandObjects('shop'))
    const operator = await stand().startLeading()
    await settledWrites(stand(), 0)
    const before = cpuMs([operator.pid])
    await delay(MEASURED_MS)
    expect((cpuMs([operator.pid]) - before) / MEASURED_MS).toBeLessThan(0.02)
  })

  it('writes for a change what the change needs, and nothing besides', async () => {
    const { kube } = stand()
    const start = async () => (await writesOf(stand())).length
    let before = await start()
    await kube.patch('MeshRoute', 'shop', 'route-7', { spec: { path: '/seven' } })
    // Accepted, of the new generation.
    expect(await settledWrites(stand(), before)).toHaveLength(1)

    before = await start()
    await kube.patch('MeshRelay', 'shop', 'relay-3', { spec: { replicas: 3 } })
    // Accepted, Ready, the StatefulSet.
    const relay = await settledWrites(stand(), before)
    expect(relay.length, relay.join('\n')).toBeLessThanOrEqual(3)

    before = await start()
    await kube.patch('MeshRelay', 'shop', 'relay-3', { metadata: { labels: { team: 'a' } } })
    expect(await settledWrites(stand(), before)).toEqual([])

    before = await start()
    await kube.delete('MeshRoute', 'shop', 'route-8')
    // The finalizer of its backend.
    expect(await settledWrites(stand(), before)).toHaveLength(1)
  })

  it('writes nothing when it is started again', async () => {
    const before = (await writesOf(stand())).length
    await stand().stopOperators()
    await stand().startLeading()
    await delay(3_000)
    expect(await settledWrites(stand(), before)).toEqual([])
  })
})
