import { afterAll, beforeAll } from 'vitest'

/** Compiling the programs, where that has not happened yet, on a small machine. */
const COLD_START_MS = 20 * 60_000

/**
 * Starts one cluster for all tests of a file (or of a `describe`), and stops it after them. Returns a function that answers
 * it, from the first test on.
 */
export function useCluster<Cluster extends { stop(): Promise<void> }>(start: () => Promise<Cluster>): () => Cluster {
  let cluster: Cluster | undefined
  beforeAll(async () => {
    cluster = await start()
  }, COLD_START_MS)
  afterAll(async () => {
    await cluster?.stop()
  })
  return () => {
    if (cluster === undefined) throw new Error('the cluster starts before the first test, not earlier')
    return cluster
  }
}
