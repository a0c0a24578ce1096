import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromServiceAccount, KubeClient, type KubeError, type RequestReport, systemClock } from '@causeway/kube'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { clientOf, createNamespace } from '../fixtures/kube/client.ts'
import { CONFIG_MAPS, configMap, NAMESPACES, SECRETS } from '../fixtures/kube/objects.ts'
import { KubeVirtualClock } from '../fixtures/kube/virtual-clock.ts'

const cluster = useApiCluster()
let client: KubeClient
beforeAll(async () => {
  client = await clientOf(cluster().kubeconfigText)
})

/** What a request is refused with. */
async function refusal(request: Promise<unknown>): Promise<KubeError> {
  return request.then(
    () => {
      throw new Error('it was not refused')
    },
    (error: KubeError) => error,
  )
}

describe('objects', () => {
  test('are created once', async () => {
    const ns = await createNamespace(client, 'created-once')
    const created = await client.create(CONFIG_MAPS, configMap(ns, 'a', { x: '1' }))
    expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { x: '1' } })
    expect(await refusal(client.create(CONFIG_MAPS, configMap(ns, 'a')))).toMatchObject({
      code: 'AlreadyExists',
      status: 409,
      message: 'create configmaps created-once/a: configmaps "a" already exists',
    })
  })

  test('that are not there are NotFound to get and undefined to find', async () => {
    const ref = { namespace: 'default', name: 'absent' }
    expect(await refusal(client.get(CONFIG_MAPS, ref))).toMatchObject({ code: 'NotFound', status: 404 })
    expect(await client.find(CONFIG_MAPS, ref)).toBeUndefined()
  })

  test('are replaced only in the version that was read', async () => {
    const ns = await createNamespace(client, 'replaced')
    const created = await client.create(CONFIG_MAPS, configMap(ns, 'a', { x: '1' }))
    await client.replace(CONFIG_MAPS, { ...created, data: { x: '2' } })
    expect(await refusal(client.replace(CONFIG_MAPS, { ...created, data: { x: '3' } }))).toMatchObject({
      code: 'Conflict',
    })
  })

  test('that are wrong are refused with the fields', async () => {
    const error = await refusal(client.create(CONFIG_MAPS, configMap('default', 'Wrong_Name')))
    expect(error).toMatchObject({ code: 'Invalid', status: 422, reason: 'Invalid' })
    expect(error.causes).toMatchObject([{ reason: 'FieldValueInvalid', field: 'metadata.name' }])
  })

  test('with a field that the kind does not have are refused', async () => {
    const object = { ...configMap('default', 'typo'), dta: {} }
    expect((await refusal(client.create(CONFIG_MAPS, object))).message).toContain('unknown field "dta"')
  })

  test('are applied by each manager for its own fields, and taken over only by force', async () => {
    const ns = await createNamespace(client, 'applied')
    const metadata = { namespace: ns, name: 'a' }
    await client.apply(CONFIG_MAPS, { metadata, data: { x: '1' } }, { fieldManager: 'one' })
    await client.apply(CONFIG_MAPS, { metadata, data: { y: '1' } }, { fieldManager: 'two' })
    const both = await client.apply(CONFIG_MAPS, { metadata, data: { y: '2' } }, { fieldManager: 'two' })
    expect(both.data).toEqual({ x: '1', y: '2' })
    const conflict = await refusal(client.apply(CONFIG_MAPS, { metadata, data: { x: '3' } }, { fieldManager: 'two' }))
    expect(conflict.code).toBe('Conflict')
    expect(conflict.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.x' },
    ])
    const forced = await client.apply(CONFIG_MAPS, { metadata, data: { x: '3' } }, { fieldManager: 'two', force: true })
    expect(forced.data).toEqual({ x: '3' })
  })

  test('are patched, if wanted only in one version or state', async () => {
    const ns = await createNamespace(client, 'patched')
    const ref = { namespace: ns, name: 'a' }
    const { metadata } = await client.create(CONFIG_MAPS, configMap(ns, 'a', { x: '1' }))
    const merge = { metadata: { resourceVersion: metadata.resourceVersion }, data: { x: '2' } }
    expect((await client.patch(CONFIG_MAPS, ref, { kind: 'merge', patch: merge })).data).toEqual({ x: '2' })
    expect((await refusal(client.patch(CONFIG_MAPS, ref, { kind: 'merge', patch: merge }))).code).toBe('Conflict')
    const json = [
      { op: 'test', path: '/data/x', value: '2' },
      { op: 'replace', path: '/data/x', value: '3' },
    ] as const
    expect((await client.patch(CONFIG_MAPS, ref, { kind: 'json', patch: json })).data).toEqual({ x: '3' })
    expect((await refusal(client.patch(CONFIG_MAPS, ref, { kind: 'json', patch: json }))).code).toBe('Invalid')
  })

  test('are deleted only when they are the ones that are meant', async () => {
    const ns = await createNamespace(client, 'deleted')
    const ref = { namespace: ns, name: 'a' }
    const { metadata } = await client.create(CONFIG_MAPS, configMap(ns, 'a'))
    expect((await refusal(client.delete(CONFIG_MAPS, ref, { preconditions: { uid: 'other' } }))).code).toBe('Conflict')
    await client.delete(CONFIG_MAPS, ref, { preconditions: { uid: metadata.uid ?? '' } })
    expect((await refusal(client.delete(CONFIG_MAPS, ref))).code).toBe('NotFound')
  })

  test('of a dry run are checked and not stored', async () => {
    await client.create(CONFIG_MAPS, configMap('default', 'dry'), { dryRun: true })
    expect(await client.find(CONFIG_MAPS, { namespace: 'default', name: 'dry' })).toBeUndefined()
  })

  test('have a status of their own, which an apply reaches', async () => {
    const metadata = { name: 'with-status' }
    await createNamespace(client, metadata.name)
    const condition = {
      type: 'Tested',
      status: 'True',
      reason: 'Test',
      message: 'tested',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    await client.applyStatus(NAMESPACES, { metadata, status: { conditions: [condition] } })
    expect(await client.get(NAMESPACES, metadata)).toMatchObject({ status: { conditions: [condition] } })
  })
})

describe('lists', () => {
  test('come whole, whatever the size of a page', async () => {
    const ns = await createNamespace(client, 'listed')
    const names = Array.from({ length: 7 }, (_, index) => `c${index}`)
    for (const name of names) await client.create(CONFIG_MAPS, configMap(ns, name, { text: '{"items":[' }))
    for (const pageSize of [1, 2, 7, 500]) {
      const { items, resourceVersion } = await client.list({ type: CONFIG_MAPS, namespace: ns, pageSize })
      expect(items.map(({ metadata }) => metadata.name)).toEqual(names)
      expect(items.every(({ kind, apiVersion }) => kind === 'ConfigMap' && apiVersion === 'v1')).toBe(true)
      expect(Number(resourceVersion)).toBeGreaterThan(0)
    }
  })

  test('of metadata hold no values', async () => {
    const ns = await createNamespace(client, 'metadata-only')
    await client.create(SECRETS, { metadata: { namespace: ns, name: 's' }, stringData: { password: 'p' } })
    const { items } = await client.list({ type: SECRETS, namespace: ns, metadataOnly: true })
    expect(items).toHaveLength(1)
    expect(Object.keys(items[0] ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata'])
  })

  test('of labels', async () => {
    const ns = await createNamespace(client, 'labelled')
    const labels = { colour: 'red' }
    await client.create(CONFIG_MAPS, { metadata: { namespace: ns, name: 'red', labels } })
    await client.create(CONFIG_MAPS, configMap(ns, 'plain'))
    const { items } = await client.list({ type: CONFIG_MAPS, namespace: ns, labelSelector: 'colour=red' })
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['red'])
  })
})

describe('who asks', () => {
  test('a leader whose term is over writes nothing and may still read', async () => {
    let isLeader = true
    const leader = await clientOf(cluster().kubeconfigText, { mayWrite: () => isLeader })
    await leader.create(CONFIG_MAPS, configMap('default', 'by-the-leader'))
    isLeader = false
    const ref = { namespace: 'default', name: 'by-the-leader' }
    expect((await refusal(leader.delete(CONFIG_MAPS, ref))).code).toBe('NotLeader')
    expect((await leader.get(CONFIG_MAPS, ref)).metadata.name).toBe('by-the-leader')
    leader.close()
  })

  test('a service account uses its files, reads a new token, and may not do what it has no role for', async () => {
    const ns = await createNamespace(client, 'account')
    await cluster().kubectl('-n', ns, 'create', 'serviceaccount', 'robot')
    await cluster().kubectl('-n', ns, 'create', 'role', 'reader', '--verb=get', '--resource=configmaps')
    await cluster().kubectl(
      '-n',
      ns,
      'create',
      'rolebinding',
      'reader',
      '--role=reader',
      `--serviceaccount=${ns}:robot`,
    )
    await client.create(CONFIG_MAPS, configMap(ns, 'a'))
    const { kubeconfigText } = await cluster().credentialsFor({ namespace: ns, name: 'robot' })
    const token = /token: (\S+)/.exec(kubeconfigText)?.[1] ?? ''
    const folder = await mkdtemp(join(tmpdir(), 'causeway-account-'))
    const write = (file: string, text: string) => writeFile(join(folder, file), text)
    await Promise.all([write('token', 'not-yet'), write('namespace', ns), write('ca.crt', cluster().authority)])
    const { hostname: host, port } = new URL(cluster().serverUrl)
    const clock = new KubeVirtualClock()
    const connection = await fromServiceAccount({ clock, host, port, folder })
    const robot = new KubeClient({ connection, clock: systemClock(), fieldManager: 'robot' })
    const ref = { namespace: robot.namespace, name: 'a' }
    expect((await refusal(robot.get(CONFIG_MAPS, ref))).code).toBe('Unauthorized')
    await write('token', token)
    clock.advance(30_000)
    expect((await robot.get(CONFIG_MAPS, ref)).metadata.name).toBe('a')
    expect(await refusal(robot.delete(CONFIG_MAPS, ref))).toMatchObject({ code: 'Forbidden', status: 403 })
    robot.close()
    await rm(folder, { recursive: true })
  })

  test('every request is reported with its verb, its type and how it ended', async () => {
    const reports: RequestReport[] = []
    const reporting = await clientOf(cluster().kubeconfigText, { onRequest: (report) => reports.push(report) })
    await reporting.create(CONFIG_MAPS, configMap('default', 'reported'))
    await reporting.applyStatus(NAMESPACES, { metadata: { name: 'default' }, status: {} })
    await reporting.find(CONFIG_MAPS, { namespace: 'default', name: 'absent' })
    await reporting.list({ type: CONFIG_MAPS })
    const told = reports.map(({ verb, type, subresource, code }) => [verb, type.plural, subresource, code])
    expect(told).toEqual([
      ['create', 'configmaps', undefined, 'OK'],
      ['patch', 'namespaces', 'status', 'OK'],
      ['get', 'configmaps', undefined, 'NotFound'],
      ['list', 'configmaps', undefined, 'OK'],
    ])
    reporting.close()
  })
})
