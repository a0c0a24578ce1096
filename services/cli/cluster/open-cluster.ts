import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Connection, KubeClient } from '@causeway/kube'
import type { CliHost } from '../host.ts'

export interface ClusterFlags {
  readonly kubeconfig?: string
  readonly context?: string
}

/**
 * The API server that kubectl would take: of `--kubeconfig`, `KUBECONFIG` (the first file of it that is there) or
 * `~/.kube/config`; without any of them, in a pod, that of its service account. Rejects with KubeError `Credentials` when
 * there is none. The client is loaded here and only here: commands that need no cluster do not wait for it.
 */
export async function openCluster(flags: ClusterFlags, host: CliHost): Promise<KubeClient> {
  const { fromKubeconfig, fromServiceAccount, KubeClient, systemClock } = await import('@causeway/kube')
  const clock = systemClock()
  const file = kubeconfigOf(flags, host)
  const { KUBERNETES_SERVICE_HOST: address, KUBERNETES_SERVICE_PORT: port } = host.environment
  let connection: Connection
  if (address !== undefined && port !== undefined && !existsSync(file) && flags.kubeconfig === undefined) {
    connection = await fromServiceAccount({ clock, host: address, port })
  } else {
    const { context } = flags
    connection = await fromKubeconfig({ file }, context === undefined ? {} : { context })
  }
  return new KubeClient({ connection, clock, fieldManager: 'causeway-cli' })
}

function kubeconfigOf({ kubeconfig }: ClusterFlags, { environment, machine }: CliHost): string {
  if (kubeconfig !== undefined) return kubeconfig
  const listed = (environment.KUBECONFIG ?? '').split(delimiter).filter((one) => one !== '')
  return listed.find((one) => existsSync(one)) ?? listed[0] ?? join(machine.homeFolder, '.kube', 'config')
}
