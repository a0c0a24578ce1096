import type { RequestOptions } from 'node:https'

/** An API server and how to prove who we are; made by `fromKubeconfig` and `fromServiceAccount`. */
export interface Connection {
  /** Scheme, host, port and, behind a proxy, a path prefix without a trailing slash. */
  readonly serverUrl: URL
  /** The namespace of the service account or of the kubeconfig's context. */
  readonly namespace: string
  /**
   * TLS options, agent and authorization header for the next request; asked for every request, because tokens and
   * client certificates rotate. Rejects with `KubeError` `Credentials`.
   */
  requestOptions(): Promise<RequestOptions>
  /** Ends idle connections. */
  close(): void
}
