import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const ALONE = ['test/worst-case.test.ts']

/**
 * Always the same order, in which those that wait stand among those that work. The tests beside the code are the short
 * ones: they come last, so that no worker is left alone with a long one.
 */
class ShortLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const places = new Map(files.map((file) => [file, placeOf(relative(import.meta.dirname, file.moduleId))]))
    return files.toSorted((a, b) => (places.get(a)! < places.get(b)! ? -1 : 1))
  }
}

const placeOf = (path: string): string =>
  (path.startsWith('test') ? '1' : '2') + createHash('sha1').update(path).digest('hex')

export default defineConfig({
  test: {
    // More than the cores: many tests wait for most of their time, for servers to start or for workers to count as dead.
    maxWorkers: 3,
    // The pages of the guide start servers of their own: more of them at once would leave nothing to the tests beside them.
    maxConcurrency: 2,
    // No file leaves anything behind, so they share what is imported: importing it for each took a third of all time.
    isolate: false,
    sequence: { sequencer: ShortLast },
    // Enough for two slow cores with other work on them: only a test that hangs reaches it.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
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
