import type { ApiCluster } from '../api/cluster.ts'
import { run } from '../processes/command.ts'
import type { RunFolder } from '../processes/run-folder.ts'
import { importImage } from './containerd.ts'
import type { PodCluster } from './pod-cluster.ts'

interface NodeClusterParts {
  readonly api: ApiCluster
  readonly nodeAddress: string
  readonly hostAddress: string
  readonly folder: RunFolder
  readonly ctrProgram: string
  readonly helmProgram: string
}

/** A cluster of our own, whose every part can be made to fail. */
export class NodeCluster implements PodCluster {
  /** Its API, with credentials and faults. */
  readonly api: ApiCluster
  readonly nodeAddress: string
  /** This machine's, as pods reach it. */
  readonly hostAddress: string
  readonly #parts: NodeClusterParts

  constructor(parts: NodeClusterParts) {
    this.api = parts.api
    this.nodeAddress = parts.nodeAddress
    this.hostAddress = parts.hostAddress
    this.#parts = parts
  }

  get kubeconfig(): string {
    return this.api.kubeconfig
  }

  kubectl(...args: string[]): Promise<string> {
    return this.api.kubectl(...args)
  }

  apply(manifests: string, ...args: string[]): Promise<string> {
    return this.api.apply(manifests, ...args)
  }

  helm(...args: string[]): Promise<string> {
    return run(this.#parts.helmProgram, args, { env: { KUBECONFIG: this.kubeconfig } })
  }

  loadImage(archive: string): Promise<void> {
    return importImage(this.#parts.ctrProgram, this.#parts.folder, archive)
  }

  stop(): Promise<void> {
    return this.api.stop()
  }
}
