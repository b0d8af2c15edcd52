// Deletes jobs that ended long ago, and those whose making a crash cut short, with their items, in small parts.
import type { Kysely } from 'kysely'
import type { Tables } from '../../rows/tables.ts'

const MAKING_TAKES_MS = 3_600_000

export async function deleteOldJobs(db: Kysely<Tables>, before: number, now: number, limit: number): Promise<number> {
  const job = await db
    .selectFrom('replay_job')
    .select('id')
    .where((eb) =>
      eb.or([
        eb('finished_at', '<', before),
        eb.and([eb('state', '=', 'making'), eb('created_at', '<', now - MAKING_TAKES_MS)]),
      ]),
    )
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (!job) return 0
  const items = db.selectFrom('replay_item').select('run_id').where('job_id', '=', job.id).limit(limit)
  const { numDeletedRows } = await db
    .deleteFrom('replay_item')
    .where('job_id', '=', job.id)
    .where('run_id', 'in', items)
    .executeTakeFirst()
  const deleted = Number(numDeletedRows)
  if (deleted === limit) return deleted
  await db.deleteFrom('replay_job').where('id', '=', job.id).execute()
  return deleted + 1
}
