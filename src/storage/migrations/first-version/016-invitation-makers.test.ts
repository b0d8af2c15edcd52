import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '../../sqlite/database.ts'

it('gives earlier invitations to the users who made them, and ends those of users who have gone or are no owners', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-migration-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const before = await openSqlite(folder)
  // After this write the thread has prepared its statements.
  await before.hot.write([])
  before.raw.exec(`
    drop trigger run_files;
    drop trigger sample_files;
    drop trigger flow_files;
    drop table file;
    drop table file_use;
    drop table file_look;
    drop table file_total;
    drop table user_role;
    drop index api_token_made_by;
    alter table api_token drop column expires_at;
    alter table api_token drop column made_by;
    alter table api_token drop column last_address;
    alter table api_token drop column only_for;
    alter table connection drop column only_for;
    drop table user_identity;
    drop table logout_token;
    drop table second_factor;
    drop table recovery_code;
    alter table user_account drop column break_glass;
    drop index user_session_login;
    alter table user_session drop column device;
    alter table user_session drop column address;
    alter table user_session drop column issuer;
    alter table user_session drop column subject;
    alter table user_session drop column sid;
    alter table user_session drop column used_at;
    drop index run_to_erase;
    alter table run drop column erased;
    alter table flow drop column retention;
    drop table invitation;
    drop table flow_minute;
    drop table flow_error;
    drop table flow_delta;
    create table invitation (id text primary key, code text not null unique, email text, role text not null,
      created_at integer not null, expires_at integer not null);
    alter table flow drop column updated_by;
    drop index run_by_parent;
    drop index flow_by_slug;
    drop index flow_paused;
    alter table run drop column trigger;
    alter table run drop column parent_run;
    alter table run drop column parent_step;
    alter table run drop column parent_waits;
    alter table flow drop column slug;
    alter table flow drop column trigger;
    alter table flow drop column paused_at;
    alter table run drop column labels;
    alter table step drop column attempts;
    drop table run_label;
    drop index delivery_event;
    drop index delivery_handshake;
    alter table delivery drop column event;
    drop table late_label;
    drop table run_log;
    drop index delivery_kept;
    drop index delivery_sealed;
    alter table delivery drop column body_kept;
    alter table delivery drop column sealed;
    drop table callback_answer;
    drop table callback;
    drop table setting;
    drop table alert_message;
    drop table alert_state;
    drop table alert_event;
    drop table alert;
    drop table schedule;
    drop table occurrence;
    drop index run_by_failure;
    drop index run_by_replay;
    alter table run drop column failure;
    alter table run drop column edited;
    drop table failure;
    drop table failure_delta;
    drop table replay_item;
    drop table replay_job;
    alter table connection drop column tested_at;
    alter table connection drop column test_verdict;
    drop index audit_links;
    drop index audit_unchained;
    alter table audit drop column chain;
    alter table audit drop column seq;
    alter table audit drop column prev;
    alter table audit drop column hash;
    drop table audit_chain;
    drop table audit_destination;
    drop table audit_cursor;
    delete from kysely_migration where name >= '016';
    insert into user_account values ('usr_owner', 'a', 'A', 'owner', 'x', 0, null), ('usr_editor', 'b', 'B', 'editor', 'x', 0, null);
    insert into api_token values ('tok_owner', 'd1', 't', 'admin', 0, 'a', 'usr_owner', null), ('tok_nobody', 'd2', 't', 'admin', 0, 'admin token', null, null);`)
  const makers = {
    inv_owner: 'usr_owner',
    inv_token: 'tok_owner',
    inv_admin: null,
    inv_admin_token: 'tok_nobody',
    inv_editor: 'usr_editor',
    inv_gone: 'usr_gone',
  }
  for (const [id, maker] of Object.entries(makers)) {
    before.raw.prepare('insert into invitation values (?, ?, null, ?, 0, 1)').run(id, `code of ${id}`, 'owner')
    before.raw
      .prepare(`insert into audit values (?, 0, 'somebody', ?, 'invitation.create', 'invitation', ?, null, '{}')`)
      .run(`aud_${id}`, maker, id)
  }
  await before.close()
  const after = await openSqlite(folder)
  const left = await after.kysely.selectFrom('invitation').select(['id', 'user_id']).orderBy('id').execute()
  await after.close()
  expect(left).toEqual([
    { id: 'inv_admin', user_id: null },
    { id: 'inv_admin_token', user_id: null },
    { id: 'inv_owner', user_id: 'usr_owner' },
    { id: 'inv_token', user_id: 'usr_owner' },
  ])
})
