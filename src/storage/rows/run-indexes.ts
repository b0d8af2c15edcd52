// The conditions of the partial indexes on runs, word for word: a database uses such an index only for its condition.
import { sql } from 'kysely'

export const ACTIVE = sql<boolean>`run.status in ('queued', 'running')`
export const WAITING = sql<boolean>`run.status = 'waiting'`
const ENDED_BADLY = sql<boolean>`run.status in ('failed', 'cancelled')`

/** Maps a status to the condition of the indexes that hold its runs. Succeeded runs have none, because they are most. */
export const INDEXED = {
  queued: ACTIVE,
  running: ACTIVE,
  waiting: WAITING,
  failed: ENDED_BADLY,
  cancelled: ENDED_BADLY,
  succeeded: null,
} as const
