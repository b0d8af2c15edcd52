// Records which user made an invitation, so that it is deleted with the user. The audit log tells it of existing ones.
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
  // Deletes invitations whose maker is deleted or no longer an owner. An entry without an id is of the admin token.
  await sql`delete from invitation where user_id is null and ${maker} is not null
    and not exists (select 1 from api_token where id = ${maker})`.execute(db)
  await sql`delete from invitation where user_id in (select id from user_account where role <> 'owner')`.execute(db)
}
