import { writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import type { ApiServer } from '../api/api-server.ts'
import { writePartKubeconfig } from '../api/kubeconfig.ts'
import type { Authority } from '../pki/authority.ts'
import { run } from '../processes/command.ts'
import { startDaemon } from '../processes/daemon.ts'
import type { RunFolder } from '../processes/run-folder.ts'
import { until } from '../wait.ts'
import { POD_ADDRESSES } from './network.ts'

/** What a part of the control plane or of the node needs to be started. */
export interface PartOptions {
  readonly program: string
  readonly wrapper: readonly string[]
  readonly authority: Authority
}

export async function startScheduler(folder: RunFolder, apiServer: ApiServer, options: PartOptions): Promise<void> {
  const name = 'kube-scheduler'
  const access = { serverUrl: apiServer.url, authority: options.authority }
  const kubeconfig = await writePartKubeconfig(folder, name, access)
  const args = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0']
  startDaemon(folder, name, options.program, args, options)
}

/** Turns Services into rules of nftables inside the node's network namespace; resolves when the first ones stand. */
export async function startKubeProxy(
  folder: RunFolder,
  apiServer: ApiServer,
  options: PartOptions & { readonly nodeName: string },
): Promise<void> {
  const name = 'kube-proxy'
  const access = { serverUrl: apiServer.url, authority: options.authority }
  const configuration = folder.file(`${name}.yaml`)
  await writeFile(
    configuration,
    stringify({
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      mode: 'nftables',
      clusterCIDR: POD_ADDRESSES,
      hostnameOverride: options.nodeName,
      clientConnection: { kubeconfig: await writePartKubeconfig(folder, name, access) },
      // The limits of connection tracking are the whole machine's.
      conntrack: { maxPerCore: 0 },
    }),
  )
  const daemon = startDaemon(folder, name, options.program, [`--config=${configuration}`], options)
  const [enter = '', ...where] = options.wrapper
  const rules = async () => (await run(enter, [...where, 'nft', 'list', 'table', 'ip', 'kube-proxy'])) !== ''
  await Promise.race([until('kube-proxy has written its rules', rules), daemon.failure])
}
