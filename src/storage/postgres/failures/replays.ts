// Stores replays on PostgreSQL: runs with what they take over from the journals of others, and the marks of the job that asked
// for them, in one transaction.
import type { JournalEntry, NewRun } from '../../../engine/ports/run-journal.ts'
import type { ReplayStart, ReplayStore } from '../../../operations/ports/replays.ts'
import type { ReplayedJournal, RunTerms } from '../../../operations/ports/runs.ts'
import type { Protect } from '../../../operations/ports/secrets.ts'
import { latestOfEachPath, pathsAround, replayed } from '../../rows/journal-rows.ts'
import { revealedStep } from '../../rows/step-columns.ts'
import type { StepTable } from '../../rows/tables.ts'
import { givenRun, insertRuns } from '../accept.ts'
import { arrays, type Columns, unnest } from '../arrays.ts'
import { Batches } from '../batches.ts'
import type { HotPool, PostgresStorage } from '../database.ts'
import { holdFiles, useFiles } from '../files/run-files.ts'
import { BEFORE, PATHS_FROM, PUT_STEPS } from '../run-statements.ts'
import { STEP_COLUMNS, stepRow } from '../steps.ts'

const ITEM = { job_id: 'text', run_id: 'text', replay_id: 'text' } as const satisfies Columns

/** An item that another process is marking is left to it. */
const TAKE = `
  with given as (select * from ${unnest('given_item', ITEM)}),
  held as (
    select item.job_id, item.run_id, given.replay_id from replay_item as item
    join given on given.job_id = item.job_id and given.run_id = item.run_id
    where item.state = 'waiting' and exists (select 1 from replay_job where id = item.job_id and state = 'running')
    for update of item skip locked),
  taken as (
    update replay_item as item set state = 'started', replay_id = held.replay_id from held
    where item.job_id = held.job_id and item.run_id = held.run_id returning item.job_id, item.replay_id),
  counted as (
    update replay_job set started = started + sums.count
    from (select job_id, count(*) as count from taken group by job_id) as sums where replay_job.id = sums.job_id)
  select replay_id from taken`
const SET_EDITED = `update run set edited = 1 where id = any($1::text[])`

const MOST_AT_ONCE = 50
const NOBODY = { node: '' }

export interface PostgresReplays {
  /** Stores a replay that somebody asked for by itself. */
  accept(run: NewRun, journal: ReplayedJournal | null, terms?: Partial<RunTerms>): Promise<void>
  start: ReplayStore['start']
}

export function createPostgresReplays(
  { hot, joint }: Pick<PostgresStorage, 'hot' | 'joint'>,
  protect: Protect,
): PostgresReplays {
  const entriesOf = async (journal: ReplayedJournal | null): Promise<readonly JournalEntry[]> => {
    if (!journal) return []
    const { runId, before, given = [] } = journal
    const values = [runId, before]
    const paths = await hot.query<{ path: string }>({ name: 'paths-from', text: PATHS_FROM, values })
    const around = new Set(paths.flatMap(({ path }) => pathsAround(path)))
    const rows = await hot.query<StepTable>({ name: 'before', text: BEFORE, values })
    const kept = rows.flatMap((row) => replayed(revealedStep(row, protect), around) ?? [])
    return latestOfEachPath([...kept, ...given])
  }

  const stored = async ({ run, journal, concurrency }: Pick<ReplayStart, 'run' | 'journal' | 'concurrency'>) => ({
    given: givenRun(run, null, { concurrency, awaited: false, route: null }, NOBODY, null, protect),
    run,
    isEdited: run.edited === true,
    steps: (await entriesOf(journal)).map((entry) => stepRow(run.id, entry, protect.of(run.flowId))),
  })
  type Stored = Awaited<ReturnType<typeof stored>>

  const insert = async (query: HotPool['query'], replays: readonly Stored[]): Promise<void> => {
    if (replays.length === 0) return
    const files = replays.flatMap(({ run }) => run.files ?? [])
    if (files.length) await holdFiles(query, files)
    await insertRuns(
      query,
      replays.map(({ given }) => given),
    )
    await useFiles(
      query,
      replays.map(({ run }) => run),
    )
    const edited = replays.filter(({ isEdited }) => isEdited).map(({ given }) => given.id)
    if (edited.length) await query({ name: 'set-edited', text: SET_EDITED, values: [edited] })
    const steps = replays.flatMap((replay) => replay.steps)
    if (steps.length) await query({ name: 'put-steps', text: PUT_STEPS, values: arrays(STEP_COLUMNS, steps) })
  }

  const startAll = async (starts: ReplayStart[]): Promise<boolean[]> => {
    const replays = await Promise.all(starts.map(stored))
    const items = starts.map(({ jobId, runId, run }) => ({ job_id: jobId, run_id: runId, replay_id: run.id }))
    const taken = await hot.transaction(async (query) => {
      const rows = await query<{ replay_id: string }>({ name: 'take-items', text: TAKE, values: arrays(ITEM, items) })
      const ids = new Set(rows.map(({ replay_id }) => replay_id))
      await insert(
        query,
        replays.filter(({ given }) => ids.has(given.id)),
      )
      return ids
    })
    return starts.map(({ run }) => taken.has(run.id))
  }

  const batches = new Batches<ReplayStart, boolean>({ lanes: 1, most: MOST_AT_ONCE, send: startAll, onSent: () => {} })

  return {
    async accept(run, journal, { concurrency = null, entry = null } = {}) {
      const replay = await stored({ run, journal, concurrency })
      await (entry ? joint : hot.transaction)(async (query) => {
        await insert(query, [replay])
        await entry?.()
      })
    },
    start: (start) => batches.add(start),
  }
}
