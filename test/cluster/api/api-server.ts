import { writeFile } from 'node:fs/promises'
import type { Authority, Credential } from '../pki/authority.ts'
import { createSigningKey } from '../pki/authority.ts'
import { type Daemon, startDaemon } from '../processes/daemon.ts'
import type { RunFolder } from '../processes/run-folder.ts'
import { until } from '../wait.ts'
import { AUDIT_POLICY } from './audit.ts'
import { ApiClient } from './client.ts'

/** The first address of the service range: what `kubernetes.default` resolves to. */
const KUBERNETES_SERVICE_ADDRESS = '10.96.0.1'
const SERVICE_ADDRESSES = '10.96.0.0/16'

export interface ApiServerOptions {
  readonly program: string
  readonly authority: Authority
  readonly etcdUrl: string
  /** Address on which it listens; the loopback interface for a cluster without nodes. */
  readonly address: string
  readonly port: number
  /** Whether pods reach it: then it makes itself known behind the Service `kubernetes`. */
  readonly advertised: boolean
  readonly wrapper?: readonly string[]
}

/** An API server that can be stopped in every way, and started again on the same port and store. */
export class ApiServer {
  readonly url: string
  /** Of the group `system:masters`. */
  readonly admin: Credential
  /** PEM file of the authority that signed every certificate of the cluster. */
  readonly authorityFile: string
  /** PEM file of the key that signs service account tokens. */
  readonly tokenKeyFile: string
  readonly auditLogFile: string
  readonly #folder: RunFolder
  readonly #options: ApiServerOptions
  readonly #args: readonly string[]
  #daemon: Daemon | undefined

  private constructor(folder: RunFolder, options: ApiServerOptions, admin: Credential, files: ApiServerFiles) {
    this.url = `https://${options.address}:${options.port}`
    this.admin = admin
    this.authorityFile = files.authority
    this.tokenKeyFile = files.tokenKey
    this.auditLogFile = folder.file('logs', 'audit.jsonl')
    this.#folder = folder
    this.#options = options
    this.#args = argumentsOf(options, files, this.auditLogFile)
  }

  static async start(folder: RunFolder, options: ApiServerOptions): Promise<ApiServer> {
    const admin = await options.authority.issue({ commonName: 'admin', organization: 'system:masters' })
    const server = new ApiServer(folder, options, admin, await writeFiles(folder, options))
    await server.start()
    return server
  }

  /** Resolves when it serves, with its own namespaces and roles made. Does nothing while it runs. */
  async start(): Promise<void> {
    if (this.#daemon !== undefined) return
    const daemon = startDaemon(this.#folder, 'kube-apiserver', this.#options.program, this.#args, this.#options)
    this.#daemon = daemon
    const client = this.client()
    const serves = async (path: string) => (await client.request({ path, timeoutMs: 5_000 })).status === 200
    const ready = async () => (await serves('/readyz')) && (await serves('/api/v1/namespaces/default'))
    await Promise.race([until('the API server is ready', ready, { timeoutMs: 120_000 }), daemon.failure])
  }

  /** SIGKILL. Its store keeps everything. */
  async kill(): Promise<void> {
    const daemon = this.#daemon
    this.#daemon = undefined
    await daemon?.kill()
  }

  /** SIGSTOP: connections stay open and nothing answers. */
  pause(): void {
    this.#daemon?.signal('SIGSTOP')
  }

  /** SIGCONT. */
  resume(): void {
    this.#daemon?.signal('SIGCONT')
  }

  /** Speaks as cluster-admin. */
  client(): ApiClient {
    return new ApiClient({
      serverUrl: this.url,
      authority: this.#options.authority.certificate,
      user: { kind: 'certificate', ...this.admin },
    })
  }
}

interface ApiServerFiles {
  readonly authority: string
  readonly certificate: string
  readonly key: string
  readonly kubeletCertificate: string
  readonly kubeletKey: string
  readonly tokenKey: string
  readonly tokenPublicKey: string
  readonly auditPolicy: string
}

async function writeFiles(folder: RunFolder, options: ApiServerOptions): Promise<ApiServerFiles> {
  const serverNames = [
    options.address,
    KUBERNETES_SERVICE_ADDRESS,
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ]
  const own = await options.authority.issue({ commonName: 'kube-apiserver', serverNames })
  const kubelet = await options.authority.issue({ commonName: 'kube-apiserver', organization: 'system:masters' })
  const tokens = await createSigningKey()
  const write = async (name: string, content: string) => {
    const file = folder.file(name)
    await writeFile(file, content, { mode: 0o600 })
    return file
  }
  return {
    authority: await write('authority.crt', options.authority.certificate),
    certificate: await write('apiserver.crt', own.certificate),
    key: await write('apiserver.key', own.key),
    kubeletCertificate: await write('apiserver-kubelet.crt', kubelet.certificate),
    kubeletKey: await write('apiserver-kubelet.key', kubelet.key),
    tokenKey: await write('tokens.key', tokens.privateKey),
    tokenPublicKey: await write('tokens.pub', tokens.publicKey),
    auditPolicy: await write('audit-policy.yaml', AUDIT_POLICY),
  }
}

function argumentsOf(options: ApiServerOptions, files: ApiServerFiles, auditLogFile: string): string[] {
  return [
    `--etcd-servers=${options.etcdUrl}`,
    `--bind-address=${options.address}`,
    `--secure-port=${options.port}`,
    // An address that the server may not publish (loopback) is not looked up either: a machine without any route is enough.
    ...(options.advertised
      ? [`--advertise-address=${options.address}`]
      : ['--advertise-address=192.0.2.1', '--endpoint-reconciler-type=none']),
    `--tls-cert-file=${files.certificate}`,
    `--tls-private-key-file=${files.key}`,
    `--client-ca-file=${files.authority}`,
    `--kubelet-certificate-authority=${files.authority}`,
    `--kubelet-client-certificate=${files.kubeletCertificate}`,
    `--kubelet-client-key=${files.kubeletKey}`,
    '--kubelet-preferred-address-types=InternalIP',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${files.tokenPublicKey}`,
    `--service-account-signing-key-file=${files.tokenKey}`,
    `--service-cluster-ip-range=${SERVICE_ADDRESSES}`,
    '--authorization-mode=Node,RBAC',
    '--allow-privileged=true',
    `--audit-policy-file=${files.auditPolicy}`,
    `--audit-log-path=${auditLogFile}`,
    '--audit-log-maxsize=0', // never rotated: the whole run is read from one file
  ]
}
