import { Resolver } from 'node:dns/promises'
import { writeFile } from 'node:fs/promises'
import type { ApiServer } from '../api/api-server.ts'
import type { ApiClient } from '../api/client.ts'
import { writePartKubeconfig } from '../api/kubeconfig.ts'
import { startDaemon } from '../processes/daemon.ts'
import type { RunFolder } from '../processes/run-folder.ts'
import { until } from '../wait.ts'
import type { PartOptions } from './parts.ts'

const NAME = 'coredns'

/** Answers the cluster's names on port 53 of the node; resolves when it does. */
export async function startCoreDns(
  folder: RunFolder,
  apiServer: ApiServer,
  options: PartOptions & { readonly nodeAddress: string },
): Promise<void> {
  const { nodeAddress } = options
  await allowToRead(apiServer.client())
  const access = { serverUrl: apiServer.url, authority: options.authority }
  const configuration = folder.file('Corefile')
  await writeFile(configuration, corefileOf(nodeAddress, await writePartKubeconfig(folder, NAME, access)))
  const daemon = startDaemon(folder, NAME, options.program, ['-conf', configuration], options)

  const resolver = new Resolver({ timeout: 1_000, tries: 1 })
  resolver.setServers([nodeAddress])
  const answers = async () => (await resolver.resolve4('kubernetes.default.svc.cluster.local')).length > 0
  await Promise.race([until('CoreDNS answers', answers), daemon.failure])
}

/** Names outside of the cluster do not exist: nobody could be asked about them. */
function corefileOf(address: string, kubeconfig: string): string {
  return `
cluster.local:53 in-addr.arpa:53 {
  bind ${address}
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig ${kubeconfig}
    ttl 1
  }
}

.:53 {
  bind ${address}
  errors
  template ANY ANY {
    rcode NXDOMAIN
  }
}
`
}

async function allowToRead(client: ApiClient): Promise<void> {
  const path = '/apis/rbac.authorization.k8s.io/v1'
  const verbs = ['list', 'watch']
  await client.send({
    method: 'POST',
    path: `${path}/clusterroles`,
    body: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: NAME },
      rules: [
        { apiGroups: [''], resources: ['services', 'pods', 'namespaces'], verbs },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs },
      ],
    },
  })
  await client.send({
    method: 'POST',
    path: `${path}/clusterrolebindings`,
    body: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: NAME },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `system:${NAME}` }],
    },
  })
}
