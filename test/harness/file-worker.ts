// A process that adds files, stores runs with them, deletes runs and sweeps, all at once, until it is killed. It says what it has
// done, one JSON line each: what is acknowledged, and what is about to be deleted.
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { writeSync } from 'node:fs'
import { createIds } from '../../src/engine/ids.ts'
import { startedByDelivery } from '../../src/engine/ports/run-journal.ts'
import { testProtect } from '../../src/secrets/keys.testkit.ts'
import { webhook } from '../../src/storage/conformance/stores.testkit.ts'
import { openSqlite } from '../../src/storage/sqlite/database.ts'
import { createSqliteRunJournal } from '../../src/storage/sqlite/run-journal.ts'
import { createRunStore } from '../../src/storage/stores/run-store.ts'
import { openFileStore } from './file-store.ts'

const FLOW = 'flow_files'
const UPLOADS_AT_ONCE = 3

const folder = process.argv[2]!
const storage = await openSqlite(folder)
const files = openFileStore(storage, folder)
const runs = { ...createRunStore(storage.kysely), ...createSqliteRunJournal(storage, testProtect()).runs }
const ids = createIds(Date.now, randomBytes)

const say = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`)

async function* inParts(bytes: Uint8Array, breakOff: boolean) {
  for (let at = 0; at < bytes.length; at += 20_000) {
    yield bytes.subarray(at, at + 20_000)
    if (breakOff && at > bytes.length / 2) throw new Error('the sender has gone')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function upload(): Promise<void> {
  for (;;) {
    // Few contents, so that the same one is added, used and deleted at the same time.
    const bytes = randomInt(3) === 0 ? Buffer.alloc(50_000, randomInt(4)) : randomBytes(randomInt(300_000))
    say({ did: 'begin' })
    const added = await files.add(inParts(bytes, randomInt(8) === 0), { maxBytes: 1_000_000 }).catch(() => null)
    if (!added) continue
    if (randomInt(6) === 0) {
      await files.discard([added.id])
      continue
    }
    const run = {
      ...startedByDelivery(webhook({})),
      id: ids.next('run'),
      flowId: FLOW,
      version: null,
      document: null,
      test: false,
      hops: 0,
      replyStatus: 202,
      createdAt: Date.now(),
      replayOf: null,
      files: [added.id],
    }
    try {
      await runs.accept(run)
    } catch {
      // The same content was given back by another upload at that moment: the sender is told to try again.
      continue
    }
    say({ did: 'stored', run: run.id, file: added.id, sha256: createHash('sha256').update(bytes).digest('hex') })
    if (randomInt(2) === 0) {
      say({ did: 'delete', run: run.id })
      await storage.kysely.deleteFrom('run').where('id', '=', run.id).execute()
    }
  }
}

async function sweep(): Promise<void> {
  for (;;) {
    await files.sweep()
    say({ did: 'sweep' })
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

await Promise.all([...Array.from({ length: UPLOADS_AT_ONCE }, upload), sweep()])
