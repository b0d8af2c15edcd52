// Runs in a thread: writes a copy of the database as it is now. A reader does not hold up writers.
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'

const { from, to } = workerData as { from: string; to: string }
const database = new DatabaseSync(from, { readOnly: true, timeout: 5000 })
database.prepare('VACUUM INTO ?').run(to)
database.close()
// A log of runs that lies beside the copy one day is of the database, not of the copy.
const copied = new DatabaseSync(to)
copied.exec('DELETE FROM run_log')
copied.close()
const copy = openSync(to, 'r+')
fsyncSync(copy)
closeSync(copy)
