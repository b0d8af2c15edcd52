// Says for each route that changes something which action of the audit log it records, so that no new route is forgotten.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ACCESS } from './access.ts'

/** Why a route records nothing of its own. */
const nothing = (why: string) => ({ why })

const AUDITED: Record<string, string | string[] | { why: string }> = {
  'PUT /api/v1/settings/failure-flow': 'settings.failure_flow',
  'POST /api/v1/webhooks/:webhookId': nothing('a delivery, which the inbox has'),
  'POST /api/v1/webhooks/:webhookId/test': nothing('a delivery, which is kept as a sample'),
  'POST /api/v1/callbacks/:token': 'approval.answer',
  'POST /api/v1/flows': 'flow.create',
  'POST /api/v1/flows/validate': nothing('changes nothing'),
  'PUT /api/v1/flows/:id': 'flow.update',
  'DELETE /api/v1/flows/:id': 'flow.delete',
  'POST /api/v1/flows/:id/publish': 'flow.publish',
  'POST /api/v1/flows/:id/unpublish': 'flow.unpublish',
  'POST /api/v1/flows/:id/runs': 'flow.run',
  'POST /api/v1/flows/:id/pause': 'flow.pause',
  'POST /api/v1/flows/:id/resume': 'flow.resume',
  'POST /api/v1/flows/:id/versions/:version/restore': 'flow.restore',
  'POST /api/v1/flows/:id/webhook/regenerate': 'flow.regenerate',
  'POST /api/v1/flows/:id/steps/:stepId/test': 'flow.test_step',
  'PUT /api/v1/flows/:id/steps/:stepId/pin': 'flow.pin',
  'DELETE /api/v1/flows/:id/steps/:stepId/pin': 'flow.unpin',
  'POST /api/v1/flows/:id/test': 'flow.test',
  'POST /api/v1/flows/:id/samples': 'flow.sample',
  'POST /api/v1/flows/:id/deliveries/:delivery/admit': 'delivery.admit',
  'POST /api/v1/flows/:id/send-sample': ['flow.run', 'flow.sample'],
  'PUT /api/v1/flows/:id/source': 'flow.source',
  'POST /api/v1/runs/:id/cancel': 'run.cancel',
  'POST /api/v1/runs/:id/replay': 'run.replay',
  'POST /api/v1/runs/cancel': 'run.cancel_many',
  'POST /api/v1/runs/:id/callbacks/:step/regenerate': 'callback.regenerate',
  'POST /api/v1/runs/:id/callbacks/:step/answer': 'callback.answer',
  'POST /api/v1/approvals/:id': 'approval.answer',
  'PUT /api/v1/failures/:id': 'failure.update',
  'POST /api/v1/replays': 'replay.create',
  'POST /api/v1/replays/:id/pause': 'replay.pause',
  'POST /api/v1/replays/:id/resume': 'replay.resume',
  'POST /api/v1/replays/:id/cancel': 'replay.cancel',
  'POST /api/auth/setup': 'user.setup',
  'POST /api/auth/sign-in/email': ['user.sign_in', 'user.sign_in_failed'],
  'POST /api/auth/sign-out': 'user.sign_out',
  'POST /api/auth/change-password': 'user.password_change',
  'POST /api/auth/invitation': nothing('shows an invitation'),
  'POST /api/auth/accept-invitation': 'invitation.accept',
  'POST /api/auth/oidc/:provider/link': nothing(
    'begins what the callback of the provider ends, with user.identity_link',
  ),
  'POST /api/auth/oidc/:provider/backchannel-logout': 'user.sessions_end',
  'DELETE /api/auth/identities/:id': 'user.identity_unlink',
  'DELETE /api/auth/sessions/:id': 'user.sessions_end',
  'POST /api/auth/sessions/end-others': 'user.sessions_end',
  'POST /api/auth/two-factor/begin': nothing('makes a secret that counts once it is confirmed'),
  'POST /api/auth/two-factor/confirm': 'user.second_factor_on',
  'POST /api/auth/two-factor/recovery-codes': 'user.recovery_codes',
  'POST /api/auth/two-factor/off': 'user.second_factor_off',
  'PUT /api/v1/settings/two-factor': 'settings.two_factor',
  'DELETE /api/v1/users/:id/second-factor': 'user.second_factor_reset',
  'DELETE /api/v1/users/:id/sessions': 'user.sessions_end',
  'PUT /api/v1/users/:id': 'user.role_change',
  'DELETE /api/v1/users/:id': 'user.delete',
  'POST /api/v1/invitations': 'invitation.create',
  'DELETE /api/v1/invitations/:id': 'invitation.revoke',
  'POST /api/v1/tokens': 'token.create',
  'DELETE /api/v1/tokens/:id': 'token.revoke',
  'POST /api/v1/roles': 'role.create',
  'PUT /api/v1/roles/:name': 'role.update',
  'DELETE /api/v1/roles/:name': 'role.delete',
  'POST /api/v1/backup': 'backup.create',
  'POST /api/v1/connections': 'connection.create',
  'PUT /api/v1/connections/:name': 'connection.update',
  'DELETE /api/v1/connections/:name': 'connection.delete',
  'POST /api/v1/connections/:name/authorize': nothing('begins what the callback ends, with connection.authorize'),
  'POST /api/v1/connections/:name/test': 'connection.test',
  'POST /api/v1/flows/:id/secrets/move': 'connection.create',
  'POST /api/mcp': nothing('each tool is a request of the API'),
  'DELETE /api/mcp': nothing('always refused'),
  'POST /api/v1/alerts': 'alert.create',
  'PUT /api/v1/alerts/:id': 'alert.update',
  'DELETE /api/v1/alerts/:id': 'alert.delete',
  'POST /api/v1/alerts/:id/test': 'alert.test',
  'POST /api/v1/keys/rotate': 'key.rotate',
  // What changes or reveals something although it is a GET.
  'GET /api/v1/audit/export': 'audit.export',
  'GET /api/v1/oauth/callback': 'connection.authorize',
  'GET /api/auth/oidc/:provider/callback': ['user.sign_in', 'user.sign_in_failed', 'user.join', 'user.identity_link'],
}

it('knows every route that changes something', () => {
  const changing = Object.keys(ACCESS).filter((route) => !route.startsWith('GET '))
  expect(changing.filter((route) => !Object.hasOwn(AUDITED, route))).toEqual([])
  expect(Object.keys(AUDITED).filter((route) => !Object.hasOwn(ACCESS, route))).toEqual([])
})

it('names only actions that an operation records', () => {
  const folder = new URL('../../operations/', import.meta.url)
  const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('ports/'))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
    .join('\n')
  const named = Object.values(AUDITED).flatMap((one) => (typeof one === 'object' && 'why' in one ? [] : one))
  const isRecorded = (action: string) =>
    source.includes(`'${action}'`) || source.includes(`\`${action.split('.')[0]}.\${`)
  expect([...new Set(named)].filter((action) => !isRecorded(action))).toEqual([])
})
