// Settings of the instance, and alerts: rules, what they have seen, and the messages that wait to be sent.
import type { Kysely } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

export async function alerts(db: Kysely<unknown>, { key, bigint, keyed }: Dialect): Promise<void> {
  await db.schema
    .createTable('setting')
    .addColumn('name', key, (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .modifyEnd(keyed)
    .execute()
  await db.schema
    .createTable('alert')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('rule', 'text', (c) => c.notNull())
    // The numbers of the rule, as JSON.
    .addColumn('limits', 'text', (c) => c.notNull())
    .addColumn('flow_id', 'text')
    .addColumn('tag', 'text')
    // The target without its secret, as JSON.
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('sealed', 'text')
    // The next message is not sent before this time.
    .addColumn('quiet_until', bigint, (c) => c.notNull())
    .addColumn('created_at', bigint, (c) => c.notNull())
    .addColumn('sent_at', bigint)
    // Why the latest message could not be sent.
    .addColumn('problem', 'text')
    .modifyEnd(keyed)
    .execute()
  await db.schema
    .createTable('alert_event')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('flow_id', 'text', (c) => c.notNull())
    .addColumn('run_id', 'text')
    .addColumn('at', bigint, (c) => c.notNull())
    .addColumn('code', 'text')
    .modifyEnd(keyed)
    .execute()
  // What is known of a flow, a connection and so on: by all rules together, or by one.
  await db.schema
    .createTable('alert_state')
    .addColumn('subject', key, (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .modifyEnd(keyed)
    .execute()
  await db.schema
    .createTable('alert_message')
    .addColumn('id', key, (c) => c.primaryKey())
    .addColumn('alert_id', key, (c) => c.notNull().references('alert.id').onDelete('cascade'))
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('created_at', bigint, (c) => c.notNull())
    .addColumn('due_at', bigint, (c) => c.notNull())
    .modifyEnd(keyed)
    .execute()
  await db.schema.createIndex('alert_message_due').on('alert_message').column('due_at').execute()
}
