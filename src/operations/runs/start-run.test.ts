import { expect, it } from 'vitest'
import { newRun, webhook } from '../../storage/conformance/store-contract.testkit.ts'
import type { QueuedRun } from '../ports/queue.ts'
import { startRun } from './start-run.ts'

it.each([
  [0, 1_499, true],
  [0, 1_500, false],
  [16_384, 1_499, true],
  [16_385, 1_499, false],
  [16_385, 63, true],
  [65_536, 63, true],
  [65_536, 64, false],
  [65_537, 0, false],
])(
  'a run with a body of %i characters where %i are in line stays in memory as it came: %s',
  async (chars, size, stays) => {
    const run = newRun('f', { webhook: { ...webhook({}), rawBody: 'x'.repeat(chars) } })
    let queued: QueuedRun | undefined
    const services = {
      events: { tell() {} },
      queue: {
        size,
        add(given: QueuedRun) {
          queued = given
          return false
        },
      },
      intake: { storing() {}, stored() {}, join: <T>(storing: T) => storing },
      replies: { waits: () => false },
      runs: { accept: async () => ({ duplicateOf: null }) },
    }
    await startRun(services as never, { run, concurrency: null })
    expect(queued!.fresh).toBe(stays ? run : null)
  },
)
