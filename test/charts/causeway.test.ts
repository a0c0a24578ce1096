import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  CONTROL_PLANE_PORTS,
  CONTROL_PLANE_SERVICE_NAME,
  CONTROL_PLANE_TLS_NAME,
  DEFAULT_TRUST_DOMAIN,
  KIND_NAMES,
  KINDS,
} from '@causeway/mesh-api'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import rootManifest from '../../package.json' with { type: 'json' }
import { CHARTS, helm, type Rendered, render, renderText } from './render.ts'
import { breachesOfRestricted, type PodSpec } from './restricted.ts'

const CHART = join(CHARTS, 'causeway')

describe('the chart', () => {
  it('is what helm lint accepts', async () => {
    expect(await helm(['lint', '--strict', CHART])).toContain('0 chart(s) failed')
  })

  it('has the version of the product', () => {
    const { version, appVersion } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as Record<string, string>
    expect([version, appVersion]).toEqual([rootManifest.version, rootManifest.version])
  })

  it('renders, as the defaults say, what the golden file shows', async () => {
    await expect(await renderText()).toMatchFileSnapshot('golden/defaults.yaml')
  })

  it.each([
    [{ trustDomian: 'x' }, /trustDomian/],
    [{ trustDomain: 'Upper.Case' }, /trustDomain/],
    [{ watchNamespaces: 'one' }, /watchNamespaces/],
    [{ 'operator.replica': 2 }, /replica/],
    [{ 'image.pullPolicy': 'Sometimes' }, /pullPolicy/],
    [{ 'image.digest': 'sha256:12' }, /digest/],
  ])('refuses the values %j and says which', async (values, words) => {
    await expect(render(values)).rejects.toThrow(words)
  })

  it('makes no key and nothing at random: what a template makes is made again by every upgrade', async () => {
    const files = readdirSync(join(CHART, 'templates')).map((name) =>
      readFileSync(join(CHART, 'templates', name), 'utf8'),
    )
    expect(files.join('\n')).not.toMatch(/\b(gen[A-Z]\w+|rand[A-Z]\w+|uuidv4|derivePassword|buildCustomCert|lookup)\b/)
    expect((await render()).filter(({ kind }) => kind === 'Secret')).toEqual([])
  })
})

describe.each([
  ['by its defaults', {}],
  ['for named namespaces', { watchNamespaces: ['team-a', 'team-b'] }],
  ['for the whole cluster', { 'rbac.clusterWide': true }],
])('what it renders %s', (_title, values) => {
  it('has each object once, its own under the labels of the release', async () => {
    const objects = await render(values)
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? '-'}/${metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
    for (const { metadata } of objects)
      expect(metadata.labels?.['app.kubernetes.io/instance'], metadata.name).toBe('mesh')
  })

  it('runs pods that the restricted Pod Security level admits, from the one image', async () => {
    const pods = podsOf(await render(values))
    expect(pods.map(({ name }) => name).sort()).toEqual([
      'causeway-control-plane',
      'causeway-operator',
      'causeway-uninstall',
    ])
    for (const { name, spec } of pods) {
      expect(breachesOfRestricted(spec), name).toEqual([])
      for (const { image } of spec.containers) expect(image).toBe(`docker.io/library/causeway:${rootManifest.version}`)
    }
  })

  it('binds roles that are there to service accounts that are there, and each pod uses one', async () => {
    const objects = await render(values)
    const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name)
    for (const { spec } of podsOf(objects)) expect(accounts).toContain(spec.serviceAccountName)
    for (const binding of objects.filter(({ kind }) => kind.endsWith('RoleBinding'))) {
      for (const { name, namespace } of binding.subjects ?? []) {
        expect(accounts).toContain(name)
        expect(namespace).toBe('causeway-system')
      }
      const role = objects.find(
        ({ kind, metadata }) =>
          kind === binding.roleRef?.kind &&
          metadata.name === binding.roleRef.name &&
          (kind === 'ClusterRole' || metadata.namespace === binding.metadata.namespace),
      )
      expect(role, binding.metadata.name).toBeDefined()
    }
  })

  it('grants no service account a wildcard', async () => {
    for (const { metadata, rules } of await render(values)) {
      for (const rule of rules ?? []) {
        expect([...rule.apiGroups, ...rule.resources, ...rule.verbs], metadata.name).not.toContain('*')
      }
    }
  })
})

describe('the processes', () => {
  it('are told the namespaces, the trust domain and the image that the values say', async () => {
    const objects = await render({ watchNamespaces: ['b', 'a'], trustDomain: 'mesh.example', 'image.digest': DIGEST })
    const image = `docker.io/library/causeway@${DIGEST}`
    expect(argumentsOf(objects, 'causeway-operator')).toEqual([
      'operator/main.js',
      '--namespace=causeway-system',
      '--installation=causeway-system',
      '--watch-namespaces=a,b',
      '--trust-domain=mesh.example',
      `--relay-image=${image}`,
      '--image-pull-policy=IfNotPresent',
      '--deletion-hold=1h',
      '--log-level=info',
      '--admin=0.0.0.0:9090',
    ])
    expect(argumentsOf(objects, 'causeway-control-plane')).toEqual([
      'services/control-plane/main.js',
      '--namespace=causeway-system',
      '--installation=causeway-system',
      '--watch-namespaces=a,b',
      '--trust-domain=mesh.example',
      '--tls=/etc/causeway/tls',
      '--listen=0.0.0.0:8443',
      '--status-listen=0.0.0.0:8444',
      '--admin=0.0.0.0:9090',
      '--log-level=info',
    ])
  })

  it('look after their own namespace, or all of them when that is what the cluster-wide role is for', async () => {
    expect(argumentsOf(await render(), 'causeway-control-plane')).toContain('--watch-namespaces=causeway-system')
    const everywhere = await render({ 'rbac.clusterWide': true })
    expect(argumentsOf(everywhere, 'causeway-control-plane')).toContain('--watch-namespaces=*')
    expect(argumentsOf(everywhere, 'causeway-operator')).toContain('--cluster-wide')
  })

  it('are found under the names and ports that the operator puts into certificates and relays', async () => {
    const objects = await render()
    const service = objects.find(({ kind }) => kind === 'Service')
    expect(service?.metadata.name).toBe(CONTROL_PLANE_SERVICE_NAME)
    const ports = (service?.spec?.ports ?? []) as { name: string; port: number }[]
    expect(Object.fromEntries(ports.map(({ name, port }) => [name, port]))).toEqual(CONTROL_PLANE_PORTS)
    const [pod] = podsOf(objects).filter(({ name }) => name === 'causeway-control-plane')
    expect(pod?.spec.volumes).toEqual([
      { name: 'tls', secret: { secretName: CONTROL_PLANE_TLS_NAME, defaultMode: 0o440 } },
    ])
    expect(argumentsOf(objects, 'causeway-operator')).toContain(`--trust-domain=${DEFAULT_TRUST_DOMAIN}`)
  })

  it('are reached by those only who have a reason, unless the policies are switched off', async () => {
    const policies = (objects: readonly Rendered[]) => objects.filter(({ kind }) => kind === 'NetworkPolicy')
    const monitoring = [{ namespaceSelector: { matchLabels: { team: 'monitoring' } } }]
    const [controlPlane] = policies(await render({ 'networkPolicy.metricsFrom': monitoring })).filter(
      ({ metadata }) => metadata.name === 'causeway-control-plane',
    )
    const rules = controlPlane?.spec?.ingress as { from: unknown[]; ports: { port: string }[] }[]
    expect(rules.map(({ ports }) => ports)).toEqual([[{ port: 'config' }], [{ port: 'status' }], [{ port: 'admin' }]])
    expect(rules[2]?.from).toEqual(monitoring)
    expect(policies(await render({ 'networkPolicy.enabled': false }))).toEqual([])
  })
})

describe('the roles for people', () => {
  const GUARDED = ['safetypolicies', 'trustanchors', 'approvalrequests']
  const plurals = KIND_NAMES.map((name) => KINDS[name].plural)

  const verbsOf = (objects: readonly Rendered[], suffix: string, resource: string) =>
    objects
      .filter(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === `causeway-causeway-system-${suffix}`)
      .flatMap(({ rules }) => rules ?? [])
      .filter(({ resources }) => resources.includes(resource))
      .flatMap(({ verbs }) => verbs)

  it('let whoever may view a namespace see every kind', async () => {
    const objects = await render()
    for (const plural of plurals) expect(verbsOf(objects, 'view', plural), plural).toEqual(['get', 'list', 'watch'])
  })

  it('let whoever may edit a namespace change every kind but policies, anchors and approvals', async () => {
    const objects = await render()
    for (const plural of plurals) {
      expect(verbsOf(objects, 'edit', plural).includes('create'), plural).toBe(!GUARDED.includes(plural))
    }
  })

  it('let decide about a held call whoever is bound to that by name, and create none', async () => {
    const objects = await render()
    expect(verbsOf(objects, 'approver', 'approvalrequests')).toEqual(['get', 'list', 'watch', 'update', 'patch'])
    expect(verbsOf(objects, 'policy-admin', 'safetypolicies')).toContain('create')
  })

  it('extend those of Kubernetes only if they shall', async () => {
    const aggregated = (objects: readonly Rendered[]) =>
      objects
        .flatMap(({ metadata }) => Object.keys(metadata.labels ?? {}))
        .filter((label) => label.includes('aggregate-to'))
    expect(new Set(aggregated(await render())).size).toBe(3)
    expect(aggregated(await render({ 'rbac.aggregate': false }))).toEqual([])
  })
})

describe('the hook before helm uninstall', () => {
  it('frees what is held in the namespaces that are watched, with a role in each', async () => {
    const objects = await render({ watchNamespaces: ['team-a', 'team-b'] })
    expect(argumentsOf(objects, 'causeway-uninstall')).toEqual([
      'services/cli/launch.mjs',
      'uninstall',
      '--release',
      '--stop-operator=causeway-system',
      '--namespace=team-a',
      '--namespace=team-b',
    ])
    const roles = objects.filter(({ kind, metadata }) => kind === 'Role' && metadata.name === 'causeway-uninstall')
    expect(roles.map(({ metadata }) => metadata.namespace)).toEqual(['team-a', 'team-b'])
  })

  it('is all hook, before it and gone after it, and can be left out', async () => {
    const isHook = ({ metadata }: Rendered) => metadata.labels?.['app.kubernetes.io/name'] === 'causeway-uninstall'
    const own = (await render({ 'rbac.clusterWide': true })).filter(isHook)
    expect(own.length).toBe(6)
    for (const { metadata } of own) {
      expect(metadata.annotations).toMatchObject({
        'helm.sh/hook': 'pre-delete',
        'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
      })
    }
    expect((await render({ 'uninstall.releaseHeldObjects': false })).filter(isHook)).toEqual([])
  })
})

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`

function podsOf(objects: readonly Rendered[]): { readonly name: string; readonly spec: PodSpec }[] {
  return objects.flatMap(({ metadata, spec }) => {
    const template = spec?.template as { readonly spec: PodSpec } | undefined
    return template === undefined ? [] : [{ name: metadata.name, spec: template.spec }]
  })
}

function argumentsOf(objects: readonly Rendered[], name: string): readonly string[] | undefined {
  return podsOf(objects).find((pod) => pod.name === name)?.spec.containers[0]?.args
}
