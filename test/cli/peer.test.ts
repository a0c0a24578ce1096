import { beforeAll, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { HANDLE, HealthyMesh } from './healthy-mesh.ts'
import { useCli } from './run-cli.ts'

const cluster = useApiCluster()
const cli = useCli()
const run = (...args: string[]) => cli.run(cluster().kubeconfig, args)
const NEXT = `bciq${'b'.repeat(51)}a`

async function identity(fields: object): Promise<void> {
  const mesh = new HealthyMesh(cluster())
  const status = {
    identity: { state: 'Active', since: '2026-01-02T03:04:05Z', secretName: 's', peerHandle: HANDLE, ...fields },
  }
  const object = {
    apiVersion: 'mesh.causeway.dev/v1alpha1',
    kind: 'MeshRelay',
    metadata: { name: 'edge', namespace: 'team-a' },
  }
  await mesh.apply(`${mesh.path('MeshRelay', 'edge')}/status`, { ...object, status }, 'identity')
}

beforeAll(async () => {
  await new HealthyMesh(cluster()).restore()
  const metadata = { name: 'causeway-edge', namespace: 'team-a' }
  const ports = [
    { name: 'mcp', port: 8080 },
    { name: 'npamp', port: 8443 },
  ]
  await cluster().apply(
    JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata, spec: { type: 'LoadBalancer', ports } }),
  )
})

it('a relay that has no identity is not exported', async () => {
  expect(await run('peer', 'export', 'edge')).toMatchObject({
    code: 1,
    error: expect.stringContaining('MeshRelay team-a/edge has no identity yet'),
  })
  expect((await run('peer', 'export', 'nothing')).error).toBe('causeway: there is no MeshRelay nothing\n')
})

it('what one side exports the other imports: all handles of a rotation, the address of the load balancer, and successors', async () => {
  await identity({ state: 'Announced', next: NEXT, nextSecretName: 't' })
  const status = { loadBalancer: { ingress: [{ hostname: 'relay.acme.example' }, { ip: '2001:db8::1' }] } }
  await new HealthyMesh(cluster()).patch('/api/v1/namespaces/team-a/services/causeway-edge/status', { status })

  const exported = await run('peer', 'export', 'edge', '--as', 'acme')
  expect([exported.code, exported.error]).toEqual([0, ''])
  expect(parse(exported.out)).toMatchObject({
    kind: 'MeshPeer',
    metadata: { name: 'acme' },
    spec: {
      identity: { handles: [HANDLE, NEXT] },
      addresses: ['npamp://relay.acme.example:8443', 'npamp://[2001:db8::1]:8443'],
      acceptSuccessors: true,
    },
  })

  const file = cli.file('acme.yaml', exported.out)
  const imported = await run('peer', 'import', file, '--relay', 'edge', '--namespace', 'team-a', '--apply')
  expect([imported.code, imported.out]).toEqual([0, 'MeshPeer team-a/acme applied\n'])
  const stored = await cluster().kubectl(
    'get',
    'cwpeer',
    'acme',
    '-n',
    'team-a',
    '-o',
    'jsonpath={.spec.relayRefs[0].name} {.spec.acceptSuccessors}',
  )
  expect(stored).toBe('edge true')
})

it('a file does not become a peer that is there and is somebody else, and may bring the same one up to date', async () => {
  const file = (handles: readonly string[]) => {
    const spec = { addresses: ['npamp://relay.acme.example:8443'], identity: { handles } }
    return cli.file(
      'again.yaml',
      stringify({ apiVersion: 'mesh.causeway.dev/v1alpha1', kind: 'MeshPeer', metadata: { name: 'acme' }, spec }),
    )
  }
  const importing = (path: string) => run('peer', 'import', path, '--relay', 'edge', '--namespace', 'team-a', '--apply')
  const handles = () =>
    cluster().kubectl('get', 'cwpeer', 'acme', '-n', 'team-a', '-o', 'jsonpath={.spec.identity.handles[*]}')

  const stranger = `bciq${'c'.repeat(51)}a`
  expect(await importing(file([stranger]))).toMatchObject({
    code: 2,
    error: expect.stringContaining('MeshPeer team-a/acme is there and has none of these handles; --as gives'),
  })
  expect(await handles()).toBe(`${HANDLE} ${NEXT}`)
  expect((await importing(file([NEXT]))).code).toBe(0)
  expect(await handles()).toBe(NEXT)
})

it('an address that is said outranks the Service; without any there is a warning', async () => {
  const said = await run('peer', 'export', 'edge', '--address', 'npamp://other.example:9443')
  expect(parse(said.out)).toMatchObject({ spec: { addresses: ['npamp://other.example:9443'] } })
  await cluster().kubectl('delete', 'service', 'causeway-edge', '-n', 'team-a')
  const silent = await run('peer', 'export', 'edge')
  expect(silent.code).toBe(0)
  expect(silent.error).toContain('no address from outside is known')
})

it('the statement of a relay that changes its key is written as its operator has signed it', async () => {
  await identity({
    state: 'Announced',
    next: NEXT,
    nextSecretName: 't',
    successor: Buffer.from('statement').toString('base64'),
  })
  const out = `${cli.folder}/successor.cbor`
  expect((await run('keys', 'announce', '--relay', 'edge', '--out', out)).out).toBe(
    `current    ${HANDLE}\nnext       ${NEXT}\nfile       ${out}\n`,
  )
  await identity({})
  expect((await run('keys', 'announce', '--relay', 'edge', '--out', out)).error).toContain('announces no key now')
})
