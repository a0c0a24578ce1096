import { type KubeClient, keyOf } from '@causeway/kube'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { clientOf, createNamespace } from '../fixtures/kube/client.ts'
import { CONFIG_MAPS, configMap, NAMESPACES, SECRETS } from '../fixtures/kube/objects.ts'
import { recordedInformer } from '../fixtures/kube/recorded-informer.ts'

const cluster = useApiCluster()
let client: KubeClient
beforeAll(async () => {
  client = await clientOf(cluster().kubeconfigText)
})

describe('an informer', () => {
  test('tells what is there, that this is all, and what changes', async () => {
    const ns = await createNamespace(client, 'told')
    await client.create(CONFIG_MAPS, configMap(ns, 'a'))
    const watched = recordedInformer({ client, type: CONFIG_MAPS, namespaces: [ns] })
    await watched.told('+a', 'synced')
    const b = await client.create(CONFIG_MAPS, configMap(ns, 'b'))
    await watched.told('+b')
    await client.replace(CONFIG_MAPS, { ...b, data: { x: '1' } })
    await watched.told('~b')
    await client.delete(CONFIG_MAPS, { namespace: ns, name: 'a' })
    await watched.told('-a')
    expect(watched.log).toEqual(['+a', 'synced', '+b', '~b', '-a'])
    expect(watched.informer.get(`${ns}/b`)?.data).toEqual({ x: '1' })
    expect(watched.informer.get(`${ns}/b`)?.metadata.managedFields).toBeUndefined()
    await watched.informer.stop()
  })

  test('watches the namespaces that it is told, each once, and no other', async () => {
    const one = await createNamespace(client, 'watched-one')
    const two = await createNamespace(client, 'watched-two')
    const other = await createNamespace(client, 'not-watched')
    const watched = recordedInformer({ client, type: CONFIG_MAPS, namespaces: [one, two, one] })
    await watched.told('synced')
    await client.create(CONFIG_MAPS, configMap(other, 'x'))
    await client.create(CONFIG_MAPS, configMap(one, 'a'))
    await watched.told('+a')
    await client.create(CONFIG_MAPS, configMap(two, 'b'))
    await watched.told('+b')
    expect([...watched.informer.values()].map(({ metadata }) => keyOf(metadata))).toEqual([`${one}/a`, `${two}/b`])
    await watched.informer.stop()
  })

  test('of a type without namespaces watches the cluster', async () => {
    const watched = recordedInformer({ client, type: NAMESPACES, namespaces: ['default'] })
    await watched.told('synced')
    await createNamespace(client, 'cluster-wide')
    await watched.told('+cluster-wide')
    await watched.informer.stop()
  })

  test('of metadata never holds a value of a Secret', async () => {
    const ns = await createNamespace(client, 'secrets')
    const metadata = { namespace: ns, name: 's' }
    await client.create(SECRETS, { metadata, stringData: { password: 'p1' } })
    const watched = recordedInformer({ client, type: SECRETS, namespaces: [ns], metadataOnly: true })
    await watched.told('+s', 'synced')
    await client.patch(SECRETS, metadata, { kind: 'merge', patch: { stringData: { password: 'p2' } } })
    await watched.told('~s')
    expect(Object.keys(watched.informer.get(`${ns}/s`) ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata'])
    await watched.informer.stop()
  })

  test('keeps only what the caller needs', async () => {
    const ns = await createNamespace(client, 'stripped')
    await client.create(CONFIG_MAPS, configMap(ns, 'a', { large: 'x' }))
    const strip = ({ metadata }: { metadata: object & { name: string } }) => ({ metadata })
    const watched = recordedInformer({ client, type: CONFIG_MAPS, namespaces: [ns], strip })
    await watched.told('+a', 'synced')
    expect(watched.informer.get(`${ns}/a`)).not.toHaveProperty('data')
    await watched.informer.stop()
  })

  test('listed anew, has everything that was written before, and tells no object twice', async () => {
    const ns = await createNamespace(client, 'relisted')
    const watched = recordedInformer({ client, type: CONFIG_MAPS, namespaces: [ns], pageSize: 2 })
    await watched.told('synced')
    for (let round = 0; round < 5; round++) {
      const created = await client.create(CONFIG_MAPS, configMap(ns, `c${round}`))
      await watched.informer.relist()
      expect(watched.log.at(-1)).toBe(`+c${round}`)
      expect(watched.informer.position).toBeGreaterThanOrEqual(BigInt(created.metadata.resourceVersion ?? ''))
    }
    expect(watched.log).toEqual(['synced', '+c0', '+c1', '+c2', '+c3', '+c4'])
    await watched.informer.stop()
  })

  test('stopped while somebody waits for a list, says so', async () => {
    const watched = recordedInformer({ client, type: CONFIG_MAPS, namespaces: ['default'] })
    const listed = watched.informer.relist()
    const stopped = watched.informer.stop()
    await expect(Promise.all([listed, stopped])).rejects.toMatchObject({ code: 'Aborted' })
    await expect(watched.informer.relist()).rejects.toMatchObject({ code: 'Aborted' })
  })
})
