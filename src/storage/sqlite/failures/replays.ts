// Stores replays on SQLite: a run with what it takes over from the journal of another, and the mark of the job that asked for it.
import type { JournalEntry, NewRun } from '../../../engine/ports/run-journal.ts'
import type { ReplayStore } from '../../../operations/ports/replays.ts'
import type { ReplayedJournal } from '../../../operations/ports/runs.ts'
import type { Protect } from '../../../operations/ports/secrets.ts'
import { pathsAround, replayed } from '../../rows/journal-rows.ts'
import { revealedStep, stepColumns } from '../../rows/step-columns.ts'
import type { StepTable } from '../../rows/tables.ts'
import type { SqliteStorage } from '../database.ts'
import { type HotStatement, prepareHotWrites } from '../hot/hot-writes.ts'
import { putStep } from '../hot/write-descriptions.ts'
import { prepareRunFiles } from '../run-files.ts'
import { startOf } from '../run-start.ts'

export interface SqliteReplays {
  /** Writes what a run takes over from the journal of another. Called inside the transaction that stores the run. */
  takeOver(journal: ReplayedJournal, to: NewRun): void
  start: ReplayStore['start']
}

export function createSqliteReplays(
  { raw, commit, counters, hot }: Pick<SqliteStorage, 'raw' | 'commit' | 'counters' | 'hot'>,
  protect: Protect,
): SqliteReplays {
  const doWrite = prepareHotWrites(raw, counters)
  const requireFiles = prepareRunFiles(raw)
  const selectPathsFrom = raw.prepare('SELECT path FROM step WHERE run_id = ? AND seq >= ?')
  const selectBefore = raw.prepare('SELECT * FROM step WHERE run_id = ? AND seq < ? ORDER BY seq')

  const put = (run: NewRun, entry: JournalEntry): number =>
    doWrite([putStep(run.id, entry, stepColumns(run.id, entry, protect.of(run.flowId)))])

  const takeOver = ({ runId, before, given = [] }: ReplayedJournal, to: NewRun): void => {
    const around = new Set(selectPathsFrom.all(runId, before).flatMap((row) => pathsAround(row['path'] as string)))
    for (const row of selectBefore.all(runId, before) as unknown as StepTable[]) {
      const entry = replayed(revealedStep(row, protect), around)
      if (entry) put(to, entry)
    }
    for (const entry of given) put(to, entry)
  }

  return {
    takeOver,

    async start({ jobId, runId, run, journal }) {
      const taken: HotStatement[] = [
        ['takeItem', [run.id, jobId, runId]],
        ['countItem', [jobId]],
        ...startOf(run, protect),
      ]
      if (!journal && !run.files?.length) return (await hot.write(taken)) > 0
      return commit.write(() => {
        requireFiles(run)
        if (doWrite(taken) === 0) return false
        if (journal) takeOver(journal, run)
        return true
      })
    },
  }
}
