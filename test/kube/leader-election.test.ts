import type { KubeClient } from '@causeway/kube'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { until } from '../cluster/wait.ts'
import { clientOf, createNamespace } from '../fixtures/kube/client.ts'
import { CONFIG_MAPS, configMap } from '../fixtures/kube/objects.ts'
import { type Fixture, startFixture } from '../fixtures/process/fixture.ts'

const CONTENDER = new URL('../fixtures/kube/contender.ts', import.meta.url)

const cluster = useApiCluster()
let client: KubeClient
const contenders: Fixture<object>[] = []
beforeAll(async () => {
  client = await clientOf(cluster().kubeconfigText)
})
afterEach(async () => {
  await Promise.all(contenders.splice(0).map((one) => one.kill()))
})

/** Processes and an API server start, and terms end: more than most tests do. */
const LIMIT_MS = 120_000

describe('two processes that want to lead', { timeout: LIMIT_MS }, () => {
  test('a leader that was stopped is replaced, and when it wakes it writes nothing and ends', async () => {
    const ns = await contested('stopped')
    const one = await contender(ns, 'one')
    await until('the first leads', async () => (await leaderOf(ns)) === 'one')
    const two = await contender(ns, 'two')
    process.kill(one.pid, 'SIGSTOP')
    const writes = await writesOf(ns, 'one')
    await until('the second leads', async () => (await leaderOf(ns)) === 'two')
    process.kill(one.pid, 'SIGCONT')
    expect(await one.ended).toBe(3)
    // A write that was under way when it was stopped may have arrived; none came after.
    expect((await writesOf(ns, 'one')) - writes).toBeLessThanOrEqual(1)
    expect(await leaderOf(ns)).toBe('two')
    expect(await two.command('state')).toBe('leader')
  })

  test('a leader that goes in good order is replaced without waiting for its lease', async () => {
    const ns = await contested('resigned')
    const one = await contender(ns, 'one')
    await until('the first leads', async () => (await leaderOf(ns)) === 'one')
    const two = await contender(ns, 'two')
    await one.command('resign')
    expect(await holderOf(ns)).not.toBe('one')
    await until('the second leads', async () => (await two.command('state')) === 'leader')
  })

  test('when the API server is away for long, the leader ends; whoever is left leads when it is back', async () => {
    const ns = await contested('away')
    const one = await contender(ns, 'one')
    await until('the first leads', async () => (await leaderOf(ns)) === 'one')
    const two = await contender(ns, 'two')
    await cluster().killApiServer()
    expect(await one.ended).toBe(3)
    expect(await two.command('state')).toBe('candidate')
    await cluster().restartApiServer()
    await until('the second leads', async () => (await two.command('state')) === 'leader')
  })
})

async function contested(name: string): Promise<string> {
  const ns = await createNamespace(client, name)
  await client.create(CONFIG_MAPS, configMap(ns, 'led'))
  return ns
}

async function contender(namespace: string, identity: string): Promise<Fixture<object>> {
  const started = await startFixture<object>(CONTENDER, [cluster().kubeconfig, namespace, identity])
  contenders.push(started)
  return started
}

async function leaderOf(namespace: string): Promise<string | undefined> {
  return (await client.get(CONFIG_MAPS, { namespace, name: 'led' })).data?.leader
}

async function writesOf(namespace: string, identity: string): Promise<number> {
  return Number((await client.get(CONFIG_MAPS, { namespace, name: 'led' })).data?.[identity] ?? 0)
}

function holderOf(namespace: string): Promise<string> {
  return cluster().kubectl('-n', namespace, 'get', 'lease', 'contended', '-o', 'jsonpath={.spec.holderIdentity}')
}
