// The thread that does the writes of the hot path, so that the event loop neither waits for the disk nor builds rows.
import { DatabaseSync } from 'node:sqlite'
import { type MessagePort, workerData } from 'node:worker_threads'
import { lackOfRoom, storageFault } from '../rows/storage-fault.ts'
import { FlowCounters } from './flow-counters.ts'
import { type HotWrite, prepareHotWrites } from './hot-writes.ts'
import { DURABLE, LOCK_TIMEOUT_MS } from './settings.ts'
import { Transactions } from './transactions.ts'

/** The number of statements of a write that changed something, or why the write failed. */
export type HotResult = number | { message: string; unavailable: boolean; noRoom: string | null }

export interface BatchResult {
  seconds: number
  results: HotResult[]
}

const { file, port } = workerData as { file: string; port: MessagePort }
const db = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS })
db.exec(DURABLE)
const counters = new FlowCounters(db)
const transactions = new Transactions(db, counters)
const doWrite = prepareHotWrites(db, counters)

port.on('message', (batch: HotWrite[] | 'close') => {
  if (batch === 'close') {
    db.close()
    port.close()
    return
  }
  const started = performance.now()
  const results = transactions.together(batch.map((write) => () => doWrite(write))).map((written): HotResult => {
    if ('value' in written) return written.value
    const fault = storageFault(written.error)
    const { message } = fault ?? (written.error as Error)
    return { message, unavailable: fault !== null, noRoom: lackOfRoom(written.error) }
  })
  const reply: BatchResult = { seconds: (performance.now() - started) / 1000, results }
  port.postMessage(reply)
})
