// Files: what is stored under which id, who uses it, and what may be used by nobody any more.
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

/** The tables whose rows use files. */
const OWNERS = ['run', 'sample', 'flow']

export async function files(db: Kysely<unknown>, { key, bytes, bigint, keyed, shared }: Dialect): Promise<void> {
  await db.schema
    .createTable('file')
    .addColumn('id', key, (c) => c.primaryKey())
    // incoming, stored or deleting
    .addColumn('state', key, (c) => c.notNull())
    .addColumn('place', key, (c) => c.notNull())
    // The key of the bytes, sealed.
    .addColumn('sealed_key', 'text', (c) => c.notNull())
    .addColumn('sha256', key)
    .addColumn('size', bigint)
    // The last sign of life of a process that adds the file.
    .addColumn('at', bigint, (c) => c.notNull())
    .modifyEnd(keyed)
    .execute()
  await sql`create unique index file_content on file(sha256, size) where state = 'stored'`.execute(db)
  await sql`create index file_unsettled on file(state, at) where state <> 'stored'`.execute(db)
  await db.schema
    .createTable('file_use')
    // A run, a sample or a flow.
    .addColumn('owner', key, (c) => c.notNull())
    .addColumn('file_id', key, (c) => c.notNull())
    .addPrimaryKeyConstraint('file_use_key', ['owner', 'file_id'])
    .modifyEnd(keyed)
    .execute()
  await sql`create index file_use_of on file_use(file_id)`.execute(db)
  // Without a key: whoever adds a row never waits for another transaction.
  await db.schema
    .createTable('file_look')
    .addColumn('file_id', key, (c) => c.notNull())
    .addColumn('at', bigint, (c) => c.notNull())
    .execute()
  await sql`create index file_look_at on file_look(at)`.execute(db)
  await sql`create index file_look_of on file_look(file_id)`.execute(db)
  await db.schema
    .createTable('file_total')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('files', bigint, (c) => c.notNull())
    .addColumn('bytes', bigint, (c) => c.notNull())
    .execute()
  if (shared) {
    await sql`create table file_chunk (file_id ${key} not null references file(id) on delete cascade, number integer not null,
      bytes ${bytes} not null, primary key (file_id, number))`.execute(db)
    // Encrypted bytes cannot be compressed.
    await sql`alter table file_chunk alter column bytes set storage external`.execute(db)
    await sql`create function forget_files() returns trigger language plpgsql as $$ begin
      with gone as (delete from file_use where owner = old.id returning file_id)
      insert into file_look (file_id, at) select file_id, 0 from gone;
      return null; end $$`.execute(db)
  }
  // Whatever deletes an owner, a flow with all its runs too, leaves no use behind.
  for (const owner of OWNERS) {
    const name = sql.id(`${owner}_files`)
    if (shared)
      await sql`create trigger ${name} after delete on ${sql.table(owner)} for each row execute function forget_files()`.execute(
        db,
      )
    else
      await sql`create trigger ${name} after delete on ${sql.table(owner)} for each row begin
        insert into file_look (file_id, at) select file_id, 0 from file_use where owner = old.id;
        delete from file_use where owner = old.id; end`.execute(db)
  }
}
