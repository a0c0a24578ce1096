import type { ApiCluster } from '../api/cluster.ts'
import { run } from '../processes/command.ts'
import type { Containerd } from './containerd.ts'

/** A cluster on which pods run. */
export class NodeCluster {
  /** Its API, with credentials and faults. */
  readonly api: ApiCluster
  /** Reachable from this machine, as are the ports of Services of the type NodePort on it. */
  readonly nodeAddress: string
  /** This machine's, as pods reach it. */
  readonly hostAddress: string
  readonly #containerd: Containerd
  readonly #helmProgram: string

  constructor(parts: {
    readonly api: ApiCluster
    readonly nodeAddress: string
    readonly hostAddress: string
    readonly containerd: Containerd
    readonly helmProgram: string
  }) {
    this.api = parts.api
    this.nodeAddress = parts.nodeAddress
    this.hostAddress = parts.hostAddress
    this.#containerd = parts.containerd
    this.#helmProgram = parts.helmProgram
  }

  /** Takes in an OCI layout tar, as `npm run image` makes it; no registry is ever asked. */
  loadImage(archive: string): Promise<void> {
    return this.#containerd.importImage(archive)
  }

  /** As cluster-admin; resolves with what Helm printed. */
  helm(...args: string[]): Promise<string> {
    return run(this.#helmProgram, args, { env: { KUBECONFIG: this.api.kubeconfig } })
  }

  kubectl(...args: string[]): Promise<string> {
    return this.api.kubectl(...args)
  }

  apply(manifests: string, ...args: string[]): Promise<string> {
    return this.api.apply(manifests, ...args)
  }

  stop(): Promise<void> {
    return this.api.stop()
  }
}
