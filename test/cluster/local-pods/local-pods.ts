import { mkdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { ApiCluster } from '../api/cluster.ts'
import { cleanUp } from '../clean-up.ts'
import { RunFolder } from '../processes/run-folder.ts'
import { until } from '../wait.ts'
import { kubeconfigThrough } from './kubeconfig-through.ts'
import { LocalPod, type PodHost } from './local-pod.ts'
import type { PodObject } from './pod-object.ts'
import { ServiceWays } from './service-ways.ts'

export interface LocalPodsOptions {
  readonly cluster: ApiCluster
  /** Only pods whose label `app.kubernetes.io/name` is one of these. */
  readonly apps: readonly string[]
  /** Port of the loopback interface by which a pod reaches the API server; absent: its own. */
  readonly apiServerPort?: (podName: string) => Promise<number>
  /** Variables besides those of the pod, by app. */
  readonly variables?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const APP = 'app.kubernetes.io/name'
/** Also the time for which an API server that is gone is left alone. */
const RETRY_MS = 250

/**
 * What kubelet does, for a cluster without nodes: pods of the product that the controllers of Kubernetes make are run as
 * processes of this machine, from the sources: with the arguments, variables and volumes that they say, restarted when they
 * end, ready when their probe says so. A pod that nobody scheduled goes at once when it is deleted; its process has its time
 * to end, and one of the same name waits for that.
 */
export class LocalPods {
  readonly services: ServiceWays
  readonly #options: LocalPodsOptions
  readonly #folder: RunFolder
  /** By the UID; those that end are not here any more. */
  readonly #pods = new Map<string, LocalPod>()
  readonly #ending = new Map<string, Promise<void>>()
  readonly #stopped = new AbortController()
  readonly #following: Promise<void>

  static async start(options: LocalPodsOptions): Promise<LocalPods> {
    const folder = RunFolder.create()
    await mkdir(folder.file('pods'))
    return new LocalPods(options, folder)
  }

  private constructor(options: LocalPodsOptions, folder: RunFolder) {
    this.#options = options
    this.#folder = folder
    this.services = new ServiceWays(options.cluster.client, () => this.#pods.values())
    this.#following = this.#follow()
  }

  /** Those of an app, in the order of their names. */
  of(app: string): LocalPod[] {
    const all = [...this.#pods.values()].filter(({ labels }) => labels[APP] === app)
    return all.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  all(): Iterable<LocalPod> {
    return this.#pods.values()
  }

  find(namespace: string, name: string): LocalPod | undefined {
    return [...this.#pods.values()].find((pod) => pod.namespace === namespace && pod.name === name)
  }

  /** Resolves with the pods of an app when so many are ready, and no others are there. */
  ready(app: string, count: number): Promise<LocalPod[]> {
    return until(`${count} pods of ${app} are ready`, () => {
      const pods = this.of(app)
      return pods.length === count && pods.every(({ isReady }) => isReady) ? pods : undefined
    })
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#following
    for (const pod of this.#pods.values()) this.#end(pod)
    await Promise.all(this.#ending.values())
    await this.services.stop()
    await cleanUp(this.#folder)
  }

  async #follow(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      try {
        await this.#followOnce()
      } catch {
        await delay(RETRY_MS, undefined, { signal: this.#stopped.signal }).catch(() => {})
      }
    }
  }

  async #followOnce(): Promise<void> {
    const { signal } = this.#stopped
    const { client } = this.#options.cluster
    const selector = `labelSelector=${encodeURIComponent(`${APP} in (${this.#options.apps.join(',')})`)}`
    const list = (await client.send({ path: `/api/v1/pods?${selector}`, signal })) as {
      metadata: { resourceVersion: string }
      items: PodObject[]
    }
    const present = new Set(list.items.map(({ metadata }) => metadata.uid))
    for (const pod of this.#pods.values()) if (!present.has(pod.object.metadata.uid)) this.#end(pod)
    for (const object of list.items) this.#take(object)
    let { resourceVersion } = list.metadata
    while (!signal.aborted) {
      const path = `/api/v1/pods?${selector}&watch=true&resourceVersion=${resourceVersion}`
      for await (const event of client.watch(path, signal)) {
        const object = event.object as PodObject & { readonly metadata: { readonly resourceVersion: string } }
        resourceVersion = object.metadata.resourceVersion
        const pod = this.#pods.get(object.metadata.uid)
        if (event.type !== 'DELETED') this.#take(object)
        else if (pod !== undefined) this.#end(pod)
      }
    }
  }

  #take(object: PodObject): void {
    const { uid, namespace, name, deletionTimestamp } = object.metadata
    if (this.#pods.has(uid) || deletionTimestamp !== undefined) return
    const before = this.#ending.get(`${namespace}/${name}`) ?? Promise.resolve()
    this.#pods.set(uid, new LocalPod(object, this.#host, before))
  }

  #end(pod: LocalPod): void {
    this.#pods.delete(pod.object.metadata.uid)
    const key = `${pod.namespace}/${pod.name}`
    const before = this.#ending.get(key) ?? Promise.resolve()
    this.#ending.set(
      key,
      Promise.all([before, pod.stop()]).then(() => {}),
    )
  }

  get #host(): PodHost {
    const { cluster, apiServerPort } = this.#options
    return {
      client: cluster.client,
      folder: this.#folder,
      service: (namespace, name, port) => this.services.addressOf(namespace, name, port),
      variables: ({ metadata: { labels } }) => this.#options.variables?.[labels?.[APP] ?? ''] ?? {},
      access: async ({ metadata: { namespace, name }, spec }) => {
        if (spec.automountServiceAccountToken === false) return []
        const account = spec.serviceAccountName ?? 'default'
        const { kubeconfig } = await cluster.credentialsFor({ namespace, name: account })
        if (apiServerPort === undefined) return [`--kubeconfig=${kubeconfig}`]
        return [`--kubeconfig=${await kubeconfigThrough(kubeconfig, await apiServerPort(name))}`]
      },
    }
  }
}
