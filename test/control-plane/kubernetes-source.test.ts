import type { KubeClient } from '@causeway/kube'
import { KIND_NAMES } from '@causeway/mesh-api'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { until } from '../cluster/wait.ts'
import {
  aBackend,
  aPeer,
  aRelay,
  aRoute,
  BACKENDS,
  HANDLE,
  PEERS,
  RELAYS,
  ROUTES,
} from '../fixtures/control/objects.ts'
import { recordedSource } from '../fixtures/control/recorded-source.ts'
import { clientOf, createNamespace } from '../fixtures/kube/client.ts'
import { NAMESPACES } from '../fixtures/kube/objects.ts'

const cluster = useApiCluster()
let client: KubeClient
beforeAll(async () => {
  client = await clientOf(cluster().kubeconfigText)
  await cluster().applyCrds()
}, 120_000)

describe('the kubernetes source', () => {
  test('tells what there is of every kind, with defaults, and then that this is all', async () => {
    const ns = await createNamespace(client, 'told')
    await client.create(RELAYS, aRelay(ns))
    await client.create(PEERS, aPeer(ns))
    await client.create(BACKENDS, aBackend(ns))
    await client.create(ROUTES, aRoute(ns))
    const recorded = recordedSource({ client, watchNamespaces: [ns] })
    await recorded.told('synced')
    expect(recorded.log.toSorted()).toEqual([
      `+MeshBackend ${ns}/everything@1`,
      `+MeshPeer ${ns}/tools@1`,
      `+MeshRelay ${ns}/edge@1`,
      `+MeshRoute ${ns}/everything@1`,
      'synced',
    ])
    expect(recorded.log.at(-1)).toBe('synced')
    const peer = recorded.objects.get(`MeshPeer ${ns}/tools`)
    expect(peer).toMatchObject({
      isDeleting: false,
      status: {},
      resource: { spec: { identity: { handles: [HANDLE] } } },
    })
    expect(peer?.uid).toMatch(/^[0-9a-f-]{36}$/)
    await recorded.source.close()
  })

  test('has a position of each kind, of the cluster that it reads', async () => {
    const ns = await createNamespace(client, 'positions')
    const recorded = recordedSource({ client, watchNamespaces: [ns] })
    await recorded.told('synced')
    expect([...recorded.positions.keys()].toSorted()).toEqual(KIND_NAMES.toSorted())
    const { metadata } = await client.get(NAMESPACES, { name: 'kube-system' })
    const sources = new Set([...recorded.positions.values()].map(({ source }) => Buffer.from(source).toString('hex')))
    expect([...sources]).toEqual([metadata.uid?.replaceAll('-', '')])
    const before = recorded.positions.get('MeshRoute')?.value ?? 0n
    const route = await client.create(ROUTES, aRoute(ns))
    await recorded.told(`+MeshRoute ${ns}/everything@1`)
    expect(recorded.positions.get('MeshRoute')?.value).toBe(BigInt(route.metadata.resourceVersion ?? ''))
    expect(recorded.positions.get('MeshRoute')?.value).toBeGreaterThan(before)
    await recorded.source.close()
  })

  test('says nothing of what others write into status, unless configuration is made of it', async () => {
    const ns = await createNamespace(client, 'status')
    await client.create(RELAYS, aRelay(ns))
    const recorded = recordedSource({ client, watchNamespaces: [ns] })
    await recorded.told('synced')
    const metadata = { namespace: ns, name: 'edge' }
    const condition = {
      type: 'Programmed',
      status: 'True',
      reason: 'Programmed',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    await client.applyStatus(RELAYS, { metadata, status: { conditions: [condition] } }, { fieldManager: 'one' })
    const identity = { state: 'Active', since: '2026-01-01T00:00:00Z', peerHandle: HANDLE, secretName: 'a' }
    await client.applyStatus(RELAYS, { metadata, status: { controller: 'here', identity } }, { fieldManager: 'two' })
    await until('the identity is told', () => recorded.objects.get(`MeshRelay ${ns}/edge`)?.status.identity)
    expect(recorded.objects.get(`MeshRelay ${ns}/edge`)?.status).toEqual({
      controller: 'here',
      identity: { state: 'Active', peerHandle: HANDLE, secretName: 'a' },
    })
    expect(recorded.log).toEqual([`+MeshRelay ${ns}/edge@1`, 'synced', `+MeshRelay ${ns}/edge@1`])
    await recorded.source.close()
  })

  test('an object that somebody holds is told as going, and then as gone', async () => {
    const ns = await createNamespace(client, 'held')
    const metadata = { namespace: ns, name: 'tools', finalizers: ['mesh.causeway.dev/in-use'] }
    await client.create(PEERS, { ...aPeer(ns), metadata })
    const recorded = recordedSource({ client, watchNamespaces: [ns] })
    await recorded.told('synced')
    await client.delete(PEERS, metadata)
    await until('it is going', () => recorded.objects.get(`MeshPeer ${ns}/tools`)?.isDeleting)
    await client.patch(PEERS, metadata, { kind: 'merge', patch: { metadata: { finalizers: null } } })
    await recorded.told(`-MeshPeer ${ns}/tools`)
    await recorded.source.close()
  })

  test('a stored object that the schema no longer admits is told as invalid, with the fields', async () => {
    const ns = await createNamespace(client, 'invalid-stored')
    const created = await client.create(PEERS, aPeer(ns))
    const recorded = recordedSource({ client, watchNamespaces: [ns] })
    await recorded.told('synced')
    const crd = 'crd/meshpeers.mesh.causeway.dev'
    const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    const loosen = [
      {
        op: 'replace',
        path: '/spec/versions/0/schema/openAPIV3Schema',
        value: { type: 'object', properties: { spec: anything } },
      },
    ]
    await cluster().kubectl('patch', crd, '--type=json', '-p', JSON.stringify(loosen))
    await until('the API server admits it', async () => {
      const spec = { ...created.spec, addresses: 7 }
      await client.patch(PEERS, created.metadata, { kind: 'merge', patch: { spec } })
      return true
    })
    await cluster().applyCrds()
    await recorded.told(`!MeshPeer ${ns}/tools`)
    const problems = recorded.changes.flatMap(({ invalid }) => invalid).flatMap((one) => one.problems)
    expect(problems.map(({ fieldPath }) => fieldPath)).toEqual(['spec.addresses'])
    await client.patch(PEERS, created.metadata, {
      kind: 'json',
      patch: [{ op: 'replace', path: '/spec', value: aPeer(ns).spec }],
    })
    await recorded.told(`+MeshPeer ${ns}/tools@3`)
    await recorded.source.close()
  })

  test('watches its namespaces only, but knows the labels of all', async () => {
    const ours = await createNamespace(client, 'ours', { team: 'a' })
    const theirs = await createNamespace(client, 'theirs', { team: 'b' })
    await client.create(ROUTES, aRoute(theirs))
    const recorded = recordedSource({ client, watchNamespaces: [ours] })
    await recorded.told('synced')
    expect(recorded.log).toEqual(['synced'])
    expect(recorded.namespaces.get(theirs)).toMatchObject({ team: 'b' })
    await client.patch(NAMESPACES, { name: theirs }, { kind: 'merge', patch: { metadata: { labels: { team: 'c' } } } })
    await until('the label is told', () => recorded.namespaces.get(theirs)?.team === 'c')
    await recorded.source.close()
  })

  test('a list anew resolves when all that was written before has been told', async () => {
    const ns = await createNamespace(client, 'relisted')
    const recorded = recordedSource({ client, watchNamespaces: [ns] })
    await recorded.told('synced')
    for (let round = 0; round < 3; round++) {
      await client.create(ROUTES, aRoute(ns, `r${round}`))
      await recorded.source.relist({ consistent: true, signal: AbortSignal.timeout(30_000) })
      expect(recorded.log.at(-1)).toBe(`+MeshRoute ${ns}/r${round}@1`)
    }
    const abort = new AbortController()
    const relisted = recorded.source.relist({ consistent: true, signal: abort.signal })
    abort.abort(new Error('enough'))
    await expect(relisted).rejects.toThrow('enough')
    const closed = recorded.source.relist({ consistent: true, signal: AbortSignal.timeout(30_000) })
    const closing = recorded.source.close()
    await expect(closed).rejects.toMatchObject({ code: 'Aborted' })
    await closing
  })
})
