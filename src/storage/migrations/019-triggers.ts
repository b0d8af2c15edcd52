// Lets something else than a delivery start a run: schedules with their planned times, and calls by other runs.
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

export async function triggers(db: Kysely<unknown>, { key, bigint, keyed }: Dialect): Promise<void> {
  for (const column of ['trigger', 'parent_run', 'parent_step'])
    await db.schema.alterTable('run').addColumn(column, 'text').execute()
  // 1 if the parent waits for the run to end.
  await db.schema.alterTable('run').addColumn('parent_waits', 'integer').execute()
  await sql`create index run_by_parent on run(parent_run) where parent_run is not null`.execute(db)
  await db.schema.alterTable('flow').addColumn('slug', 'text').execute()
  await sql`create unique index flow_by_slug on flow(slug) where slug is not null`.execute(db)
  // The kind of the live version's trigger.
  await db.schema.alterTable('flow').addColumn('trigger', 'text').execute()
  await sql`update flow set trigger = 'webhook' where version is not null`.execute(db)
  await db.schema.alterTable('flow').addColumn('paused_at', bigint).execute()
  await sql`create index flow_paused on flow(id) where paused_at is not null`.execute(db)
  await db.schema
    .createTable('schedule')
    .addColumn('flow_id', key, (c) => c.primaryKey().references('flow.id').onDelete('cascade'))
    // The version whose schedule this is.
    .addColumn('version', 'integer', (c) => c.notNull())
    // The trigger of that version, as JSON.
    .addColumn('settings', 'text', (c) => c.notNull())
    // The next planned time, and that time with the jitter of the flow.
    .addColumn('next_at', bigint)
    .addColumn('runs_at', bigint)
    // The planned time before the next one.
    .addColumn('previous_at', bigint)
    // Planned times before this one passed while the flow was not published, or was paused.
    .addColumn('since', bigint, (c) => c.notNull())
    // How many times were left out since the last run.
    .addColumn('missed', 'integer', (c) => c.notNull())
    .modifyEnd(keyed)
    .execute()
  await sql`create index schedule_due on schedule(runs_at) where runs_at is not null`.execute(db)
  await db.schema
    .createTable('occurrence')
    .addColumn('flow_id', key, (c) => c.notNull().references('flow.id').onDelete('cascade'))
    .addColumn('at', bigint, (c) => c.notNull())
    // Null if no run was started, because the run before was still under way.
    .addColumn('run_id', 'text')
    .addPrimaryKeyConstraint('occurrence_key', ['flow_id', 'at'])
    .modifyEnd(keyed)
    .execute()
  // Retention deletes the oldest of all flows.
  await db.schema.createIndex('occurrence_by_time').on('occurrence').column('at').execute()
}
