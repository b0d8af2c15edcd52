// Chooses runs for what is done to many at once.
import type { Kysely } from 'kysely'
import { idTime } from '../../../engine/ids.ts'
import type { RunSelection, SelectedRun } from '../../../operations/ports/replays.ts'
import { INDEXED } from '../../rows/run-indexes.ts'
import type { Tables } from '../../rows/tables.ts'
import { addLateLabels, hasLabels } from '../runs/labelled-runs.ts'

export async function selectRuns(
  db: Kysely<Tables>,
  { flowId, failure, statuses, since, until, labels, replays }: RunSelection,
  after: string | null,
  limit: number,
): Promise<SelectedRun[]> {
  if (labels) await addLateLabels(db)
  let query = db
    .selectFrom('run')
    .select((eb) => [
      'run.id',
      eb
        .exists(
          eb
            .selectFrom('run as replay')
            .select('replay.id')
            .whereRef('replay.replay_of', '=', 'run.id')
            .where('replay.status', '=', 'succeeded'),
        )
        .as('replayed'),
    ])
    .where('run.test', '=', 0)
    .where('run.status', 'in', statuses)
    .orderBy('run.id')
    .limit(limit)
  // The index of groups finds the runs of one; it needs no other.
  if (failure !== null) query = query.where('run.failure', '=', failure)
  else {
    const conditions = new Set(statuses.map((status) => INDEXED[status]))
    const [condition] = conditions
    if (conditions.size === 1 && condition) query = query.where(condition)
  }
  if (flowId !== null) query = query.where('run.flow_id', '=', flowId)
  if (labels) query = query.where((eb) => hasLabels(eb, labels))
  if (!replays) query = query.where('run.replay_of', 'is', null)
  // An id begins with its time.
  if (since !== null) query = query.where('run.id', '>=', `run_${idTime(since)}`)
  if (until !== null) query = query.where('run.id', '<', `run_${idTime(until)}`)
  if (after !== null) query = query.where('run.id', '>', after)
  const rows = await query.execute()
  // The embedded database has no booleans.
  return rows.map(({ id, replayed }) => ({ id, replayed: Boolean(replayed) }))
}
