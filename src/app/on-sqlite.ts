// Runs the service as one process, on the embedded database.

import { StorageUnavailable } from '../engine/ports/storage-unavailable.ts'
import { MAIN_CHAIN } from '../operations/ports/audit-log/chain.ts'
import { queuedRun, recoverRuns } from '../operations/runs/recover-runs.ts'
import { InProcessQueue } from '../queue/in-process-queue.ts'
import { RunTroubles } from '../queue/run-troubles.ts'
import { createDiskPlace } from '../storage/files/disk-place.ts'
import { createSqliteBackups } from '../storage/sqlite/backups.ts'
import { openSqlite } from '../storage/sqlite/database.ts'
import { createDatabaseFacts } from '../storage/sqlite/database-facts.ts'
import { createSqliteRunJournal } from '../storage/sqlite/run-journal.ts'
import { createRunSizes } from '../storage/sqlite/run-sizes.ts'
import { createSqliteSchedules } from '../storage/sqlite/schedules.ts'
import { createSqliteSealedRows } from '../storage/sqlite/sealed-rows.ts'
import type { Backend } from './backend.ts'
import type { Config } from './config.ts'

const DUE_PAGE = 500

/** Returns whether the error may be that of one run, because it is none of the database. */
const isOfRun = (error: unknown): boolean =>
  !(error instanceof StorageUnavailable) && (error as { code?: string } | null)?.code !== 'ERR_SQLITE_ERROR'

export async function openOnSqlite(
  config: Config,
  onCommit: (seconds: number, writes: number) => void,
): Promise<Backend> {
  const storage = await openSqlite(config.dataDir, onCommit)
  const now = Date.now
  const bytesOf = createRunSizes(storage.raw)
  return {
    kind: 'sqlite',
    place: config.dataDir,
    kysely: storage.kysely,
    together: storage.together,
    auditChain: MAIN_CHAIN,
    signals: { send: () => {} },
    backups: createSqliteBackups(config.dataDir, storage.settled),
    filePlace: createDiskPlace(config.dataDir),
    changed: async () => {},
    now,
    fault: () => storage.room.fault(),
    database: createDatabaseFacts(storage.raw, config.dataDir),
    hotStores(protect, causeOf) {
      const { runs, addDelivery, startReplay, ...journal } = createSqliteRunJournal(storage, protect, causeOf)
      return { journal, runs, addDelivery, startReplay, schedules: createSqliteSchedules(storage, protect, now) }
    },
    settleWritten: () => storage.hot.look(),
    sealedRows: () => createSqliteSealedRows(storage),
    sendsReplies: (replies) => (run, reply) => replies.send(run.id, reply),
    dispatcher({ engine, published, runs, memory, log }) {
      const troubles = new RunTroubles(config.giveUpAfterMs, isOfRun)
      const queue = new InProcessQueue(config.concurrency, memory, {
        bytesOf,
        advance: ({ id, fresh, claim }) =>
          troubles.carry(
            id,
            () => engine.advance(id, fresh, claim),
            () => engine.giveUp(id),
          ),
        async due() {
          const at = now()
          const { runs: waiting, nextAt } = await runs.due(at, DUE_PAGE)
          const queued = waiting.map((run) => queuedRun(published, run, run.resumeAt ?? at, true))
          return { runs: await Promise.all(queued), nextAt }
        },
        now,
        busy: busyShare(),
        failed: (error) => log.error({ err: error }, 'runs could not be taken up; it is tried again'),
        troubled(runId, error) {
          log.error({ err: error, runId }, 'a run could not be carried on')
          return troubles.failed(runId, error)
        },
      })
      return {
        queue,
        async recover() {
          for (const flowId of published.pausedFlows()) await queue.pause(flowId)
          return recoverRuns(runs, queue, published, now())
        },
        start: () => queue.start(),
        stop: () => queue.stop(),
        leave: async () => {},
      }
    },
    close: storage.close,
  }
}

/** Returns what returns the share of the time since its last call that the event loop was at work. */
function busyShare(): () => number {
  let before = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}
