import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { KIND_NAMES } from '@causeway/mesh-api'
import { X509CertificateGenerator } from '@peculiar/x509'
import { beforeEach, describe, expect, it } from 'vitest'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { until } from '../cluster/wait.ts'
import { HealthyMesh } from './healthy-mesh.ts'
import { useCli } from './run-cli.ts'

const cluster = useApiCluster()
const cli = useCli()
let mesh: HealthyMesh

beforeEach(async () => {
  mesh = new HealthyMesh(cluster())
  await mesh.restore()
})

interface Line {
  readonly category: string
  readonly check: string
  readonly level: 'ok' | 'warning' | 'failed'
  readonly message: string
  readonly hint?: string
}

async function check(...args: string[]): Promise<{ code: number; lines: Line[]; bad: Line[] }> {
  const { code, out, error } = await cli.run(cluster().kubeconfig, ['check', '--output', 'json', ...args])
  expect(error).toBe('')
  const { lines } = JSON.parse(out) as { lines: Line[] }
  return { code, lines, bad: lines.filter(({ level }) => level !== 'ok') }
}

it('says of a mesh that is well one line for each thing looked at, and ends with 0', async () => {
  const { code, lines } = await check()
  expect(code).toBe(0)
  expect(lines.map(({ level, category, check }) => `${level} ${category}/${check}`)).toEqual([
    'ok cluster/reachable',
    'ok cluster/version',
    'ok cluster/permitted',
    'ok definitions/served',
    'ok definitions/current',
    'ok installation/present',
    'ok installation/operator',
    'ok installation/control-plane',
    'ok installation/operator-leader',
    'ok installation/control-plane-leader',
    'ok installation/version',
    'ok installation/disjoint',
    'ok installation/trust-bundle',
    'ok resources/watched',
    ...KIND_NAMES.map((kind) => `ok resources/${kind}`),
    'ok resources/deletion',
  ])
  const { out } = await cli.run(cluster().kubeconfig, ['check'])
  expect(out).toContain('installation\n  ok       Causeway is installed\n  ok       the operator runs\n')
  expect(out).toMatch(/\n0 failed, 0 warnings, \d+ ok\n$/)
})

interface Fault {
  readonly fault: string
  readonly seed: () => Promise<unknown>
  /** `level category/check`. */
  readonly line: string
  readonly message: RegExp
  readonly after?: () => Promise<unknown>
}

const FAULTS: readonly Fault[] = [
  {
    fault: 'a definition was removed',
    seed: () => cluster().kubectl('delete', 'crd', 'meshroutes.mesh.causeway.dev'),
    line: 'failed definitions/served',
    message: /^the definition of MeshRoute is missing$/,
  },
  {
    fault: 'a definition is being deleted, held by a resource',
    seed: async () => {
      await mesh.patch(mesh.path('MeshRoute', 'tools'), { metadata: { finalizers: ['example.com/other'] } })
      await cluster().kubectl('delete', 'crd', 'meshroutes.mesh.causeway.dev', '--wait=false')
    },
    line: 'failed definitions/served',
    message: /^the definition of MeshRoute is being deleted$/,
    after: async () => {
      await mesh.patch(mesh.path('MeshRoute', 'tools'), { metadata: { finalizers: null } })
      await until('the definition is gone', async () => !(await cluster().kubectl('get', 'crd')).includes('meshroutes'))
    },
  },
  {
    fault: 'a definition is older than the command',
    seed: async () => {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/meshpeers.mesh.causeway.dev'
      const at = '/spec/versions/0/schema/openAPIV3Schema/properties/spec'
      await cluster().client.send({
        method: 'PATCH',
        path,
        contentType: 'application/json-patch+json',
        body: [
          { op: 'remove', path: `${at}/properties/acceptSuccessors` },
          { op: 'remove', path: `${at}/x-kubernetes-validations` },
        ],
      })
    },
    line: 'warning definitions/current',
    message: /^MeshPeer has no spec\.acceptSuccessors$/,
  },
  {
    fault: 'the operator is gone',
    seed: () => mesh.remove('/apis/apps/v1/namespaces/causeway-system/deployments/causeway-operator'),
    line: 'failed installation/operator',
    message: /causeway-system\/causeway-operator: there is no such Deployment/,
  },
  {
    fault: 'the operator does not start',
    seed: () => mesh.scale('causeway-system', 'causeway-operator', { desired: 2, available: 0 }),
    line: 'failed installation/operator',
    message: /causeway-system\/causeway-operator: 0 of 2 pods are available/,
  },
  {
    fault: 'one replica of the control plane does not start',
    seed: () => mesh.scale('causeway-system', 'causeway-control-plane', { desired: 2, available: 1 }),
    line: 'warning installation/control-plane',
    message: /causeway-system\/causeway-control-plane: 1 of 2 pods are available/,
  },
  {
    fault: 'the control plane is scaled to nothing',
    seed: () => mesh.scale('causeway-system', 'causeway-control-plane', { desired: 0, available: 0 }),
    line: 'failed installation/control-plane',
    message: /causeway-system\/causeway-control-plane: scaled to nothing/,
  },
  {
    fault: 'the leader of the operator is silent',
    seed: () => mesh.lease('causeway-system', 'causeway-operator', new Date(Date.now() - 600_000)),
    line: 'failed installation/operator-leader',
    message: /causeway-operator: pod-0 has not renewed the Lease for 60\d s/,
  },
  {
    fault: 'no replica of the control plane leads',
    seed: () => mesh.lease('causeway-system', 'causeway-control-plane', new Date(), ''),
    line: 'failed installation/control-plane-leader',
    message: /causeway-control-plane: nobody holds the Lease/,
  },
  {
    fault: 'another version runs',
    seed: () => mesh.deployment('causeway-system', 'causeway-operator', ['team-a'], '0.0.9'),
    line: 'warning installation/version',
    message: /^causeway-system: 0\.0\.9 runs, and this is /,
  },
  {
    fault: 'two installations look after one namespace',
    seed: () => mesh.installation('other-system', ['team-a', 'team-b']),
    line: 'failed installation/disjoint',
    message: /^causeway-system and other-system both look after team-a$/,
    after: () => cluster().kubectl('delete', 'deployment,lease', '--all', '--namespace', 'other-system'),
  },
  {
    fault: 'the trust bundle was deleted',
    seed: () => mesh.remove('/api/v1/namespaces/team-a/configmaps/causeway-trust'),
    line: 'failed installation/trust-bundle',
    message: /^team-a\/causeway-trust: there is no such ConfigMap$/,
  },
  {
    fault: 'the trust bundle was overwritten by hand',
    seed: () => mesh.trustBundle('nothing'),
    line: 'failed installation/trust-bundle',
    message: /^team-a\/causeway-trust: it has no certificate$/,
  },
  {
    fault: 'a resource is in a namespace that nobody looks after',
    seed: () => mesh.object('MeshRelay', 'stray', {}, 'other-system'),
    line: 'failed resources/watched',
    message: /^MeshRelay\/other-system\/stray: no installation looks after namespace other-system$/,
    after: () => mesh.remove(mesh.path('MeshRelay', 'stray', 'other-system')),
  },
  ...(
    [
      ['MeshRelay', 'edge', 'Ready', 'False', 'IdentityLost', 'failed'],
      ['MeshRelay', 'edge', 'AuditReady', 'False', 'DiskFull', 'failed'],
      ['MeshPeer', 'partner', 'Accepted', 'False', 'NotFound', 'failed'],
      ['MeshPeer', 'partner', 'Reachable', 'False', 'Refused', 'failed'],
      ['MeshPeer', 'partner', 'PostQuantum', 'False', 'Classical', 'warning'],
      ['MeshPeer', 'partner', 'IdentityExpiring', 'True', 'Soon', 'warning'],
      ['MeshBackend', 'tools', 'Authorized', 'False', 'Unauthorized', 'failed'],
      ['MeshBackend', 'tools', 'Programmed', 'False', 'CredentialPending', 'failed'],
      ['MeshRoute', 'tools', 'Programmed', 'False', 'Rejected', 'failed'],
      ['MeshRoute', 'tools', 'Accepted', 'False', 'InvalidStored', 'failed'],
    ] as const
  ).map(([kind, name, type, status, reason, level]) => ({
    fault: `${kind} has ${type} ${status} for ${reason}`,
    seed: () => mesh.condition(kind, name, { type, status, reason, message: 'spec.field: because' }),
    line: `${level} resources/${kind}`,
    message: new RegExp(`^${kind}/team-a/${name}: ${type} ${reason}: spec\\.field: because$`),
  })),
  {
    fault: 'no instance of a relay is connected: told once, not for each of its resources too',
    seed: async () => {
      const condition = { type: 'Programmed', status: 'Unknown', reason: 'NoRelay', message: 'none connected' } as const
      await mesh.condition('MeshRelay', 'edge', condition)
      await mesh.condition('MeshPeer', 'partner', condition)
      await mesh.condition('MeshBackend', 'tools', condition)
      await mesh.condition('MeshRoute', 'tools', condition)
    },
    line: 'warning resources/MeshRelay',
    message: /^MeshRelay\/team-a\/edge: Programmed NoRelay: none connected$/,
  },
  {
    fault: 'the operator has not looked at a change',
    seed: () => mesh.patch(mesh.path('MeshRoute', 'tools'), { spec: { path: '/other' } }),
    line: 'warning resources/MeshRoute',
    message: /^MeshRoute\/team-a\/tools: Accepted Outdated: the operator has not looked at its latest change yet$/,
  },
  {
    fault: 'a resource was deleted while another uses it',
    seed: async () => {
      await mesh.patch(mesh.path('MeshBackend', 'tools'), { metadata: { finalizers: ['mesh.causeway.dev/in-use'] } })
      await mesh.remove(mesh.path('MeshBackend', 'tools'))
    },
    line: 'warning resources/deletion',
    message: /^MeshBackend\/team-a\/tools: was deleted and is held by MeshRoute\/team-a\/tools$/,
    after: () => cli.run(cluster().kubeconfig, ['uninstall', '--release']),
  },
]

describe('of one fault there is one line, and it is that of the fault:', () => {
  it.each(FAULTS)('$fault', async ({ seed, line, message, after }) => {
    await seed()
    try {
      const { code, bad } = await check()
      expect(bad.map((one) => `${one.level} ${one.category}/${one.check}`)).toEqual([line])
      expect(bad[0]?.message).toMatch(message)
      expect(code).toBe(line.startsWith('failed') ? 1 : 0)
    } finally {
      await after?.()
    }
  })

  it('nothing is installed', async () => {
    await cluster().kubectl('delete', 'deployment', '--all', '--namespace', 'causeway-system')
    const { bad } = await check()
    expect(bad).toEqual([
      {
        category: 'installation',
        check: 'present',
        level: 'failed',
        message: 'no installation on this cluster',
        hint: 'docs/install.md: helm install causeway',
      },
    ])
  })

  it('the authorities of the trust bundle end in a week', async () => {
    await mesh.trustBundle(`${cluster().authority}\n${await authorityThatEnds(new Date(Date.now() + WEEK_MS))}`)
    const { bad } = await check()
    expect(bad.map(({ level, message }) => [level, message])).toEqual([
      ['warning', expect.stringMatching(/^team-a\/causeway-trust: a certificate authority ends 20/)],
    ])
  })

  it('the API server does not answer', async () => {
    const nobody = cli.file(
      'nobody.kubeconfig',
      cluster().kubeconfigText.replace(cluster().serverUrl, 'https://127.0.0.1:1'),
    )
    const { code, out } = await cli.run(nobody, ['check'])
    expect(code).toBe(1)
    expect(out).toMatch(
      /^cluster\n {2}FAILED {3}.*127\.0\.0\.1:1\n {11}is the cluster up.*\n\n1 failed, 0 warnings, 0 ok\n$/,
    )
  })

  it('there is no kubeconfig', async () => {
    const { code, out } = await cli.run(`${cli.folder}/nothing`, ['check'])
    expect(code).toBe(1)
    expect(out).toContain('1 failed, 0 warnings, 0 ok\n')
  })
})

it('looks at one namespace and one installation where that is asked', async () => {
  await mesh.condition('MeshRoute', 'tools', { type: 'Accepted', status: 'False', reason: 'PathTaken' })
  expect((await check('--namespace', 'other-system')).bad).toEqual([])
  expect((await check('--installation', 'other-system')).bad.map(({ message }) => message)).toEqual([
    'no installation in namespace other-system',
    'MeshRoute/team-a/tools: Accepted PathTaken',
  ])
})

it('names what the user may not read, and says the rest', async () => {
  await cluster().kubectl('create', 'serviceaccount', 'reader', '-n', 'team-a')
  await cluster().kubectl(
    'create',
    'role',
    'reader',
    '-n',
    'team-a',
    '--verb=list',
    '--resource=meshroutes.mesh.causeway.dev',
  )
  await cluster().kubectl(
    'create',
    'rolebinding',
    'reader',
    '-n',
    'team-a',
    '--role=reader',
    '--serviceaccount=team-a:reader',
  )
  await mesh.condition('MeshRoute', 'tools', { type: 'Accepted', status: 'False', reason: 'PathTaken' })
  const { kubeconfig } = await cluster().credentialsFor({ namespace: 'team-a', name: 'reader' })
  await until('the role is in force', async () => {
    const { out } = await cli.run(kubeconfig, ['check', '--namespace', 'team-a', '--output', 'json'])
    const { lines } = JSON.parse(out) as { lines: Line[] }
    const messages = lines.filter(({ level }) => level !== 'ok').map(({ message }) => message)
    const expected = [
      'Deployments may not be read',
      ...KIND_NAMES.filter((kind) => kind !== 'MeshRoute').map((kind) => `${kind}s may not be read`),
      'MeshRoute/team-a/tools: Accepted PathTaken',
    ]
    return JSON.stringify(messages) === JSON.stringify(expected)
  })
})

const WEEK_MS = 7 * 24 * 60 * 60 * 1000

async function authorityThatEnds(notAfter: Date): Promise<string> {
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify'])
  const notBefore = new Date(notAfter.getTime() - 2 * WEEK_MS)
  const made = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=ends',
    keys,
    notBefore,
    notAfter,
    signingAlgorithm,
  })
  return made.toString('pem')
}
