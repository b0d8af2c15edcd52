// Whose invitation it is: it goes with that user. The audit log knows who made those that there are.
import { type Kysely, sql } from 'kysely'

export async function invitationMakers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('invitation')
    .addColumn('user_id', 'text', (c) => c.references('user_account.id').onDelete('cascade'))
    .execute()
  await db.schema.createIndex('invitation_by_user').on('invitation').column('user_id').execute()
  const maker = sql`(select max(actor_id) from audit where action = 'invitation.create' and target_id = invitation.id)`
  await sql`update invitation set user_id = coalesce(
    (select id from user_account where id = ${maker}), (select user_id from api_token where id = ${maker}))`.execute(db)
  // Made by somebody who has gone or is no owner any more. Without an id it was the admin token, which belongs to nobody.
  await sql`delete from invitation where user_id is null and ${maker} is not null
    and not exists (select 1 from api_token where id = ${maker})`.execute(db)
  await sql`delete from invitation where user_id in (select id from user_account where role <> 'owner')`.execute(db)
}
