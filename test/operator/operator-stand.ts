import { join } from 'node:path'
import { KIND_NAMES } from '@causeway/mesh-api'
import { parseAllDocuments, stringify } from 'yaml'
import { CHARTS, helm, type Rendered } from '../charts/render.ts'
import type { ApiCluster } from '../cluster/api/cluster.ts'
import { type ApiLevelOptions, startApiLevel } from '../cluster/api-level.ts'
import { until } from '../cluster/wait.ts'
import { Kube } from './kube.ts'
import { OperatorProcess } from './operator-process.ts'
import { refusals } from './rights.ts'

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
  readonly #running = new Set<Running>()
  /** All that ran since a test began. */
  #seen: OperatorProcess[] = []

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
    return (await this.#start(more)).operator
  }

  async startLeading(more: Readonly<Record<string, string>> = {}): Promise<OperatorProcess> {
    const running = await this.#start(more)
    await until('the operator leads', () => running.operator.isLeading)
    return running.operator
  }

  async #start(more: Readonly<Record<string, string>>): Promise<Running> {
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
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
    const running: Running = { operator: this.#spawn(args), args }
    this.#running.add(running)
    this.#keep(running)
    return running
  }

  /** All operators; the cluster stays. */
  async stopOperators(): Promise<void> {
    const all = [...this.#running]
    this.#running.clear()
    await Promise.all(all.map(({ operator }) => operator.stop()))
  }

  /** A test begins. */
  forgetLogs(): void {
    this.#seen = [...this.#running].map(({ operator }) => operator)
  }

  /** What operators have said since, for whoever looks for why a test failed. */
  get logs(): string {
    return this.#seen.map(({ pid, log }) => `operator ${pid}:\n${log}`).join('\n')
  }

  /** Throws where the API server refused something to a service account of the chart: a right that is used and not granted. */
  async stop(): Promise<void> {
    await this.stopOperators()
    const refused = refusals(await this.cluster.auditEvents(), SYSTEM)
    await this.cluster.stop()
    if (refused.length > 0) throw new Error(`refused, though it is needed:\n${refused.join('\n')}`)
  }

  #spawn(args: readonly string[]): OperatorProcess {
    const operator = new OperatorProcess(args)
    this.#seen.push(operator)
    return operator
  }

  /** As a Deployment does: whose term is over, on a machine that does much else, is started again. */
  async #keep(running: Running): Promise<void> {
    await running.operator.ended
    if (!this.#running.has(running) || !running.operator.hasLostItsTerm) return
    running.operator = this.#spawn(running.args)
    await this.#keep(running)
  }
}

interface Running {
  operator: OperatorProcess
  readonly args: readonly string[]
}

/** The chart as Helm renders it for an API server of this version. */
async function rendered(watched: readonly string[]): Promise<readonly Rendered[]> {
  const sets = ['--set-json', `watchNamespaces=${JSON.stringify(watched)}`]
  const has = ['--api-versions', 'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy']
  const text = await helm(['template', 'mesh', join(CHARTS, 'causeway'), '--namespace', SYSTEM, ...sets, ...has])
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as Rendered | null) ?? [])
}
