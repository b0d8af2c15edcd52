// Adds what several processes need to share the work: who holds which run, who is alive, and messages between processes.
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../../rows/dialect.ts'

export async function dispatch(db: Kysely<unknown>, { key, bytes, bigint, shared }: Dialect): Promise<void> {
  // A single process keeps all of this in memory.
  if (!shared) return
  await db.schema
    .alterTable('run')
    // Names the process that holds the run.
    .addColumn('worker', key)
    // The time from which any process may take the run; null while a process holds it or it waits in the line of its flow.
    .addColumn('due_at', bigint)
    // `at_once`: how many runs of the flow this version allows at once. `placed`: whether this run is one of them.
    .addColumn('at_once', 'integer')
    .addColumn('placed', 'integer')
    // Names the process whose caller waits for the reply.
    .addColumn('reply_to', key)
    .execute()
  await sql`create index run_ready on run(due_at, id) where due_at is not null and finished_at is null`.execute(db)
  await sql`create index run_held on run(worker) where worker is not null and finished_at is null`.execute(db)
  await sql`create index run_line on run(flow_id, placed, id) where at_once is not null and finished_at is null`.execute(
    db,
  )
  // Rows arrive queued and finish within moments: autovacuum must clear the dead rows before they slow the claims down.
  await sql`alter table run set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1)`.execute(
    db,
  )
  await db.schema
    .createTable('worker')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('beat', bigint, (c) => c.notNull())
    .addColumn('started_at', bigint, (c) => c.notNull())
    .execute()
  // Counts the changes of data that every process keeps in memory: a claim tells its process whether it has missed one.
  await sql`create sequence change_count`.execute(db)
  // The first call of a new sequence does not change the value that can be read from it, so it happens here.
  await sql`select nextval('change_count')`.execute(db)
  // The table is unlogged: a crash of the database loses only replies, whose callers then get "still running".
  await sql`create unlogged table message (id bigint generated always as identity primary key, node ${key} not null, body ${bytes} not null, created_at ${bigint} not null)`.execute(
    db,
  )
  await sql`create index message_by_node on message(node, id)`.execute(db)
}
