// Single sign-on, second factors, and what is shown of a session.
import type { Kysely } from 'kysely'
import type { Dialect } from '../rows/dialect.ts'

export async function signIn(db: Kysely<unknown>, { bigint }: Dialect): Promise<void> {
  await db.schema.alterTable('user_account').addColumn('break_glass', 'integer').execute()
  for (const column of ['device', 'address', 'issuer', 'subject', 'sid'])
    await db.schema.alterTable('user_session').addColumn(column, 'text').execute()
  await db.schema.alterTable('user_session').addColumn('used_at', bigint).execute()
  await db.schema.createIndex('user_session_login').on('user_session').columns(['issuer', 'subject']).execute()
  await db.schema
    .createTable('user_identity')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('user_account.id').onDelete('cascade'))
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('email', 'text')
    // 1 if the first sign-in by it made the account: then the provider decides the role.
    .addColumn('made_account', 'integer', (c) => c.notNull())
    .addColumn('created_at', bigint, (c) => c.notNull())
    .addColumn('used_at', bigint)
    .execute()
  await db.schema
    .createIndex('user_identity_subject')
    .unique()
    .on('user_identity')
    .columns(['issuer', 'subject'])
    .execute()
  await db.schema.createIndex('user_identity_by_user').on('user_identity').column('user_id').execute()
  await db.schema
    .createTable('logout_token')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('expires_at', bigint, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('second_factor')
    .addColumn('user_id', 'text', (c) => c.primaryKey().references('user_account.id').onDelete('cascade'))
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('created_at', bigint, (c) => c.notNull())
    // Null until the first code was shown.
    .addColumn('confirmed_at', bigint)
    // The step of time of the last code that was taken: no code is taken twice.
    .addColumn('used_step', bigint, (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('recovery_code')
    .addColumn('user_id', 'text', (c) => c.notNull().references('user_account.id').onDelete('cascade'))
    .addColumn('digest', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('recovery_code_key', ['user_id', 'digest'])
    .execute()
}
