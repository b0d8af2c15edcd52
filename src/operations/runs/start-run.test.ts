import { expect, it } from 'vitest'
import { newRun, webhook } from '../../storage/conformance/stores.testkit.ts'
import type { QueuedRun } from '../ports/queue.ts'
import { startRun } from './start-run.ts'

const text = (chars: number): string => JSON.stringify('x'.repeat(chars - 2))
/** Takes 64 bytes of memory for every three characters. */
const braces = (chars: number): string => `[${'{},'.repeat(Math.floor(chars / 3) - 1)}{}]`

it.each([
  { of: 'text', rawBody: text(2), size: 1_499, stays: true },
  { of: 'text', rawBody: text(2), size: 1_500, stays: false },
  { of: 'text', rawBody: text(16_384), size: 1_499, stays: true },
  { of: 'text', rawBody: text(16_385), size: 1_499, stays: false },
  { of: 'text', rawBody: text(16_385), size: 63, stays: true },
  { of: 'text', rawBody: text(65_536), size: 63, stays: true },
  { of: 'text', rawBody: text(65_536), size: 64, stays: false },
  { of: 'text', rawBody: text(65_537), size: 0, stays: false },
  { of: 'braces', rawBody: braces(1_024), size: 1_499, stays: true },
  { of: 'braces', rawBody: braces(3_000), size: 1_499, stays: true },
  { of: 'braces', rawBody: braces(3_200), size: 1_499, stays: false },
  { of: 'braces', rawBody: braces(12_000), size: 63, stays: true },
  { of: 'braces', rawBody: braces(12_600), size: 63, stays: false },
])(
  'a run with a body of $of, $rawBody.length characters, where $size are in line stays in memory as it came: $stays',
  async ({ rawBody, size, stays }) => {
    const run = newRun('f', { webhook: { ...webhook({}), body: JSON.parse(rawBody), rawBody } })
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
