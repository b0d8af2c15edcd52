// Groups failed runs by their cause, and lets many runs be replayed by one job.
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'
import { FAILURE_DELTA_KEYS } from '../rows/failures/tables.ts'

export async function failures(db: Kysely<unknown>, { key, bigint, keyed, shared }: Dialect): Promise<void> {
  // The group of a failed run.
  await db.schema.alterTable('run').addColumn('failure', key).execute()
  // 1 if its webhook or results of its steps were changed for a replay.
  await db.schema.alterTable('run').addColumn('edited', 'integer').execute()
  await sql`create index run_by_failure on run(failure, id) where failure is not null`.execute(db)
  await sql`create index run_by_replay on run(replay_of) where replay_of is not null`.execute(db)
  await db.schema
    .createTable('failure')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('flow_id', key, (c) => c.notNull())
    .addColumn('step', 'text', (c) => c.notNull())
    .addColumn('code', 'text', (c) => c.notNull())
    .addColumn('status', 'integer')
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('count', bigint, (c) => c.notNull())
    .addColumn('first_at', bigint, (c) => c.notNull())
    .addColumn('last_at', bigint, (c) => c.notNull())
    .addColumn('latest_run', key, (c) => c.notNull())
    // The newest versions and the latest hours, as JSON: both are bounded, and are read with the group only.
    .addColumn('versions', 'text', (c) => c.notNull())
    .addColumn('hours', 'text', (c) => c.notNull())
    .addColumn('state', key, (c) => c.notNull())
    .addColumn('state_at', bigint, (c) => c.notNull())
    .addColumn('muted_until', bigint)
    .modifyEnd(keyed)
    .execute()
  await db.schema.createIndex('failure_by_time').on('failure').columns(['last_at', 'id']).execute()
  await db.schema.createIndex('failure_by_flow').on('failure').columns(['flow_id', 'last_at', 'id']).execute()
  // What was counted and is not added up yet. Several processes would wait for each other at the row of a group, so there each
  // adds rows of its own.
  let delta = db.schema.createTable('failure_delta')
  if (shared) delta = delta.addColumn('id', bigint, (c) => c.generatedAlwaysAsIdentity().primaryKey())
  delta = delta
    .addColumn('failure', key, (c) => c.notNull())
    .addColumn('hour', bigint, (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('flow_id', key, (c) => c.notNull())
    .addColumn('step', 'text', (c) => c.notNull())
    .addColumn('code', 'text', (c) => c.notNull())
    .addColumn('status', 'integer')
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('count', bigint, (c) => c.notNull())
    .addColumn('first_at', bigint, (c) => c.notNull())
    .addColumn('last_at', bigint, (c) => c.notNull())
    .addColumn('run_id', key, (c) => c.notNull())
  if (!shared) delta = delta.addPrimaryKeyConstraint('failure_delta_key', [...FAILURE_DELTA_KEYS] as never[])
  await delta.modifyEnd(keyed).execute()
  await db.schema
    .createTable('replay_job')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('created_at', bigint, (c) => c.notNull())
    .addColumn('created_by', 'text', (c) => c.notNull())
    // What was asked for, as JSON.
    .addColumn('request', 'text', (c) => c.notNull())
    .addColumn('pace', 'integer', (c) => c.notNull())
    .addColumn('state', key, (c) => c.notNull())
    .addColumn('total', bigint, (c) => c.notNull())
    .addColumn('already_replayed', bigint, (c) => c.notNull())
    .addColumn('started', bigint, (c) => c.notNull())
    .addColumn('done', bigint, (c) => c.notNull())
    .addColumn('failed', bigint, (c) => c.notNull())
    // When the next replays may start, by the pace.
    .addColumn('next_at', bigint, (c) => c.notNull())
    .addColumn('finished_at', bigint)
    .modifyEnd(keyed)
    .execute()
  await sql`create index replay_job_active on replay_job(id) where finished_at is null`.execute(db)
  await db.schema
    .createTable('replay_item')
    .addColumn('job_id', key, (c) => c.notNull().references('replay_job.id').onDelete('cascade'))
    .addColumn('run_id', key, (c) => c.notNull())
    .addColumn('state', key, (c) => c.notNull())
    // The run that replays it.
    .addColumn('replay_id', key)
    // Why it could not be replayed.
    .addColumn('problem', 'text')
    .addPrimaryKeyConstraint('replay_item_key', ['job_id', 'run_id'])
    .modifyEnd(keyed)
    .execute()
  await sql`create index replay_item_open on replay_item(job_id, state, run_id) where state in ('waiting', 'started')`.execute(
    db,
  )
  await sql`create index replay_item_refused on replay_item(job_id) where problem is not null`.execute(db)
}
