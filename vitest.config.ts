import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['services/**/*.test.ts', 'operator/**/*.test.ts', 'test/**/*.test.ts'],
    environment: 'node',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is polled comes soon on a machine that does nothing else, and later on one that does.
    expect: { poll: { timeout: 10_000 } },
    // Most of the time of an integration test is waiting; the default on two cores is one worker.
    maxWorkers: 2,
  },
})
