import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anApproval } from '../../services/mesh-api/fixtures/written.ts'
import { render } from '../charts/render.ts'
import type { AuditEvent } from '../cluster/api/audit.ts'
import { until } from '../cluster/wait.ts'
import { ROOT } from '../tools/step.ts'
import { text } from './kube.ts'
import { isUse, refusals, rightsOf, textOf } from './rights.ts'
import { type OperatorStand, SYSTEM, useOperatorStand } from './stand.ts'

const stand = useOperatorStand({ controllerManager: true })
const ACCOUNTS = ['causeway-operator', 'causeway-control-plane'] as const
const HANDLE = 'bciqj6hzzzgs3tczvxwp4d2vjttmevivmqgfkh4mh7ujkzv2gt6gg75i'
const RELAY = { listeners: { mcp: { host: '0.0.0.0', port: 8080 } }, identity: { rotation: { overlap: '1s' } } }

/** Everything that operator and control plane ever have to do, in one namespace. */
async function everything({ kube, cluster }: OperatorStand): Promise<void> {
  await kube.createSecret('shop', 'token', { value: 'x' })
  await kube.create('ConfigMap', 'shop', { metadata: { name: 'roots' }, data: { 'ca.crt': 'PEM' } })
  await kube.write('MeshRelay', 'shop', 'edge', RELAY)
  const valueFrom = { secretRef: { name: 'token', key: 'value' } }
  const relayRefs = [{ name: 'edge' }]
  const target = { backendRef: { name: 'tools' } }
  await kube.write('MeshBackend', 'shop', 'tools', {
    relayRefs,
    mcp: { url: 'http://tools:3000/mcp', headers: [{ name: 'authorization', valueFrom }] },
    peers: [{ name: 'far' }],
  })
  await kube.write('TrustAnchor', 'shop', 'partners', { uses: ['peers'], handles: [HANDLE] })
  await kube.write('MeshPeer', 'shop', 'far', {
    relayRefs,
    addresses: ['npamp://far:7443'],
    trustAnchorRef: { name: 'partners' },
    tls: { mode: 'ca', caConfigMapRef: { name: 'roots', key: 'ca.crt' } },
  })
  await kube.write('MeshRoute', 'shop', 'tools', { relayRefs, path: '/tools', transparent: { target } })
  await kube.write('SafetyPolicy', 'shop', 'calls', { rules: [{ name: 'destructive', action: 'deny' }] })
  await kube.write('DiscoveryRecord', 'shop', 'read', {
    relayRefs,
    tool: { name: 'files.read', protocolId: 1, effect: 'readOnly' },
  })
  await kube.write('AgentCard', 'shop', 'agent', { source: { backendRef: { name: 'tools' } } })
  await kube.write('AccessKey', 'shop', 'alice', { owner: 'alice', secretRef: { name: 'token', key: 'value' } })
  await cluster.apply(
    JSON.stringify(APPROVAL),
    `--as=system:serviceaccount:${SYSTEM}:causeway-control-plane`,
    '--as-group=system:masters',
  )
  for (const kind of ['MeshPeer', 'MeshBackend', 'MeshRoute', 'AgentCard', 'AccessKey'] as const) {
    const name = { MeshPeer: 'far', MeshBackend: 'tools', MeshRoute: 'tools', AgentCard: 'agent', AccessKey: 'alice' }[
      kind
    ]
    await kube.untilCondition(kind, 'shop', name, 'Accepted', { status: 'True' })
  }
  await kube.untilCondition('MeshRoute', 'shop', 'tools', 'Programmed', { status: 'Unknown' })
  await until('the Service', () => kube.find('Service', 'shop', 'causeway-edge'))
  // The same trouble again becomes a series of one event.
  await foreignField(0)
  await foreignField(1)
  await damage()
  await damage()

  await kube.patch('MeshRelay', 'shop', 'edge', {
    metadata: { annotations: { 'mesh.causeway.dev/rotate-identity': 'now' } },
  })
  await until(
    'the identity is rotated',
    async () => (await kube.get('MeshRelay', 'shop', 'edge')).status.identity.state === 'Retired',
  )
  await until('the old key is gone', async () => !(await kube.find('Secret', 'shop', 'causeway-edge-identity-a')))
  await kube.patch('Secret', SYSTEM, 'causeway-ca', {
    metadata: { annotations: { 'mesh.causeway.dev/rotate-authority': 'now' } },
  })
  await until('the next authority', () => kube.find('Secret', SYSTEM, 'causeway-ca-next'))
  await until('the authority is rotated', async () => !(await kube.find('Secret', SYSTEM, 'causeway-ca-next')))
  await kube.write('MeshRelay', 'shop', 'edge', { ...RELAY, listeners: {} })
  await until('the Service is gone', async () => !(await kube.find('Service', 'shop', 'causeway-edge')))
}

/** An authority that cannot be read, for a moment. */
async function damage(): Promise<void> {
  const { kube } = stand()
  const { data } = await kube.get('Secret', SYSTEM, 'causeway-ca')
  const before = (await stand().cluster.auditEvents()).length
  await kube.patch('Secret', SYSTEM, 'causeway-ca', { data: { 'tls.key': 'bm9uZQ==' } })
  await until('the operator has looked at it', async () =>
    (await stand().cluster.auditEvents())
      .slice(before)
      .some(
        ({ user, verb, name }) => user.endsWith('causeway-operator') && verb === 'get' && name === 'causeway-ca-next',
      ),
  )
  await kube.patch('Secret', SYSTEM, 'causeway-ca', { data: data ?? {} })
}

/** What somebody else writes into the pod template is removed each time. */
async function foreignField(time: number): Promise<void> {
  const { kube } = stand()
  await kube.patch('StatefulSet', 'shop', 'causeway-edge', { spec: { template: { spec: { hostNetwork: true } } } })
  await until(
    `it is removed, ${time}`,
    async () => (await kube.get('StatefulSet', 'shop', 'causeway-edge')).spec.template.spec.hostNetwork === undefined,
  )
}

/** Repeats are written after a minute. */
function untilSeries(namespace: string): Promise<boolean> {
  const isSeries = (event: AuditEvent) =>
    event.resource === 'events' &&
    event.verb === 'patch' &&
    event.namespace === namespace &&
    event.user.endsWith('causeway-operator')
  const written = async () => (await stand().cluster.auditEvents()).some(isSeries)
  return until(`the series of an event in ${namespace} is written`, written, { timeoutMs: 120_000, intervalMs: 1_000 })
}

/** Last of all: with the relay goes its bundle. */
async function theEnd({ kube }: OperatorStand): Promise<void> {
  await kube.patch('MeshRelay', 'shop', 'edge', { metadata: { annotations: { 'mesh.causeway.dev/release': 'now' } } })
  await kube.delete('MeshRelay', 'shop', 'edge')
  await until('the relay is gone', async () => !(await kube.find('MeshRelay', 'shop', 'edge')))
  await until('the bundle is gone', async () => !(await kube.find('ConfigMap', 'shop', 'causeway-trust')))
}

/** A control plane on the same API server, with the certificate that the operator made. */
async function startControlPlane({ cluster, kube }: OperatorStand, folder: string): Promise<() => Promise<unknown>> {
  const secret = await until('its certificate', () => kube.find('Secret', SYSTEM, 'causeway-control-plane-tls'))
  for (const file of ['tls.crt', 'tls.key', 'ca.crt']) await writeFile(join(folder, file), text(secret, file))
  const { kubeconfig } = await cluster.credentialsFor({ namespace: SYSTEM, name: 'causeway-control-plane' })
  const flags = {
    namespace: SYSTEM,
    installation: SYSTEM,
    'watch-namespaces': 'shop',
    tls: folder,
    listen: '127.0.0.1:0',
    'status-listen': '127.0.0.1:0',
    admin: '127.0.0.1:0',
    kubeconfig,
  }
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
  const program = join(ROOT, 'services/control-plane/main.ts')
  const child = spawn('setpriv', ['--pdeathsig=KILL', process.execPath, program, ...args], { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  return () => {
    child.kill('SIGTERM')
    return ended
  }
}

describe('the rights of the service accounts', () => {
  const events: AuditEvent[] = []

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-'))
    await stand().startLeading()
    const stopControlPlane = await startControlPlane(stand(), folder)
    try {
      await everything(stand())
      for (const namespace of ['shop', SYSTEM]) await untilSeries(namespace)
      await theEnd(stand())
    } finally {
      await stopControlPlane()
      await stand().stopOperators()
      await rm(folder, { recursive: true })
    }
    events.push(...(await stand().cluster.auditEvents()))
  }, 300_000)
  afterAll(() => events.splice(0))

  const of = (account: string) => events.filter(({ user }) => user === `system:serviceaccount:${SYSTEM}:${account}`)

  it.each(ACCOUNTS)('%s is never refused anything', (account) => {
    const refused = of(account).filter(({ code }) => code === 403)
    expect(refused.map(({ verb, requestUri }) => `${verb} ${requestUri}`)).toEqual([])
    expect(of(account).length).toBeGreaterThan(50)
  })

  it.each(ACCOUNTS)('%s needs all that it may', (account) => {
    const unused = rightsOf(account, stand().chart).filter((right) => !of(account).some((event) => isUse(right, event)))
    expect(unused.map(textOf)).toEqual([])
  })

  it.each(ACCOUNTS)('%s does nothing that no rule of the chart names', (account) => {
    const rights = rightsOf(account, stand().chart)
    // What everybody may: discovery and the review of the own rights have no resource.
    const strange = of(account).filter(
      (event) => event.resource !== '' && !rights.some((right) => isUse({ ...right, name: undefined }, event)),
    )
    expect(strange.map(({ verb, requestUri }) => `${verb} ${requestUri}`)).toEqual([])
  })
})

describe('whatever the values are', () => {
  const VALUES = [
    ['by its defaults', {}],
    ['for named namespaces', { watchNamespaces: ['team-a', 'team-b'] }],
    ['for the whole cluster', { 'rbac.clusterWide': true }],
  ] as const

  it.each(VALUES)('no service account has a wildcard: %s', async (_, values) => {
    const objects = await render(values)
    for (const account of ACCOUNTS) {
      for (const right of rightsOf(account, objects))
        expect([right.group, right.resource, right.verb, right.name], textOf(right)).not.toContain('*')
    }
  })

  it.each(VALUES)('the control plane reads no Secret: %s', async (_, values) => {
    const rights = rightsOf('causeway-control-plane', await render(values))
    expect(rights.filter(({ resource }) => resource === 'secrets').map(textOf)).toEqual([])
  })

  it('the operator has Secrets of the cluster only where the values say so', async () => {
    for (const [, values] of VALUES) {
      const rights = rightsOf('causeway-operator', await render(values))
      const wide = rights.filter(({ resource, namespace }) => resource === 'secrets' && namespace === undefined)
      expect(wide.length > 0).toBe('rbac.clusterWide' in values)
    }
  })

  it('of a namespace that is not watched the operator reaches only its own Secrets', async () => {
    const rights = rightsOf('causeway-operator', await render({ watchNamespaces: ['team-a'] }))
    const own = rights.filter(({ resource, namespace }) => resource === 'secrets' && namespace === SYSTEM)
    const names = own.filter(({ verb }) => verb !== 'create').map(({ name }) => name)
    expect(new Set(names)).toEqual(new Set(['causeway-ca', 'causeway-ca-next', 'causeway-control-plane-tls']))
  })
})

it('what was refused to a service account fails every test of the operator, besides in a namespace that goes', () => {
  const event = (more: Partial<AuditEvent>): AuditEvent => ({
    ...REFUSED,
    user: `system:serviceaccount:${SYSTEM}:causeway-operator`,
    ...more,
  })
  const going = event({ user: 'admin', resource: 'namespaces', verb: 'delete', name: 'doomed', code: 200 })
  expect(
    refusals(
      [event({}), event({ code: 200 }), event({ user: 'alice' }), event({ namespace: 'doomed' }), going],
      SYSTEM,
    ),
  ).toEqual([`system:serviceaccount:${SYSTEM}:causeway-operator: list /api/v1/namespaces/shop/secrets`])
})

const REFUSED: Omit<AuditEvent, 'user'> = {
  auditId: '1',
  userAgent: '',
  verb: 'list',
  requestUri: '/api/v1/namespaces/shop/secrets',
  resource: 'secrets',
  subresource: '',
  apiGroup: '',
  namespace: 'shop',
  name: '',
  code: 403,
  receivedAt: '',
}

const APPROVAL = {
  apiVersion: 'mesh.causeway.dev/v1alpha1',
  kind: 'ApprovalRequest',
  metadata: { name: 'call', namespace: 'shop' },
  spec: anApproval().spec,
}
