import { writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import type { Authority } from '../pki/authority.ts'
import type { RunFolder } from '../processes/run-folder.ts'

/** How one user reaches one API server. */
export interface Access {
  readonly serverUrl: string
  /** PEM of the authority that signed the server's certificate. */
  readonly authority: string
  readonly user:
    | { readonly kind: 'certificate'; readonly certificate: string; readonly key: string }
    | { readonly kind: 'token'; readonly token: string }
  /** Namespace of requests that name none; default: `default`. */
  readonly namespace?: string
}

/** A kubeconfig of one cluster, user and context, all credentials inline. */
export function kubeconfigOf(access: Access): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'causeway',
        cluster: { server: access.serverUrl, 'certificate-authority-data': base64(access.authority) },
      },
    ],
    users: [{ name: 'user', user: userOf(access) }],
    contexts: [
      { name: 'causeway', context: { cluster: 'causeway', user: 'user', namespace: access.namespace ?? 'default' } },
    ],
    'current-context': 'causeway',
  })
}

/** A kubeconfig file for a part of the cluster that calls itself `system:NAME`. */
export async function writePartKubeconfig(
  folder: RunFolder,
  name: string,
  cluster: { readonly serverUrl: string; readonly authority: Authority },
): Promise<string> {
  const file = folder.file(`${name}.kubeconfig`)
  const own = await cluster.authority.issue({ commonName: `system:${name}` })
  const { serverUrl, authority } = cluster
  const user = { kind: 'certificate', ...own } as const
  await writeFile(file, kubeconfigOf({ serverUrl, authority: authority.certificate, user }), { mode: 0o600 })
  return file
}

function userOf({ user }: Access): Record<string, string> {
  if (user.kind === 'token') return { token: user.token }
  return { 'client-certificate-data': base64(user.certificate), 'client-key-data': base64(user.key) }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
