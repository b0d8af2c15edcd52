import { beforeEach, expect, it } from 'vitest'
import { StorageUnavailable } from '../../../engine/ports/storage-unavailable.ts'
import type { BatchResult, HotResult, HotWrite } from './hot-writes.ts'
import { LogStorer } from './log-storer.ts'
import { RunLog } from './run-log.ts'
import { type Generation, writeOf } from './run-record.ts'

const FULL: HotResult = { message: 'full', unavailable: true, noRoom: 'its disk is full' }

const start = (id: string): HotWrite => [['insertRun', [id, 0, 'queued', null, null]]]
const end = (id: string): HotWrite => [['updateRun', [1, 'succeeded', 1, 2, null, null, id, 0]]]

/** What the thread was sent and has not answered. */
let sent: { ids: unknown[]; answer(result: HotResult): void }[]
let log: RunLog
let storer: LogStorer

const thread = {
  ready: () => true,
  get isIdle() {
    return sent.length === 0
  },
  send: (taken: Generation, then: (result: BatchResult) => void) =>
    sent.push({
      ids: writeOf(taken)
        .filter(([kind]) => kind === 'insertRun')
        .map(([, values]) => (values as unknown[])[0]),
      answer: (result) => then({ seconds: 0, results: [result] }),
    }),
  // Whoever waits for the thread gets its answer.
  await(isThere: () => boolean) {
    while (!isThere()) sent.shift()!.answer(1)
  },
  tidy() {},
}

beforeEach(() => {
  sent = []
  log = new RunLog({ begin() {}, append: () => true, close() {} } as never, 7)
  const here = { log, isLarge: () => false, doNow: (): BatchResult => ({ seconds: 0, results: [1] }) }
  storer = new LogStorer(here as never, thread as never, () => {})
  log.append([start('run_1')])
})

it('has all stored before what carries on a run of the log, also while it is being stored', () => {
  expect(storer.storeBefore([start('run_x')])).toBe(true)
  log.append([start('run_2')])
  expect(storer.storeBefore([end('run_2')])).toBe(true)
  expect(sent.map(({ ids }) => ids)).toEqual([['run_2']])
})

it('puts off what carries on a run whose start cannot follow into the tables now', () => {
  storer.storeBefore([])
  log.append([start('run_2')])
  sent.shift()!.answer(FULL)
  expect(storer.storeBefore([end('run_2')])).toBe(false)
  expect(sent.map(({ ids }) => ids)).toEqual([['run_1']])
  expect(() => storer.missed('run_2')).toThrow(StorageUnavailable)
  expect(storer.storeBefore([start('run_x')])).toBe(true)
  sent.shift()!.answer(1)
  expect(storer.storeBefore([end('run_2')])).toBe(true)
  expect(sent.map(({ ids }) => ids)).toEqual([['run_2']])
  sent.shift()!.answer(1)
  expect(() => storer.missed('run_2')).not.toThrow()
})

it('lets readers wait for what the thread writes besides only where there is more to be stored', () => {
  storer.storeBefore([])
  thread.send({ records: [], mark: ['markLog', [1, 1]] }, () => {})
  expect(storer.settle()).toBe(true)
  expect(sent).toHaveLength(1)
  log.append([start('run_2')])
  expect(storer.settle()).toBe(true)
  expect(sent).toHaveLength(0)
})

it('lets readers find what is in the log as soon as it can be stored again', () => {
  storer.storeBefore([])
  sent.shift()!.answer(FULL)
  expect(storer.settle()).toBe(false)
  expect(() => storer.noneFound()).toThrow(StorageUnavailable)
  storer.storeBefore([])
  sent.shift()!.answer(1)
  log.append([start('run_2')])
  expect(storer.settle()).toBe(true)
  expect(log.isEmpty).toBe(true)
  expect(storer.noneFound()).toBeNull()
})
