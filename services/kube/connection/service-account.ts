import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { KubeError } from '../rest/kube-error.ts'
import { agentFor } from './agents.ts'
import type { Connection } from './contract.ts'

export interface ServiceAccountOptions {
  readonly clock: Clock
  /** `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT` of the pod. */
  readonly host: string
  readonly port: string
  /** Folder with `token`, `ca.crt` and `namespace`; default: where kubelet mounts it. */
  readonly folder?: string
}

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'
/** kubelet replaces the token when 80 % of its life is over, which is at least two minutes before its end. */
const REREAD_MS = 30_000

/**
 * The API server of the cluster that this pod runs in. Token and CA are read again after 30 seconds: both rotate.
 * @throws {KubeError} `Credentials` when the files are not there
 */
export async function fromServiceAccount(options: ServiceAccountOptions): Promise<Connection> {
  const folder = options.folder ?? FOLDER
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  const address = `https://${host}:${options.port}`
  if (options.host === '' || !URL.canParse(address)) {
    throw new KubeError(
      'Credentials',
      'not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT name no address',
    )
  }
  const serverUrl = new URL(address)
  const agent = agentFor(serverUrl)
  const read = async (file: string): Promise<string> => {
    try {
      return (await readFile(join(folder, file), 'utf8')).trim()
    } catch (error) {
      throw new KubeError('Credentials', `service account: ${file} cannot be read`, { cause: error })
    }
  }
  const readCredentials = async () => ({
    token: await read('token'),
    ca: await read('ca.crt'),
    readAtMs: options.clock.now(),
  })
  const namespace = await read('namespace')
  let credentials = await readCredentials()
  return {
    serverUrl,
    namespace,
    async requestOptions() {
      if (options.clock.now() - credentials.readAtMs >= REREAD_MS) credentials = await readCredentials()
      return { agent, ca: credentials.ca, headers: { authorization: `Bearer ${credentials.token}` } }
    },
    close: () => agent.destroy(),
  }
}
