import type { RequestOptions } from 'node:https'
import { KubeError } from '../rest/kube-error.ts'
import { agentFor } from './agents.ts'
import type { Connection } from './contract.ts'

export type Kubeconfig = { readonly file: string } | { readonly text: string }

export interface KubeconfigOptions {
  /** Default: the `current-context`. */
  readonly context?: string
}

/**
 * The API server of a kubeconfig. Client certificates, tokens, exec plugins, OIDC and proxies are the business of
 * @kubernetes/client-node, which is loaded here and only here: it takes 90 MB of memory, and a pod needs none of it.
 * @throws {KubeError} `Credentials` when the configuration cannot be read or names no server
 */
export async function fromKubeconfig(source: Kubeconfig, options: KubeconfigOptions = {}): Promise<Connection> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  const name = 'file' in source ? source.file : 'kubeconfig'
  try {
    if ('file' in source) config.loadFromFile(source.file)
    else config.loadFromString(source.text)
    if (options.context !== undefined) {
      if (config.getContextObject(options.context) === null) throw new Error(`it has no context ${options.context}`)
      config.setCurrentContext(options.context)
    }
  } catch (error) {
    throw new KubeError('Credentials', `${name}: ${messageOf(error)}`, { cause: error })
  }
  const cluster = config.getCurrentCluster()
  if (cluster === null) {
    throw new KubeError('Credentials', `${name}: context ${printed(config.getCurrentContext())} names no cluster`)
  }
  const serverUrl = urlOf(name, cluster.server)
  const agent = agentFor(serverUrl)
  return {
    serverUrl,
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
    async requestOptions() {
      const request: RequestOptions = {}
      try {
        await config.applyToHTTPSOptions(request)
      } catch (error) {
        throw new KubeError('Credentials', `${name}: ${messageOf(error)}`, { cause: error })
      }
      // The library's own agent knows proxies but keeps no connection.
      if (cluster.proxyUrl === undefined) request.agent = agent
      return request
    },
    close: () => agent.destroy(),
  }
}

function urlOf(name: string, server: string): URL {
  if (!URL.canParse(server)) throw new KubeError('Credentials', `${name}: server ${printed(server)} is no URL`)
  const url = new URL(server)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new KubeError('Credentials', `${name}: server ${printed(server)} is neither https nor http`)
  }
  return url
}

function printed(value: string | undefined): string {
  return JSON.stringify(value ?? '')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
