import { defineConfig } from 'vitest/config'

const ALONE = ['test/worst-case.test.ts']

export default defineConfig({
  test: {
    // More than the cores: many tests wait for most of their time, for servers to start or for workers to count as dead.
    maxWorkers: 3,
    // The pages of the guide start servers of their own: more of them at once would leave nothing to the tests beside them.
    maxConcurrency: 2,
    // No file leaves anything behind, so they share what is imported: importing it for each took a third of all time.
    isolate: false,
    // Always the same order, in which those that wait stand among those that work.
    sequence: { shuffle: { files: true, tests: false }, seed: 1 },
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ALONE,
          setupFiles: ['test/harness/time-limits.ts'],
        },
      },
      // After all others, with the machine to itself.
      { extends: true, test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
