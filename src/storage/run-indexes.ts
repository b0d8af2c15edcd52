// The conditions of the partial indexes on runs, word for word: a database uses such an index only where it finds its condition.
import { sql } from 'kysely'

export const ACTIVE = sql<boolean>`run.status in ('queued', 'running')`
export const WAITING = sql<boolean>`run.status = 'waiting'`
