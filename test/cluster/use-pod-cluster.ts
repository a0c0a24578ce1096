import { ForeignCluster } from './node/foreign-cluster.ts'
import type { PodCluster } from './node/pod-cluster.ts'
import { startNodeLevel } from './node-level.ts'
import { useCluster } from './use-cluster.ts'

/**
 * One cluster with a node for all tests of a file (or of a `describe`): our own, or the one that KUBECONFIG names where that
 * is set.
 */
export function usePodCluster(): () => PodCluster {
  const { KUBECONFIG } = process.env
  return useCluster<PodCluster>(() => (KUBECONFIG ? ForeignCluster.of(KUBECONFIG) : startNodeLevel()))
}
