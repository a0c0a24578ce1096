import type { Authority } from '../pki/authority.ts'
import { type Daemon, startDaemon } from '../processes/daemon.ts'
import type { RunFolder } from '../processes/run-folder.ts'
import { until } from '../wait.ts'
import type { ApiServer } from './api-server.ts'
import { writePartKubeconfig } from './kubeconfig.ts'

export interface ControllerManagerOptions {
  readonly program: string
  readonly authority: Authority
  /** Range from which nodes get the addresses of their pods; undefined for a cluster without nodes. */
  readonly podAddresses?: string
  readonly wrapper?: readonly string[]
}

/**
 * Garbage collection, Deployments, StatefulSets, service accounts, the end of namespaces, and the rest. Resolves when the
 * default service account is there.
 */
export async function startControllerManager(
  folder: RunFolder,
  apiServer: ApiServer,
  options: ControllerManagerOptions,
): Promise<Daemon> {
  const name = 'kube-controller-manager'
  const access = { serverUrl: apiServer.url, authority: options.authority }
  const nodes =
    options.podAddresses === undefined
      ? ['--controllers=*,-node-ipam-controller,-node-lifecycle-controller']
      : ['--allocate-node-cidrs=true', `--cluster-cidr=${options.podAddresses}`]
  const args = [
    `--kubeconfig=${await writePartKubeconfig(folder, name, access)}`,
    `--root-ca-file=${apiServer.authorityFile}`,
    `--service-account-private-key-file=${apiServer.tokenKeyFile}`,
    '--use-service-account-credentials=true',
    '--leader-elect=false',
    '--secure-port=0',
    // It makes a service account for each controller before it starts any: at the default rate that takes 5 s.
    '--kube-api-qps=500',
    '--kube-api-burst=500',
    ...nodes,
  ]
  const daemon = startDaemon(folder, name, options.program, args, options)
  const path = '/api/v1/namespaces/default/serviceaccounts/default'
  const works = async () => (await apiServer.client().request({ path, timeoutMs: 5_000 })).status === 200
  await Promise.race([until('the controller manager works', works, { timeoutMs: 120_000 }), daemon.failure])
  return daemon
}
