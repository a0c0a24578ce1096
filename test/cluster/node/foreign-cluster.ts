import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runKubectl } from '../api/kubectl.ts'
import { programs } from '../binaries/build.ts'
import { run } from '../processes/command.ts'
import type { PodCluster } from './pod-cluster.ts'

/** A cluster that somebody else runs. Its nodes must be able to pull the images that the tests name, or have them. */
export class ForeignCluster implements PodCluster {
  readonly kubeconfig: string
  readonly nodeAddress: string
  readonly #programs: Record<'kubectl' | 'helm', string>
  readonly #cacheFolder: string

  private constructor(
    kubeconfig: string,
    nodeAddress: string,
    files: Record<'kubectl' | 'helm', string>,
    cache: string,
  ) {
    this.kubeconfig = kubeconfig
    this.nodeAddress = nodeAddress
    this.#programs = files
    this.#cacheFolder = cache
  }

  static async of(kubeconfig: string): Promise<ForeignCluster> {
    const files = await programs(['kubectl', 'helm'])
    const cacheFolder = await mkdtemp(join(tmpdir(), 'causeway-kubectl-'))
    const address = 'jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}'
    const nodeAddress = await runKubectl({ program: files.kubectl, kubeconfig, cacheFolder }, [
      'get',
      'nodes',
      '-o',
      address,
    ])
    return new ForeignCluster(kubeconfig, nodeAddress, files, cacheFolder)
  }

  kubectl(...args: string[]): Promise<string> {
    return this.#kubectl(args)
  }

  apply(manifests: string, ...args: string[]): Promise<string> {
    return this.#kubectl(['apply', '--server-side', '-f', '-', ...args], manifests)
  }

  helm(...args: string[]): Promise<string> {
    return run(this.#programs.helm, args, { env: { KUBECONFIG: this.kubeconfig } })
  }

  async loadImage(): Promise<void> {}

  async stop(): Promise<void> {
    await rm(this.#cacheFolder, { recursive: true, force: true })
  }

  #kubectl(args: readonly string[], input?: string): Promise<string> {
    const { kubeconfig } = this
    return runKubectl({ program: this.#programs.kubectl, kubeconfig, cacheFolder: this.#cacheFolder }, args, input)
  }
}
