import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createMetrics, type Metrics } from './metrics.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const serverMetrics = (): Metrics => createMetrics({ ofProcess: true })

it('tell of Node in every service of a process, once', async () => {
  for (const metrics of [serverMetrics(), serverMetrics()]) {
    const names = Array.from((await metrics.text()).matchAll(/^# TYPE (\S+)/gm), ([, name]) => name!)
    expect(names).toEqual(expect.arrayContaining(['process_cpu_seconds_total', 'millrace_deliveries_total']))
    expect(new Set(names).size).toBe(names.length)
  }
})

it('do not keep a service in memory that has stopped', async () => {
  const read = new WeakRef(watched(serverMetrics()))
  // A WeakRef keeps what it names until the turn of the event loop is over.
  await new Promise(setImmediate)
  collectGarbage()
  expect(read.deref()).toBeUndefined()
})

/** Returns what the metrics read, which names all of a service. */
function watched(metrics: Metrics): object {
  const queued = () => 0
  const none = async () => 0
  metrics.watch({
    queued,
    oldestQueuedSeconds: () => 0,
    running: () => 0,
    outbound: () => 0,
    bodyBytes: () => 0,
    databaseUp: async () => true,
    openFailures: none,
    replayJobs: none,
    openCallbacks: none,
    files: async () => ({ files: 0, bytes: 0, incoming: 0, swept: 0, place: 'disk' }),
    auditMissing: async () => new Map(),
  })
  return queued
}
