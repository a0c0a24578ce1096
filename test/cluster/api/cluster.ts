import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { Authority } from '../pki/authority.ts'
import type { RunFolder } from '../processes/run-folder.ts'
import { until } from '../wait.ts'
import type { ApiServer } from './api-server.ts'
import { type AuditEvent, readAuditLog } from './audit.ts'
import type { ApiClient } from './client.ts'
import { applyCrds } from './crds.ts'
import type { Etcd } from './etcd.ts'
import { kubeconfigOf } from './kubeconfig.ts'
import { runKubectl } from './kubectl.ts'

/** A user of the API server: the same credentials as a file and as text. */
export interface Credentials {
  /** Path of a kubeconfig file. */
  readonly kubeconfig: string
  readonly kubeconfigText: string
}

export interface ServiceAccountName {
  readonly namespace: string
  readonly name: string
}

/** What the parts of a cluster are, for whoever composes one. */
export interface ClusterParts {
  readonly folder: RunFolder
  readonly authority: Authority
  readonly etcd: Etcd
  readonly apiServer: ApiServer
  readonly kubectlProgram: string
  /** Ends everything that was started. */
  readonly stop: () => Promise<void>
}

/** A Kubernetes API of its own, its credentials, and the ways in which it can fail. */
export class ApiCluster implements Credentials {
  /** Of the group `system:masters`. */
  readonly kubeconfig: string
  readonly kubeconfigText: string
  readonly serverUrl: string
  /** PEM of the authority that signed the API server's certificate. */
  readonly authority: string
  /** Plain HTTP as cluster-admin. */
  readonly client: ApiClient
  readonly #parts: ClusterParts

  private constructor(parts: ClusterParts, kubeconfigText: string, kubeconfig: string) {
    this.#parts = parts
    this.kubeconfig = kubeconfig
    this.kubeconfigText = kubeconfigText
    this.serverUrl = parts.apiServer.url
    this.authority = parts.authority.certificate
    this.client = parts.apiServer.client()
  }

  static async of(parts: ClusterParts): Promise<ApiCluster> {
    const user = { kind: 'certificate', ...parts.apiServer.admin } as const
    const text = kubeconfigOf({ serverUrl: parts.apiServer.url, authority: parts.authority.certificate, user })
    const file = parts.folder.file('admin.kubeconfig')
    await writeFile(file, text, { mode: 0o600 })
    return new ApiCluster(parts, text, file)
  }

  /** Resolves with what kubectl printed; rejects with `KubectlError`. */
  kubectl(...args: string[]): Promise<string> {
    return this.kubectlAs(this, ...args)
  }

  kubectlAs(user: Credentials, ...args: string[]): Promise<string> {
    return this.#kubectl(user, args)
  }

  /** `kubectl apply --server-side` of YAML or JSON documents. */
  apply(manifests: string, ...args: string[]): Promise<string> {
    return this.#kubectl(this, ['apply', '--server-side', '-f', '-', ...args], manifests)
  }

  /** Applies the product's kinds, or the definitions in `folder`, and waits until they are served. */
  applyCrds(folder?: string): Promise<void> {
    return applyCrds(this.client, folder)
  }

  /** A token of a service account that exists, valid for an hour or for what is asked (at least 600 s). */
  async credentialsFor(account: ServiceAccountName, lifetimeSeconds = 3_600): Promise<Credentials> {
    const { namespace, name } = account
    const answer = (await this.client.send({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: lifetimeSeconds },
      },
    })) as { status: { token: string } }
    const kubeconfigText = kubeconfigOf({
      serverUrl: this.serverUrl,
      authority: this.authority,
      user: { kind: 'token', token: answer.status.token },
      namespace,
    })
    const kubeconfig = this.#parts.folder.file(`${namespace}.${name}.${randomUUID()}.kubeconfig`)
    await writeFile(kubeconfig, kubeconfigText, { mode: 0o600 })
    return { kubeconfig, kubeconfigText }
  }

  /** Every request that was answered before this one, or whose answer had begun. */
  async auditEvents(): Promise<AuditEvent[]> {
    const marker = `/version?marker=${randomUUID()}`
    await this.client.send({ path: marker })
    return until('the audit log is written', async () => {
      const events = await readAuditLog(this.#parts.apiServer.auditLogFile)
      const end = events.findIndex((event) => event.requestUri === marker)
      return end === -1 ? undefined : events.slice(0, end)
    })
  }

  /** SIGKILL: connections are cut, new ones refused. */
  killApiServer(): Promise<void> {
    return this.#parts.apiServer.kill()
  }

  /** On the same port and the same store; kills it first where it still runs. Resolves when it is ready. */
  async restartApiServer(): Promise<void> {
    await this.#parts.apiServer.kill()
    await this.#parts.apiServer.start()
  }

  /** SIGSTOP: connections stay open and silent. */
  pauseApiServer(): void {
    this.#parts.apiServer.pause()
  }

  resumeApiServer(): void {
    this.#parts.apiServer.resume()
  }

  /**
   * Forgets every revision but the current one, which it resolves with. An API server that runs still answers watches of
   * older ones from its memory: only after a restart too (kill, compact, restart) do they end with 410.
   */
  compactEtcd(): Promise<number> {
    return this.#parts.etcd.compact()
  }

  /** Ends every process and removes every file. */
  stop(): Promise<void> {
    return this.#parts.stop()
  }

  #kubectl(user: Credentials, args: readonly string[], input?: string): Promise<string> {
    const program = this.#parts.kubectlProgram
    const cacheFolder = this.#parts.folder.file('kubectl')
    return runKubectl({ program, kubeconfig: user.kubeconfig, cacheFolder }, args, input)
  }
}
