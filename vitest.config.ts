import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts'],
    // One less than the cores is vitest's own choice: on two cores that leaves one idle while tests wait for servers to start.
    maxWorkers: 2,
    // The pages of the guide start servers of their own: more of them at once would leave nothing to the tests beside them.
    maxConcurrency: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
