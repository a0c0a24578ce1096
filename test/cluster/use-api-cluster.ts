import { afterAll, beforeAll } from 'vitest'
import type { ApiCluster } from './api/cluster.ts'
import { type ApiLevelOptions, startApiLevel } from './api-level.ts'

/** Compiling the programs, where that has not happened yet, on a small machine. */
const COLD_START_MS = 20 * 60_000

/**
 * One cluster for all tests of a file (or of a `describe`). Returns a function that answers it, from the first test on.
 */
export function useApiCluster(options: ApiLevelOptions = {}): () => ApiCluster {
  let cluster: ApiCluster | undefined
  beforeAll(async () => {
    cluster = await startApiLevel(options)
  }, COLD_START_MS)
  afterAll(async () => {
    await cluster?.stop()
  })
  return () => {
    if (cluster === undefined) throw new Error('the cluster starts before the first test, not earlier')
    return cluster
  }
}
