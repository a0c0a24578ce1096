import { IN_USE_FINALIZER } from '@causeway/mesh-api'
import { beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { until } from '../cluster/wait.ts'
import { useCli } from './run-cli.ts'

const cluster = useApiCluster({ controllerManager: true })
const cli = useCli()
const run = (...args: string[]) => cli.run(cluster().kubeconfig, ['uninstall', '--release', ...args])

const OTHER_FINALIZER = 'example.com/other'

function object(kind: string, name: string, namespace: string, spec: object, finalizers = [IN_USE_FINALIZER]) {
  const apiVersion = 'mesh.causeway.dev/v1alpha1'
  return stringify({ apiVersion, kind, metadata: { name, namespace, finalizers }, spec })
}
const relay = (name: string, namespace: string) => object('MeshRelay', name, namespace, {})
const backend = (name: string, namespace: string, finalizers?: string[]) =>
  object(
    'MeshBackend',
    name,
    namespace,
    { relayRefs: [{ name: 'edge' }], mcp: { url: 'http://tools/mcp' } },
    finalizers,
  )

const finalizersOf = async (what: string, namespace: string) =>
  JSON.parse(await cluster().kubectl('get', what, '-n', namespace, '-o', 'jsonpath={.metadata.finalizers}')) as string[]

beforeEach(async () => {
  await cluster().applyCrds()
  for (const name of ['team-a', 'team-b']) {
    await cluster().apply(stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
  }
})

describe('causeway uninstall --release', () => {
  it('frees what is held in every namespace, and leaves the finalizers of others', async () => {
    await cluster().apply(
      [
        relay('edge', 'team-a'),
        backend('tools', 'team-a', [OTHER_FINALIZER, IN_USE_FINALIZER]),
        backend('free', 'team-a', [OTHER_FINALIZER]),
        backend('tools', 'team-b'),
      ].join('---\n'),
    )
    await cluster().kubectl('delete', 'meshrelay', 'edge', '-n', 'team-a', '--wait=false')

    const { code, out, error } = await run()

    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out.trimEnd().split('\n').sort()).toEqual([
      '3 released',
      'released MeshBackend team-a/tools',
      'released MeshBackend team-b/tools',
      'released MeshRelay team-a/edge, which was waiting to be deleted',
    ])
    expect(await cluster().kubectl('get', 'meshrelays', '-A', '-o', 'name')).toBe('')
    expect(await finalizersOf('meshbackend/tools', 'team-a')).toEqual([OTHER_FINALIZER])
    expect(await finalizersOf('meshbackend/free', 'team-a')).toEqual([OTHER_FINALIZER])
    await cluster().kubectl(
      'patch',
      'meshbackend',
      'tools',
      '-n',
      'team-a',
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":null}}',
    )
    await cluster().kubectl(
      'patch',
      'meshbackend',
      'free',
      '-n',
      'team-a',
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":null}}',
    )
  })

  it('looks only into the namespaces that it is told', async () => {
    await cluster().apply([backend('one', 'team-a'), backend('one', 'team-b')].join('---\n'))
    expect((await run('--namespace', 'team-b')).out).toBe('released MeshBackend team-b/one\n1 released\n')
    expect(await finalizersOf('meshbackend/one', 'team-a')).toEqual([IN_USE_FINALIZER])
    await run()
  })

  it('lets definitions go that were deleted first, and finds nothing when they are gone: all within 10 s', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `backend-${index}`)
    await cluster().apply(names.map((name) => backend(name, 'team-a')).join('---\n'))
    const definitions = (await cluster().kubectl('get', 'crd', '-o', 'name')).trim().split('\n')
    await cluster().kubectl('delete', ...definitions, '--wait=false')

    const started = performance.now()
    const { code, out } = await run()
    await until('the definitions are gone', async () => (await cluster().kubectl('get', 'crd', '-o', 'name')) === '')
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(code).toBe(0)
    expect(out).toContain('200 released\n')

    expect(await run()).toEqual({ code: 0, out: '0 released\n', error: '' })
  })

  it('stops the operator first, when it is told where that is', async () => {
    const labels = { 'app.kubernetes.io/name': 'causeway-operator' }
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'causeway-operator', namespace: 'team-a' },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'operator', image: 'causeway' }] } },
      },
    }
    await cluster().apply(stringify(deployment))
    const pods = () => cluster().kubectl('get', 'pods', '-n', 'team-a', '-o', 'name')
    await until('its pods are there', async () => (await pods()).trim().split('\n').length === 2)

    expect((await run('--stop-operator', 'team-a')).code).toBe(0)

    expect(await pods()).toBe('')
    expect((await run('--stop-operator', 'team-b')).code).toBe(0)
  })

  it('says what it may not do, and goes on with the rest', async () => {
    await cluster().apply([backend('one', 'team-a'), backend('one', 'team-b')].join('---\n'))
    await cluster().kubectl('create', 'serviceaccount', 'half', '-n', 'team-a')
    await cluster().kubectl(
      'create',
      'role',
      'half',
      '-n',
      'team-a',
      '--verb=list,patch',
      '--resource=meshbackends.mesh.causeway.dev',
    )
    await cluster().kubectl(
      'create',
      'rolebinding',
      'half',
      '-n',
      'team-a',
      '--role=half',
      '--serviceaccount=team-a:half',
    )
    const { kubeconfig } = await cluster().credentialsFor({ namespace: 'team-a', name: 'half' })
    const args = ['uninstall', '--release', '--namespace', 'team-a', '--namespace', 'team-b']

    const { code, out, error } = await until('the role is in force', async () => {
      const result = await cli.run(kubeconfig, args)
      return result.out.startsWith('released') ? result : undefined
    })

    expect(code).toBe(1)
    expect(out).toBe('released MeshBackend team-a/one\n1 released\n')
    expect(error).toMatch(/causeway: MeshBackends: list .*team-b.*forbidden/)
    await run()
  })
})

it('without --release does nothing and says what to do', async () => {
  const { code, error } = await cli.run(cluster().kubeconfig, ['uninstall'])
  expect(code).toBe(2)
  expect(error).toContain('--release frees what is held, helm uninstall removes the installation')
})

it.each([
  ['a kubeconfig that is not there', '/nonexistent/config', 2, /nonexistent.*--kubeconfig names another file/],
  ['a server that does not answer', 'unreachable', 1, /is the cluster up/],
])('tells of %s in one line', async (_what, kubeconfig, expected, words) => {
  const nobody = cli.file(
    'nobody.kubeconfig',
    cluster().kubeconfigText.replace(cluster().serverUrl, 'https://127.0.0.1:1'),
  )
  const { code, error } = await cli.run(kubeconfig === 'unreachable' ? nobody : kubeconfig, ['uninstall', '--release'])
  expect(code).toBe(expected)
  expect(error).toMatch(words)
})
