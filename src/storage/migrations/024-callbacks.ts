// Callbacks: the URLs by which others answer a run that waits, and what came in by them.
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

export async function callbacks(db: Kysely<unknown>, { key, bigint, keyed, shared }: Dialect): Promise<void> {
  await db.schema
    .createTable('callback')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('run_id', key, (c) => c.notNull().references('run.id').onDelete('cascade'))
    // The path of the step with its rounds, the same for every attempt of the steps around it.
    .addColumn('path', key, (c) => c.notNull())
    .addColumn('step', key, (c) => c.notNull())
    // callback or approval
    .addColumn('kind', key, (c) => c.notNull())
    .addColumn('state', key, (c) => c.notNull())
    .addColumn('token_digest', key, (c) => c.notNull())
    // The token, and what the condition of the step reads of the run.
    .addColumn('sealed', 'text', (c) => c.notNull())
    // What a person is asked, as JSON.
    .addColumn('asks', 'text')
    // How many early answers the run has not looked at.
    .addColumn('unseen', 'integer', (c) => c.notNull())
    .addColumn('created_at', bigint, (c) => c.notNull())
    .addColumn('opened_at', bigint)
    .addColumn('expires_at', bigint)
    .addColumn('ended_at', bigint)
    .addColumn('answer_id', key)
    .addColumn('answered_by', 'text')
    .modifyEnd(keyed)
    .execute()
  await sql`create unique index callback_by_step on callback(run_id, path)`.execute(db)
  await sql`create unique index callback_by_token on callback(token_digest)`.execute(db)
  await sql`create index callback_open on callback(kind, id) where state = 'open'`.execute(db)
  await db.schema
    .createTable('callback_answer')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('callback_id', key, (c) => c.notNull().references('callback.id').onDelete('cascade'))
    .addColumn('state', key, (c) => c.notNull())
    .addColumn('digest', key, (c) => c.notNull())
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('received_at', bigint, (c) => c.notNull())
    .modifyEnd(keyed)
    .execute()
  await sql`create index callback_answer_of on callback_answer(callback_id, id)`.execute(db)
  if (!shared) return
  // Runs that gave their places back while they wait (placed = 3), and those that are in line again with their answers.
  await sql`create index run_place_given on run(resume_at) where placed = 3 and finished_at is null`.execute(db)
  await sql`create index run_answered on run(flow_id, resume_at) where placed = 0 and status = 'waiting'`.execute(db)
}
