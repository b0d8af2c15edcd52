// What several processes need to share the work: who holds which run, who is alive, and messages from one to another.
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

export async function dispatch(db: Kysely<unknown>, { key, bytes, bigint, shared }: Dialect): Promise<void> {
  // One process alone keeps all of this in memory.
  if (!shared) return
  await db.schema
    .alterTable('run')
    // The process that carries it.
    .addColumn('worker', key)
    // From when on any process may take it; null while one holds it, and in its flow's line.
    .addColumn('due_at', bigint)
    // How many runs of its flow its version lets run at once, and whether it is one of them.
    .addColumn('at_once', 'integer')
    .addColumn('placed', 'integer')
    // The process whose caller waits for its reply.
    .addColumn('reply_to', key)
    .execute()
  await sql`create index run_ready on run(due_at, id) where due_at is not null and finished_at is null`.execute(db)
  await sql`create index run_held on run(worker) where worker is not null and finished_at is null`.execute(db)
  await sql`create index run_line on run(flow_id, placed, id) where at_once is not null and finished_at is null`.execute(
    db,
  )
  // Rows come in queued and leave finished within moments: what they leave behind is to be cleared before it slows the claims.
  await sql`alter table run set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1)`.execute(
    db,
  )
  await db.schema
    .createTable('worker')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('beat', bigint, (c) => c.notNull())
    .addColumn('started_at', bigint, (c) => c.notNull())
    .execute()
  // Counts the changes of what every process keeps in memory: a claim tells its process whether it has missed one.
  await sql`create sequence change_count`.execute(db)
  // The first call of a new sequence does not change what can be read of it.
  await sql`select nextval('change_count')`.execute(db)
  // Unlogged: what a crash of the database takes along is a reply to somebody who gets "still running" then.
  await sql`create unlogged table message (id bigint generated always as identity primary key, node ${key} not null, body ${bytes} not null, created_at ${bigint} not null)`.execute(
    db,
  )
  await sql`create index message_by_node on message(node, id)`.execute(db)
}
