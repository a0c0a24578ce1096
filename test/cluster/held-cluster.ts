/** A fixture: a process that holds a cluster of the level that its argument names, so that a test can kill it. */
import { dirname } from 'node:path'
import { serveParent } from '../fixtures/process/child.ts'
import { startApiLevel } from './api-level.ts'
import { startNodeLevel } from './node-level.ts'

export interface HeldCluster {
  readonly kubeconfig: string
  readonly runFolder: string
}

const cluster = process.argv[2] === 'node' ? await startNodeLevel() : await startApiLevel()
const { kubeconfig } = cluster
serveParent({ kubeconfig, runFolder: dirname(kubeconfig) } satisfies HeldCluster, {
  kubectl: (args) => cluster.kubectl(...(args as string[])),
  apply: (manifests) => cluster.apply(manifests as string),
})
