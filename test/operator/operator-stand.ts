import { join } from 'node:path'
import { KIND_NAMES } from '@causeway/mesh-api'
import { parseAllDocuments, stringify } from 'yaml'
import { CHARTS, helm, type Rendered } from '../charts/render.ts'
import type { ApiCluster } from '../cluster/api/cluster.ts'
import { type ApiLevelOptions, startApiLevel } from '../cluster/api-level.ts'
import { until } from '../cluster/wait.ts'
import { Kube } from './kube.ts'
import { OperatorProcess } from './operator-process.ts'

export const SYSTEM = 'causeway-system'

export interface StandOptions extends ApiLevelOptions {
  /** Namespaces that the installation watches; they are made. */
  readonly watched?: readonly string[]
}

/**
 * An API server with the kinds and the rights of the chart, on which operators run as processes of their own, each with the
 * token of its own service account.
 */
export class OperatorStand {
  readonly cluster: ApiCluster
  readonly kube: Kube
  readonly watched: readonly string[]
  /** Everything that the chart makes. */
  readonly chart: readonly Rendered[]
  readonly #running: OperatorProcess[] = []

  private constructor(cluster: ApiCluster, watched: readonly string[], chart: readonly Rendered[]) {
    this.cluster = cluster
    this.chart = chart
    this.kube = new Kube(cluster)
    this.watched = watched
  }

  static async start({ watched = ['shop'], ...level }: StandOptions = {}): Promise<OperatorStand> {
    const cluster = await startApiLevel(level)
    const objects = await rendered(watched)
    const stand = new OperatorStand(cluster, watched, objects)
    await cluster.applyCrds()
    for (const name of new Set([SYSTEM, ...watched])) await stand.kube.createNamespace(name)
    const wanted = /^(ServiceAccount|(Cluster)?Role(Binding)?|(Validating|Mutating)AdmissionPolicy(Binding)?)$/
    const rights = objects.filter(({ kind, metadata }) => wanted.test(kind) && metadata.name !== 'causeway-uninstall')
    await cluster.apply(rights.map((object) => stringify(object)).join('---\n'))
    await stand.kube.untilAdmitted(KIND_NAMES, watched[0] ?? SYSTEM)
    return stand
  }

  /** Flags as the chart gives them, and times that a test can wait for; `more` outranks them. */
  async startOperator(more: Readonly<Record<string, string>> = {}): Promise<OperatorProcess> {
    const { kubeconfig } = await this.cluster.credentialsFor({ namespace: SYSTEM, name: 'causeway-operator' })
    const flags = {
      namespace: SYSTEM,
      installation: SYSTEM,
      'watch-namespaces': this.watched.join(','),
      'relay-image': 'causeway:test',
      admin: '127.0.0.1:0',
      kubeconfig,
      'mount-delay': '500ms',
      'identity-settle': '500ms',
      ...more,
    }
    const operator = new OperatorProcess(Object.entries(flags).map(([name, value]) => `--${name}=${value}`))
    this.#running.push(operator)
    return operator
  }

  async startLeading(more: Readonly<Record<string, string>> = {}): Promise<OperatorProcess> {
    const operator = await this.startOperator(more)
    await until('the operator leads', () => operator.isLeading)
    return operator
  }

  /** All operators; the cluster stays. */
  async stopOperators(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((operator) => operator.stop()))
  }

  async stop(): Promise<void> {
    await this.stopOperators()
    await this.cluster.stop()
  }
}

/** The chart as Helm renders it for an API server of this version. */
async function rendered(watched: readonly string[]): Promise<readonly Rendered[]> {
  const sets = ['--set-json', `watchNamespaces=${JSON.stringify(watched)}`]
  const has = ['--api-versions', 'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy']
  const text = await helm(['template', 'mesh', join(CHARTS, 'causeway'), '--namespace', SYSTEM, ...sets, ...has])
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as Rendered | null) ?? [])
}
