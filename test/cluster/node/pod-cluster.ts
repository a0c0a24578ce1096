/** A cluster on which pods run, whoever runs it. */
export interface PodCluster {
  /** Path of the kubeconfig of a cluster-admin. */
  readonly kubeconfig: string
  /** Of a node: where Services of the type NodePort are reached from this machine. */
  readonly nodeAddress: string
  /** Resolves with what kubectl printed; rejects with `KubectlError`. */
  kubectl(...args: string[]): Promise<string>
  /** `kubectl apply --server-side` of YAML or JSON documents. */
  apply(manifests: string, ...args: string[]): Promise<string>
  /** As cluster-admin; resolves with what Helm printed. */
  helm(...args: string[]): Promise<string>
  /** Gives the nodes an image: an OCI layout tar, as `npm run image` makes it. No registry is ever asked. */
  loadImage(archive: string): Promise<void>
  stop(): Promise<void>
}
