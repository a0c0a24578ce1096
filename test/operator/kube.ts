import { KINDS, type KindName } from '@causeway/mesh-api'
import type { ApiAnswer } from '../cluster/api/client.ts'
import type { ApiCluster } from '../cluster/api/cluster.ts'
import { until } from '../cluster/wait.ts'

/** An object as the API server answers it: the parts that these tests look at. */
export interface Found {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid: string
    readonly resourceVersion: string
    readonly generation?: number
    readonly deletionTimestamp?: string
    readonly finalizers?: readonly string[]
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly { readonly kind: string; readonly uid: string }[]
  }
  // biome-ignore lint/suspicious/noExplicitAny: tests read deep into objects whose form the API server vouches for
  readonly spec?: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly status?: any
  readonly type?: string
  readonly data?: Readonly<Record<string, string>>
}

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly observedGeneration?: number
  readonly lastTransitionTime: string
}

const PATHS: Readonly<Record<string, string>> = {
  Secret: 'api/v1',
  ConfigMap: 'api/v1',
  Service: 'api/v1',
  ServiceAccount: 'api/v1',
  StatefulSet: 'apis/apps/v1',
  PodDisruptionBudget: 'apis/policy/v1',
  NetworkPolicy: 'apis/networking.k8s.io/v1',
  Event: 'apis/events.k8s.io/v1',
  Lease: 'apis/coordination.k8s.io/v1',
}

/** What a person does with a cluster, in the words of these tests. As cluster-admin. */
export class Kube {
  readonly #cluster: ApiCluster

  constructor(cluster: ApiCluster) {
    this.#cluster = cluster
  }

  /** `spec` of a kind of the mesh, as a person writes it; the object as it is stored. */
  async write(kind: KindName, namespace: string, name: string, spec: object, metadata: object = {}): Promise<Found> {
    const object = { apiVersion: 'mesh.causeway.dev/v1alpha1', kind, metadata: { name, namespace, ...metadata }, spec }
    await this.#cluster.apply(JSON.stringify(object), '--field-manager=person', '--force-conflicts')
    return this.get(kind, namespace, name)
  }

  async create(kind: string, namespace: string, object: object): Promise<Found> {
    return (await this.#cluster.client.send({
      method: 'POST',
      path: this.path(kind, namespace),
      body: object,
    })) as Found
  }

  createSecret(namespace: string, name: string, data: Readonly<Record<string, string>>): Promise<Found> {
    const encoded = Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)]))
    return this.create('Secret', namespace, { metadata: { name }, data: encoded })
  }

  async createNamespace(name: string): Promise<void> {
    await this.#cluster.client.send({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } })
  }

  /**
   * A MutatingAdmissionPolicy is in force some moments after it is stored, and from then on refuses every object of a kind
   * until the API server has the schema of it at hand.
   */
  async untilAdmitted(kinds: readonly KindName[], namespace: string): Promise<void> {
    const probe = (kind: KindName) => {
      const body = { apiVersion: 'mesh.causeway.dev/v1alpha1', kind, metadata: { name: 'probe' }, spec: {} }
      const path = `${this.path(kind, namespace)}?dryRun=All`
      return this.#cluster.client.request({ method: 'POST', path, body })
    }
    await until('the policy that stamps objects is in force', async () => {
      const { metadata } = (await probe('MeshRelay')).body as Partial<Found>
      return metadata?.annotations !== undefined && CHANGED_BY in metadata.annotations
    })
    for (const kind of kinds)
      await until(`objects of kind ${kind} are admitted`, async () => (await probe(kind)).status !== 503)
  }

  async find(kind: string, namespace: string, name: string): Promise<Found | undefined> {
    const { status, body } = await this.#cluster.client.request({ path: `${this.path(kind, namespace)}/${name}` })
    return status === 200 ? (body as Found) : undefined
  }

  async get(kind: string, namespace: string, name: string): Promise<Found> {
    return (await this.#cluster.client.send({ path: `${this.path(kind, namespace)}/${name}` })) as Found
  }

  async list(kind: string, namespace: string): Promise<readonly Found[]> {
    return ((await this.#cluster.client.send({ path: this.path(kind, namespace) })) as { items: Found[] }).items
  }

  /** JSON merge patch; also of `status` where that is the subresource. */
  async patch(kind: string, namespace: string, name: string, body: object, subresource?: string): Promise<Found> {
    const path = `${this.path(kind, namespace)}/${name}${subresource === undefined ? '' : `/${subresource}`}`
    const request = { method: 'PATCH', path, body, contentType: 'application/merge-patch+json' } as const
    return (await this.#cluster.client.send(request)) as Found
  }

  delete(kind: string, namespace: string, name: string): Promise<ApiAnswer> {
    return this.#cluster.client.request({ method: 'DELETE', path: `${this.path(kind, namespace)}/${name}` })
  }

  /** What a controller of the control plane says of instances. */
  async report(kind: KindName, namespace: string, name: string, relays: readonly object[]): Promise<void> {
    const rows = relays.map((row) => ({ programmed: 'True', observedGeneration: 1, ...row }))
    await this.patch(kind, namespace, name, { status: { relays: rows } }, 'status')
  }

  async condition(kind: KindName, namespace: string, name: string, type: string): Promise<Condition | undefined> {
    const conditions = ((await this.find(kind, namespace, name))?.status?.conditions ?? []) as readonly Condition[]
    return conditions.find((one) => one.type === type)
  }

  /** Waits for a condition of the present generation. */
  untilCondition(
    kind: KindName,
    namespace: string,
    name: string,
    type: string,
    wanted: Partial<Condition>,
  ): Promise<Condition> {
    return until(`${kind} ${namespace}/${name} is ${type} ${JSON.stringify(wanted)}`, async () => {
      const object = await this.find(kind, namespace, name)
      const found = ((object?.status?.conditions ?? []) as readonly Condition[]).find((one) => one.type === type)
      if (found === undefined || found.observedGeneration !== object?.metadata.generation) return undefined
      const isWanted = Object.entries(wanted).every(([field, value]) => found[field as keyof Condition] === value)
      if (!isWanted) throw new Error(`it is ${JSON.stringify(found)}`)
      return found
    })
  }

  /** An event about an object, once there is one of `reason` that says `words`. */
  untilEvent(namespace: string, name: string, reason: string, words = ''): Promise<{ readonly note: string }> {
    return until(`an event ${reason} about ${namespace}/${name} says: ${words}`, async () =>
      (await this.events(namespace, name, reason)).find(({ note }) => note.includes(words)),
    )
  }

  /** What was told of an object, for one reason. */
  async events(namespace: string, name: string, reason: string): Promise<readonly Told[]> {
    const events = (await this.list('Event', namespace)) as readonly (Found & Told)[]
    return events.filter((event) => event.regarding.name === name && event.reason === reason)
  }

  path(kind: string, namespace: string): string {
    const mesh = KINDS[kind as KindName] as { readonly plural: string } | undefined
    if (mesh !== undefined) return `/apis/mesh.causeway.dev/v1alpha1/namespaces/${namespace}/${mesh.plural}`
    const plural = kind === 'NetworkPolicy' ? 'networkpolicies' : `${kind.toLowerCase()}s`
    return `/${PATHS[kind]}/namespaces/${namespace}/${plural}`
  }
}

const CHANGED_BY = 'mesh.causeway.dev/changed-by'

interface Told {
  readonly reason: string
  readonly note: string
  readonly regarding: { readonly name: string }
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

export function text(secret: Found, key: string): string {
  return Buffer.from(secret.data?.[key] ?? '', 'base64').toString()
}
