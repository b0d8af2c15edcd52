import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it, vi } from 'vitest'
import { Pauses } from './pauses.ts'

const FOR_EVER_MS = 2 ** 31 - 1

const flag = () => new Int32Array(new SharedArrayBuffer(4))

/** Pauses, and returns how. */
function pauseAfter(workMs: number, awaited: Int32Array): string[] {
  vi.useFakeTimers({ toFake: ['performance'] })
  const wait = vi.spyOn(Atomics, 'wait')
  try {
    const pauses = new Pauses(awaited, FOR_EVER_MS)
    pauses.begin()
    vi.advanceTimersByTime(workMs)
    pauses.pause()
    return wait.mock.results.map(({ value }) => value as string)
  } finally {
    wait.mockRestore()
    vi.useRealTimers()
  }
}

it('does not pause after a little work', () => {
  expect(pauseAfter(0, flag())).toEqual([])
})

it('does not pause while somebody waits', () => {
  const awaited = flag()
  awaited[0] = 1
  expect(pauseAfter(1, awaited)).toEqual(['not-equal'])
})

it('ends a pause when somebody begins to wait', async () => {
  const awaited = flag()
  // Notifies until somebody was there to be told.
  const other = new Worker(
    `const { workerData: awaited } = require('node:worker_threads')
    while (Atomics.notify(awaited, 0) === 0);`,
    { eval: true, workerData: awaited },
  )
  await once(other, 'online')
  expect(pauseAfter(1, awaited)).toEqual(['ok'])
  await other.terminate()
})
