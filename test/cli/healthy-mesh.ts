import { KINDS, type KindName, LEASES, TRUST_BUNDLE_NAME } from '@causeway/mesh-api'
import packageFile from '../../services/cli/package.json' with { type: 'json' }
import type { ApiCluster } from '../cluster/api/cluster.ts'

/** Writes what an installation leaves on an API server when all is well, without one: nothing changes by itself. */
export class HealthyMesh {
  readonly #cluster: ApiCluster

  constructor(cluster: ApiCluster) {
    this.#cluster = cluster
  }

  /** Everything as it should be, whatever it was before. */
  async restore(): Promise<void> {
    await this.#cluster.applyCrds()
    for (const name of ['causeway-system', 'other-system', 'team-a']) await this.namespace(name)
    await this.installation('causeway-system', ['team-a'])
    await this.trustBundle(this.#cluster.authority)
    await this.object('MeshRelay', 'edge', { listeners: { mcp: { port: 8080 } } })
    await this.object('MeshPeer', 'partner', {
      relayRefs: [EDGE],
      addresses: ['npamp://partner.example:8443'],
      identity: { handles: [HANDLE] },
    })
    await this.object('MeshBackend', 'tools', { relayRefs: [EDGE], mcp: { url: 'http://tools/mcp' } })
    await this.object('MeshRoute', 'tools', {
      relayRefs: [EDGE],
      path: '/tools',
      transparent: { target: { backendRef: { name: 'tools' } } },
    })
  }

  async namespace(name: string): Promise<void> {
    await this.apply(`/api/v1/namespaces/${name}`, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  }

  /** Deployments and Leases of operator and control plane. */
  async installation(namespace: string, watchNamespaces: readonly string[]): Promise<void> {
    for (const name of ['causeway-operator', 'causeway-control-plane']) {
      await this.deployment(namespace, name, watchNamespaces)
      await this.scale(namespace, name, { desired: 2, available: 2 })
      await this.lease(namespace, name, new Date())
    }
  }

  async deployment(
    namespace: string,
    name: string,
    watchNamespaces: readonly string[],
    version = packageFile.version,
  ): Promise<void> {
    const labels = { 'app.kubernetes.io/name': name }
    const container = {
      name: 'main',
      image: `docker.io/library/causeway:${version}`,
      args: ['main.js', `--watch-namespaces=${watchNamespaces.join(',') || '*'}`],
    }
    await this.apply(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace, labels },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    })
  }

  async scale(namespace: string, name: string, { desired, available }: { desired: number; available: number }) {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`
    await this.patch(path, { spec: { replicas: desired } })
    await this.patch(`${path}/status`, {
      status: { replicas: desired, readyReplicas: available, availableReplicas: available },
    })
  }

  async lease(namespace: string, name: string, renewed: Date, holderIdentity = 'pod-0'): Promise<void> {
    const lease = name === 'causeway-operator' ? LEASES.operator : LEASES.controlPlane
    await this.apply(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${lease}`, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: lease, namespace },
      spec: { holderIdentity, renewTime: renewed.toISOString().replace('Z', '000Z'), leaseDurationSeconds: 10 },
    })
  }

  async trustBundle(certificates: string): Promise<void> {
    await this.apply(`/api/v1/namespaces/team-a/configmaps/${TRUST_BUNDLE_NAME}`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: TRUST_BUNDLE_NAME, namespace: 'team-a' },
      data: { 'ca.crt': certificates },
    })
  }

  /** An object of ours with each condition as it is when all is well. */
  async object(kind: KindName, name: string, spec: object, namespace = 'team-a'): Promise<void> {
    const apiVersion = 'mesh.causeway.dev/v1alpha1'
    await this.apply(this.path(kind, name, namespace), { apiVersion, kind, metadata: { name, namespace }, spec })
    for (const { type } of KINDS[kind].conditions) await this.condition(kind, name, WELL(type), namespace)
  }

  /** Puts one condition, about the object as it is. */
  async condition(kind: KindName, name: string, condition: SeededCondition, namespace = 'team-a'): Promise<void> {
    const path = this.path(kind, name, namespace)
    const { metadata } = (await this.#cluster.client.send({ path })) as { metadata: { generation: number } }
    const entry = {
      observedGeneration: metadata.generation,
      lastTransitionTime: '2026-01-02T03:04:05Z',
      message: '',
      ...condition,
    }
    await this.apply(
      `${path}/status`,
      {
        apiVersion: 'mesh.causeway.dev/v1alpha1',
        kind,
        metadata: { name, namespace },
        status: { conditions: [entry] },
      },
      `writer-of-${condition.type}`,
    )
  }

  path(kind: KindName, name: string, namespace = 'team-a'): string {
    return `/apis/mesh.causeway.dev/v1alpha1/namespaces/${namespace}/${KINDS[kind].plural}/${name}`
  }

  async apply(path: string, body: object, fieldManager = 'seed'): Promise<void> {
    const query = `fieldManager=${fieldManager}&force=true`
    await this.#cluster.client.send({
      method: 'PATCH',
      path: `${path}?${query}`,
      contentType: 'application/apply-patch+yaml',
      body,
    })
  }

  async patch(path: string, body: object): Promise<void> {
    await this.#cluster.client.send({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body })
  }

  async remove(path: string): Promise<void> {
    await this.#cluster.client.send({ method: 'DELETE', path })
  }
}

export interface SeededCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message?: string
  readonly observedGeneration?: number
}

const EDGE = { name: 'edge' }
export const HANDLE = `bciq${'a'.repeat(52)}`

function WELL(type: string): SeededCondition {
  const isRare = type === 'IdentityExpiring' || type === 'SuccessorPinned'
  return { type, status: isRare ? 'False' : 'True', reason: 'AsItShouldBe' }
}
