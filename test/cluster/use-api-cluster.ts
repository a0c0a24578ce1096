import type { ApiCluster } from './api/cluster.ts'
import { type ApiLevelOptions, startApiLevel } from './api-level.ts'
import { useCluster } from './use-cluster.ts'

/**
 * One cluster without nodes for all tests of a file (or of a `describe`). It is always our own: nobody else's API server
 * may be killed or compacted.
 */
export function useApiCluster(options: ApiLevelOptions = {}): () => ApiCluster {
  return useCluster(() => startApiLevel(options))
}
