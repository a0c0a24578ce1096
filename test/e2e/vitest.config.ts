import { defineConfig } from 'vitest/config'

/** The tests that need a cluster with a node: `npm run e2e`, as root. */
export default defineConfig({
  test: {
    include: ['test/**/*.e2e.ts'],
    environment: 'node',
    testTimeout: 120_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    // Each file starts a whole cluster.
    fileParallelism: false,
  },
})
