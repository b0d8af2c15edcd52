// The thread that does the writes of the hot path, so that the event loop neither waits for the disk nor builds rows.
import { DatabaseSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { DURABLE, LOCK_TIMEOUT_MS, LONG_LOG_PAGES, NO_CHECKPOINTS } from '../settings.ts'
import { FlowCounters } from './flow-counters.ts'
import { type BatchResult, type HotWrite, prepareBatches } from './hot-writes.ts'
import { Pauses } from './pauses.ts'
import { type Generation, writeOf } from './run-record.ts'

interface Given {
  file: string
  port: MessagePort
  answered: Int32Array
  awaited: Int32Array
}

const { file, port, answered, awaited } = workerData as Given
const db = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS })
db.exec(`${DURABLE} ${NO_CHECKPOINTS}`)
const pauses = new Pauses(awaited)
const doBatch = prepareBatches(db, new FlowCounters(db), () => pauses.pause())

const length = db.prepare('PRAGMA wal_checkpoint(NOOP)')
const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')

/** Moves the write-ahead log into the database file; after the answer, as somebody waits for that. */
function tidyUp(): void {
  try {
    if ((length.get()!['log'] as number) > LONG_LOG_PAGES) checkpoint.get()
  } catch {
    // Where there is no room, the write-ahead log stays as it is, and the next batch tries again.
  }
}

port.on('message', (message: HotWrite[] | Generation | 'tidy' | 'close') => {
  if (message === 'close') {
    db.close()
    port.close()
    return
  }
  if (message !== 'tidy') {
    pauses.begin()
    port.postMessage(doBatch('records' in message ? [writeOf(message)] : message) satisfies BatchResult)
    // For an event loop that waits for it.
    Atomics.add(answered, 0, 1)
    Atomics.notify(answered, 0)
  }
  tidyUp()
})
parentPort!.postMessage('ready')
