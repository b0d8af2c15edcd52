import { defineConfig } from 'vitest/config'

const ALONE = ['test/worst-case.test.ts']

export default defineConfig({
  test: {
    // More than the cores: many tests wait for most of their time, for servers to start or for workers to count as dead.
    maxWorkers: 3,
    // The pages of the guide start servers of their own: more of them at once would leave nothing to the tests beside them.
    maxConcurrency: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['test/**/*.test.ts'],
          exclude: ALONE,
        },
      },
      // The tests of one file each leave nothing behind: they share what is imported.
      { extends: true, test: { name: 'units', include: ['src/**/*.test.ts', 'web/src/**/*.test.ts'], isolate: false } },
      // After all others, with the machine to itself.
      { extends: true, test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
