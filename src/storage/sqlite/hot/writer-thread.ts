// The thread that does the writes of the hot path, so that the event loop neither waits for the disk nor builds rows.
import { DatabaseSync } from 'node:sqlite'
import { type MessagePort, workerData } from 'node:worker_threads'
import { DURABLE, LOCK_TIMEOUT_MS } from '../settings.ts'
import { FlowCounters } from './flow-counters.ts'
import { type BatchResult, type HotWrite, prepareBatches } from './hot-writes.ts'

const { file, port, answered } = workerData as { file: string; port: MessagePort; answered: Int32Array }
const db = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS })
db.exec(DURABLE)
const doBatch = prepareBatches(db, new FlowCounters(db))

port.on('message', (batch: HotWrite[] | 'close') => {
  if (batch === 'close') {
    db.close()
    port.close()
    return
  }
  port.postMessage(doBatch(batch) satisfies BatchResult)
  // For an event loop that waits for it.
  Atomics.add(answered, 0, 1)
  Atomics.notify(answered, 0)
})
