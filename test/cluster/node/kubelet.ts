import { mkdir, writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import type { ApiServer } from '../api/api-server.ts'
import type { ApiClient } from '../api/client.ts'
import { kubeconfigOf } from '../api/kubeconfig.ts'
import type { Authority } from '../pki/authority.ts'
import { startDaemon } from '../processes/daemon.ts'
import type { RunFolder } from '../processes/run-folder.ts'
import { until } from '../wait.ts'
import { socketOf } from './containerd.ts'

export interface KubeletOptions {
  readonly program: string
  readonly wrapper: readonly string[]
  readonly authority: Authority
  readonly nodeName: string
  readonly nodeAddress: string
  /** Below which all pods are put. */
  readonly controlGroup: string
}

/** Resolves when the node is Ready. */
export async function startKubelet(folder: RunFolder, apiServer: ApiServer, options: KubeletOptions): Promise<void> {
  const { authority, nodeName, nodeAddress } = options
  const own = await authority.issue({
    commonName: `system:node:${nodeName}`,
    organization: 'system:nodes',
    serverNames: [nodeName, nodeAddress],
  })
  await mkdir(folder.file('kubelet'))
  const write = async (name: string, content: string) => {
    const file = folder.file('kubelet', name)
    await writeFile(file, content, { mode: 0o600 })
    return file
  }
  const access = { serverUrl: apiServer.url, authority: authority.certificate }
  const kubeconfig = await write('kubeconfig', kubeconfigOf({ ...access, user: { kind: 'certificate', ...own } }))
  const certificates = {
    tlsCertFile: await write('node.crt', own.certificate),
    tlsPrivateKeyFile: await write('node.key', own.key),
    authentication: { anonymous: { enabled: false }, x509: { clientCAFile: apiServer.authorityFile } },
  }
  const configuration = stringify({
    ...(await configurationOf(folder, options)),
    ...certificates,
    resolvConf: await write('resolv.conf', ''),
  })
  const args = [
    `--kubeconfig=${kubeconfig}`,
    `--config=${await write('configuration.yaml', configuration)}`,
    `--root-dir=${folder.file('kubelet', 'root')}`,
    `--cert-dir=${folder.file('kubelet', 'certificates')}`,
    `--node-ip=${nodeAddress}`,
    `--hostname-override=${nodeName}`,
  ]
  const daemon = startDaemon(folder, 'kubelet', options.program, args, options)
  const ready = until(`node ${nodeName} is Ready`, () => isReady(apiServer.client(), nodeName), { timeoutMs: 120_000 })
  await Promise.race([ready, daemon.failure])
}

function configurationOf(folder: RunFolder, options: KubeletOptions): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${socketOf(folder)}`,
    clusterDNS: [options.nodeAddress],
    clusterDomain: 'cluster.local',
    // The machine is somebody else's: nothing of it is reserved, measured or freed for the pods.
    cgroupRoot: `/${options.controlGroup}`,
    cgroupDriver: 'cgroupfs',
    cgroupsPerQOS: true,
    failCgroupV1: false,
    failSwapOn: false,
    oomScoreAdj: 0,
    enforceNodeAllocatable: [],
    evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    imageGCHighThresholdPercent: 100,
    volumePluginDir: folder.file('kubelet', 'plugins'),
    podLogsDir: folder.file('kubelet', 'pod-logs'),
    // Mounted Secrets and ConfigMaps follow their objects after this time, a minute by default.
    syncFrequency: '5s',
    nodeStatusUpdateFrequency: '5s',
    readOnlyPort: 0,
  }
}

async function isReady(client: ApiClient, nodeName: string): Promise<boolean> {
  const { status, body } = await client.request({ path: `/api/v1/nodes/${nodeName}` })
  if (status !== 200) return false
  const node = body as { status?: { conditions?: readonly { type: string; status: string }[] } }
  return node.status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false
}
