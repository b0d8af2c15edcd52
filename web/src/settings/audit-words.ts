// The actions of the audit log in words: "flow.publish" reads as "published a flow".

const WORDS: Record<string, string> = {
  'flow.create': 'created a flow',
  'flow.update': 'changed a flow',
  'flow.publish': 'published a flow',
  'flow.unpublish': 'unpublished a flow',
  'flow.pause': 'paused a flow',
  'flow.resume': 'resumed a flow',
  'flow.run': 'ran a flow',
  'flow.delete': 'deleted a flow',
  'flow.restore': 'restored a version',
  'flow.regenerate': 'changed a webhook URL',
  'flow.test': 'tested a flow',
  'flow.test_step': 'tested a step',
  'flow.pin': 'pinned the result of a step',
  'flow.unpin': 'unpinned the result of a step',
  'flow.sample': 'kept a delivery as a sample',
  'flow.source': 'applied a flow from a file',
  'delivery.admit': 'admitted a delivery',
  'run.cancel': 'cancelled a run',
  'run.cancel_many': 'cancelled runs',
  'run.replay': 'replayed a run',
  'failure.update': 'changed the state of a failure',
  'approval.answer': 'answered an approval',
  'callback.answer': 'answered a callback by hand',
  'callback.regenerate': 'changed the URL of a callback',
  'replay.create': 'began to replay runs',
  'replay.pause': 'paused a replay of runs',
  'replay.resume': 'resumed a replay of runs',
  'replay.cancel': 'cancelled a replay of runs',
  'connection.create': 'created a connection',
  'connection.update': 'changed a connection',
  'connection.delete': 'deleted a connection',
  'connection.authorize': 'connected a connection',
  'connection.test': 'tested a connection',
  'settings.failure_flow': 'chose the failure flow',
  'settings.two_factor': 'changed which roles need a second factor',
  'alert.create': 'made an alert',
  'alert.update': 'changed an alert',
  'alert.delete': 'deleted an alert',
  'alert.test': 'tested an alert',
  'key.rotate': 'rotated the encryption keys',
  'backup.create': 'created a backup',
  'audit.chain': 'began a chain of the audit log',
  'audit.export': 'exported the audit log',
  'token.create': 'created a token',
  'token.revoke': 'revoked a token',
  'token.refused': 'came with a wrong token',
  'role.create': 'made a role',
  'role.update': 'changed the scopes of a role',
  'role.delete': 'deleted a role',
  'invitation.create': 'created an invitation',
  'invitation.revoke': 'revoked an invitation',
  'invitation.accept': 'accepted an invitation',
  'user.setup': 'set up Millrace',
  'user.sign_in': 'signed in',
  'user.sign_in_failed': 'failed to sign in',
  'user.sign_out': 'signed out',
  'user.password_change': 'changed their password',
  'user.password_reset': 'reset a password',
  'user.role_change': 'changed a role',
  'user.delete': 'removed a user',
  'user.join': 'joined by single sign-on',
  'user.identity_link': 'linked an account',
  'user.identity_unlink': 'unlinked an account',
  'user.sessions_end': 'ended sessions',
  'user.second_factor_on': 'turned on two-factor sign-in',
  'user.second_factor_off': 'turned off two-factor sign-in',
  'user.second_factor_reset': 'reset a second factor',
  'user.recovery_codes': 'made new recovery codes',
  'user.break_glass': 'changed who is a break-glass owner',
}

export const auditWords = (action: string): string => WORDS[action] ?? action.replaceAll(/[._]/g, ' ')

/** The page of what was acted upon, where it has one. */
export function auditLink(target: { kind: string; id: string; name: string | null }): string | null {
  if (target.kind === 'flow') return `/flows/${target.id}`
  if (target.kind === 'run') return `/runs/${target.id}`
  if (target.kind === 'failure') return `/failures/${target.id}`
  if (target.kind === 'replay') return `/replays/${target.id}`
  if (target.kind === 'connection') return `/connections/${target.id}`
  return null
}

/** "role: editor, from: viewer": small details on one line. */
export function auditDetails(details: Record<string, unknown>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}
