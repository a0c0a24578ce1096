import { beforeAll, describe, expect, it } from 'vitest'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { HANDLE, HealthyMesh } from './healthy-mesh.ts'
import { useCli } from './run-cli.ts'

const cluster = useApiCluster()
const cli = useCli()
const run = (...args: string[]) => cli.run(cluster().kubeconfig, args)

beforeAll(async () => {
  const mesh = new HealthyMesh(cluster())
  await mesh.restore()
  const refused = { status: 'False', reason: 'Rejected', message: 'causeway-edge-0: spec.path: taken' } as const
  await mesh.condition('MeshRoute', 'tools', { type: 'Programmed', ...refused })
  await mesh.apply(
    `${mesh.path('MeshRoute', 'tools')}/status`,
    {
      apiVersion: 'mesh.causeway.dev/v1alpha1',
      kind: 'MeshRoute',
      metadata: { name: 'tools', namespace: 'team-a' },
      status: {
        controller: 'causeway-system',
        relayCount: 3,
        relays: [
          {
            namespace: 'team-a',
            relay: 'edge',
            instance: 'causeway-edge-0',
            programmed: 'False',
            observedGeneration: 1,
            reason: 'Rejected',
            message: 'spec.path: taken',
          },
        ],
      },
    },
    'rows',
  )
  await mesh.object('MeshBackend', 'secretive', {
    relayRefs: [{ name: 'edge' }],
    mcp: { url: 'http://tools/mcp', headers: [{ name: 'authorization', value: 'Bearer hunter2' }] },
  })
  await cluster().apply(
    JSON.stringify({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'told', namespace: 'team-a' },
      eventTime: '2026-01-02T03:04:05.000000Z',
      reportingController: 'causeway-operator',
      reportingInstance: 'pod-0',
      action: 'Judge',
      type: 'Warning',
      reason: 'PathTaken',
      note: 'another route is there',
      regarding: { apiVersion: 'mesh.causeway.dev/v1alpha1', kind: 'MeshRoute', name: 'tools', namespace: 'team-a' },
    }),
  )
})

describe('causeway get', () => {
  it('says of every resource whether it is well, since when, and why not', async () => {
    const { code, out } = await run('get')
    expect(code).toBe(0)
    const lines = out.split('\n').map((line) => line.replace(/ {2,}\d+ d/, '  AGE').replaceAll(/ {2,}/g, ' | '))
    expect(lines).toEqual([
      'RESOURCE | STATE | SINCE | WHY',
      'MeshRelay/team-a/edge | ok | AGE',
      'MeshPeer/team-a/partner | ok | AGE',
      'MeshBackend/team-a/secretive | ok | AGE',
      'MeshBackend/team-a/tools | ok | AGE',
      'MeshRoute/team-a/tools | failed | AGE | Programmed Rejected: causeway-edge-0: spec.path: taken',
      '',
    ])
  })

  it.each(['route', 'routes', 'meshroute', 'MeshRoutes', 'cwroute'])('knows routes as %s', async (word) => {
    const { out } = await run('get', word, '--output', 'json')
    const { resources } = JSON.parse(out) as { resources: { kind: string; name: string; state: string }[] }
    expect(resources.map(({ kind, name, state }) => [kind, name, state])).toEqual([['MeshRoute', 'tools', 'failed']])
  })

  it('says what there is not', async () => {
    expect((await run('get', 'routs')).error).toMatch(
      /there is no kind routs; is routes? meant\? The kinds: meshrelays, /,
    )
    expect(await run('get', 'route', 'nothing')).toEqual({
      code: 1,
      out: '',
      error: 'causeway: there is no MeshRoute nothing\n',
    })
    expect((await run('get', '--namespace', 'other-system')).out).toBe('no resources\n')
    const { code, error } = await run('get', '--standalone', 'http://127.0.0.1:1')
    expect([code, error]).toEqual([1, expect.stringContaining('http://127.0.0.1:1 does not answer')])
  })
})

describe('causeway describe', () => {
  it('shows a resource with its conditions, instances, relations, events and spec', async () => {
    const { code, out } = await run('describe', 'route', 'tools')
    expect(code).toBe(0)
    expect(out).toMatch(/^MeshRoute\/team-a\/tools\n {2}state +failed: Programmed Rejected\n/)
    expect(out).toMatch(
      /\nConditions\n {2}Accepted +True +\d+ d +AsItShouldBe\n {2}Programmed +False .*Rejected +causeway-edge-0: spec\.path: taken\n/,
    )
    expect(out).toMatch(
      /\nInstances\n {2}team-a\/edge +causeway-edge-0 +programmed False +Rejected: spec\.path: taken\n {2}and 2 more\n/,
    )
    expect(out).toMatch(/\nUses\n {2}MeshRelay\/team-a\/edge +ok\n {2}MeshBackend\/team-a\/tools +ok\n/)
    expect(out).toMatch(/\nEvents\n {2}\d+ d +Warning +PathTaken +another route is there\n/)
    expect(out).toContain('\nSpec, with defaults\n  relayRefs:\n')
    expect(out).toContain('  installation  causeway-system\n')
  })

  it('says who uses it', async () => {
    const { out } = await run('describe', 'relay', 'edge')
    expect(out).toMatch(
      /\nUsed by\n {2}MeshPeer\/team-a\/partner +ok\n {2}MeshBackend\/team-a\/secretive +ok\n {2}MeshBackend\/team-a\/tools +ok\n {2}MeshRoute\/team-a\/tools +failed\n/,
    )
  })

  it('shows no secret', async () => {
    const { out } = await run('describe', 'backend', 'secretive')
    expect(out).toContain('[redacted]')
    expect(out).not.toContain('hunter2')
  })

  it('says what there is not', async () => {
    expect(await run('describe', 'peer', 'nobody')).toMatchObject({
      code: 1,
      error: 'causeway: there is no MeshPeer nobody\n',
    })
    expect((await run('describe', 'peer', 'partner')).out).toContain(HANDLE)
  })
})
