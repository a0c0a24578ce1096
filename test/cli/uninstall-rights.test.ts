import { beforeEach, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type Rendered, render } from '../charts/render.ts'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { until } from '../cluster/wait.ts'
import { isUse, rightsOf, textOf } from '../operator/rights.ts'
import { HANDLE } from './healthy-mesh.ts'
import { useCli } from './run-cli.ts'

/** The hook before helm uninstall, as the service account that the chart gives it. */
const cluster = useApiCluster({ controllerManager: true })
const cli = useCli()
const ACCOUNT = 'causeway-uninstall'
const SYSTEM = 'causeway-system'
const TEAMS = ['team-a', 'team-b']

beforeEach(async () => {
  await cluster().applyCrds()
  for (const name of [SYSTEM, ...TEAMS]) {
    await cluster().apply(stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
  }
  for (const namespace of TEAMS)
    await cluster().apply(
      heldObjects(namespace)
        .map((one) => stringify(one))
        .join('---\n'),
    )
  const labels = { 'app.kubernetes.io/name': 'causeway-operator' }
  const container = { name: 'operator', image: 'causeway' }
  const template = { metadata: { labels }, spec: { containers: [container] } }
  const metadata = { name: 'causeway-operator', namespace: SYSTEM }
  const spec = { replicas: 1, selector: { matchLabels: labels }, template }
  await cluster().apply(stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }))
})

function heldObjects(namespace: string): object[] {
  const relayRefs = [{ name: 'edge' }]
  const specs = {
    MeshRelay: {},
    MeshPeer: { relayRefs, dial: 'never', identity: { handles: [HANDLE] } },
    MeshBackend: { relayRefs, mcp: { url: 'http://tools/mcp' } },
    TrustAnchor: { uses: ['peers'], handles: [HANDLE] },
  }
  return Object.entries(specs).map(([kind, spec]) => ({
    apiVersion: 'mesh.causeway.dev/v1alpha1',
    kind,
    metadata: { name: 'edge', namespace, finalizers: ['mesh.causeway.dev/in-use'] },
    spec,
  }))
}

it.each([
  ['in named namespaces', { watchNamespaces: TEAMS }],
  ['in the whole cluster', { 'rbac.clusterWide': true }],
])('%s it may do what it does, and does all that it may', async (_where, values) => {
  const hook = (await render(values)).filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === ACCOUNT)
  const rights = hook.filter(({ kind }) => kind !== 'Job')
  await cluster().apply(rights.map((one) => stringify(one)).join('---\n'))
  const { kubeconfig } = await cluster().credentialsFor({ namespace: SYSTEM, name: ACCOUNT })
  const args = argumentsOf(hook)
  await until('its rights are in force', async () => {
    const answer = await cluster().kubectlAs(
      { kubeconfig, kubeconfigText: '' },
      ...['auth', 'can-i', 'list', 'meshpeers.mesh.causeway.dev', '-n', 'team-b'],
    )
    return answer.startsWith('yes')
  })
  const before = (await cluster().auditEvents()).length

  const { code, out, error } = await cli.run(kubeconfig, args)

  expect({ code, error }).toEqual({ code: 0, error: '' })
  expect(out).toContain('\n8 released\n')
  const events = (await cluster().auditEvents()).slice(before).filter(({ user }) => user.endsWith(`:${ACCOUNT}`))
  const granted = rightsOf(ACCOUNT, hook)
  expect(granted.filter((right) => !events.some((event) => isUse(right, event))).map(textOf)).toEqual([])
  expect(events.filter(({ code: status }) => status === 403)).toEqual([])
  await cluster().kubectl('delete', 'clusterrole,clusterrolebinding', '-l', `app.kubernetes.io/name=${ACCOUNT}`)
})

/** Of the Job, without the program that the test runs in its place. */
function argumentsOf(hook: readonly Rendered[]): readonly string[] {
  const job = hook.find(({ kind }) => kind === 'Job')
  const template = job?.spec?.template as { spec: { containers: { args: string[] }[] } }
  return template.spec.containers[0]?.args.slice(1) ?? []
}
