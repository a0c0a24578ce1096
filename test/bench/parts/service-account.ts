import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { ApiCluster } from '../../cluster/api/cluster.ts'

/** A control plane's, as kubelet mounts it; with every right, which is not what is measured. */
export async function mountServiceAccount(api: ApiCluster, namespace: string, folder: string): Promise<void> {
  await api.kubectl('create', 'serviceaccount', 'control-plane', '-n', namespace)
  const subject = `--serviceaccount=${namespace}:control-plane`
  await api.kubectl('create', 'clusterrolebinding', 'bench', '--clusterrole=cluster-admin', subject)
  const { kubeconfigText } = await api.credentialsFor({ namespace, name: 'control-plane' })
  const { users } = parse(kubeconfigText) as { users: readonly [{ user: { token: string } }] }
  await writeFile(join(folder, 'token'), users[0].user.token)
  await writeFile(join(folder, 'ca.crt'), api.authority)
  await writeFile(join(folder, 'namespace'), namespace)
}
