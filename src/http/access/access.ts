// Lists every route with the access it needs: 'open' needs no credential, 'session' a signed-in user of any role, 'token' an API
// token of any scope; the others need at least that scope, of a token or a role. A route that is not listed cannot be registered.
import { reaches } from '../../operations/access/scopes.ts'
import type { Actor, Scope } from '../../operations/ports/access.ts'

export type Access = 'open' | 'session' | 'token' | Scope

export const ACCESS: Readonly<Record<string, Access>> = {
  'GET /healthz': 'open',
  'GET /readyz': 'open',
  'GET /metrics': 'read',
  'GET /api/v1/openapi.json': 'open',
  'GET /api/docs': 'open',
  'GET /api/v1/settings': 'read',
  'GET /api/v1/settings/failure-flow': 'read',
  'PUT /api/v1/settings/failure-flow': 'admin',
  'GET /api/v1/stats': 'read',
  'GET /api/v1/step-kinds': 'read',
  'GET /api/v1/examples': 'read',
  'GET /api/v1/guide/:page': 'read',
  'GET /api/v1/events': 'read',
  // The web UI: every path that no other route takes.
  'GET /*': 'open',

  'POST /api/v1/webhooks/:webhookId': 'open',
  'POST /api/v1/webhooks/:webhookId/test': 'open',
  'POST /api/v1/callbacks/:token': 'open',
  'GET /api/v1/callbacks/:token': 'open',

  'GET /api/v1/flows': 'read',
  'POST /api/v1/flows': 'write',
  'POST /api/v1/flows/validate': 'read',
  'GET /api/v1/flows/:id': 'read',
  'PUT /api/v1/flows/:id': 'write',
  'DELETE /api/v1/flows/:id': 'write',
  'POST /api/v1/flows/:id/publish': 'write',
  'POST /api/v1/flows/:id/unpublish': 'write',
  'GET /api/v1/flows/:id/schedule': 'read',
  'POST /api/v1/flows/:id/runs': 'write',
  'POST /api/v1/flows/:id/pause': 'write',
  'POST /api/v1/flows/:id/resume': 'write',
  'GET /api/v1/flows/:id/versions': 'read',
  'GET /api/v1/flows/:id/versions/:version': 'read',
  'POST /api/v1/flows/:id/versions/:version/restore': 'write',
  'POST /api/v1/flows/:id/webhook/regenerate': 'write',
  'POST /api/v1/flows/:id/steps/:stepId/test': 'write',
  'PUT /api/v1/flows/:id/steps/:stepId/pin': 'write',
  'DELETE /api/v1/flows/:id/steps/:stepId/pin': 'write',
  'GET /api/v1/flows/:id/steps/:stepId/curl': 'read',
  'POST /api/v1/flows/:id/test': 'write',
  'GET /api/v1/flows/:id/samples': 'read',
  'POST /api/v1/flows/:id/samples': 'write',
  'GET /api/v1/flows/:id/samples/:sampleId/body': 'read',
  'GET /api/v1/flows/:id/test-results': 'read',
  'GET /api/v1/flows/:id/deliveries': 'read',
  'POST /api/v1/flows/:id/deliveries/:delivery/admit': 'write',
  'GET /api/v1/flows/:id/events': 'read',

  'GET /api/v1/flow-stats': 'read',
  'GET /api/v1/callable-flows': 'read',
  'GET /api/v1/flow-sources': 'read',
  'PUT /api/v1/flows/:id/source': 'write',
  'GET /api/v1/flow.schema.json': 'open',
  'GET /api/v1/deliveries': 'read',
  'GET /api/v1/deliveries/:id': 'read',
  'GET /api/v1/deliveries/:id/body': 'read',

  'GET /api/v1/search': 'read',
  'GET /api/v1/runs': 'read',
  'GET /api/v1/runs/:id': 'read',
  'GET /api/v1/runs/:id/document': 'read',
  'GET /api/v1/runs/:id/steps': 'read',
  'GET /api/v1/runs/:id/steps/part': 'read',
  'GET /api/v1/runs/:id/body': 'read',
  'GET /api/v1/runs/:id/fixture': 'read',
  'GET /api/v1/runs/:id/har': 'read',
  'POST /api/v1/runs/:id/cancel': 'write',
  'POST /api/v1/runs/:id/replay': 'write',
  'GET /api/v1/runs/:id/events': 'read',
  'POST /api/v1/runs/cancel': 'write',
  'POST /api/v1/runs/:id/callbacks/:step/regenerate': 'write',
  'POST /api/v1/runs/:id/callbacks/:step/answer': 'write',

  'GET /api/v1/approvals': 'read',
  'POST /api/v1/approvals/:id': 'write',

  'GET /api/v1/failures': 'read',
  'GET /api/v1/failures/:id': 'read',
  'PUT /api/v1/failures/:id': 'write',
  'GET /api/v1/replays': 'read',
  'POST /api/v1/replays': 'write',
  'GET /api/v1/replays/:id': 'read',
  'GET /api/v1/replays/:id/events': 'read',
  'POST /api/v1/replays/:id/pause': 'write',
  'POST /api/v1/replays/:id/resume': 'write',
  'POST /api/v1/replays/:id/cancel': 'write',

  'GET /api/auth/state': 'open',
  'GET /api/auth/get-session': 'open',
  'POST /api/auth/setup': 'open',
  'POST /api/auth/sign-in/email': 'open',
  'POST /api/auth/sign-out': 'open',
  'POST /api/auth/change-password': 'session',
  'POST /api/auth/invitation': 'open',
  'POST /api/auth/accept-invitation': 'open',
  'GET /api/v1/me': 'read',
  'GET /api/v1/users': 'admin',
  'PUT /api/v1/users/:id': 'admin',
  'DELETE /api/v1/users/:id': 'admin',
  'GET /api/v1/invitations': 'admin',
  'POST /api/v1/invitations': 'admin',
  'DELETE /api/v1/invitations/:id': 'admin',
  'GET /api/v1/tokens': 'admin',
  'POST /api/v1/tokens': 'admin',
  'DELETE /api/v1/tokens/:id': 'admin',
  'GET /api/v1/audit': 'admin',
  'POST /api/v1/backup': 'admin',
  'GET /api/v1/connections': 'read',
  'POST /api/v1/connections': 'write',
  'GET /api/v1/connections/:name': 'read',
  'PUT /api/v1/connections/:name': 'write',
  'DELETE /api/v1/connections/:name': 'write',
  'POST /api/v1/connections/:name/authorize': 'write',
  'POST /api/v1/connections/:name/test': 'write',
  'POST /api/v1/flows/:id/secrets/move': 'write',
  'GET /api/v1/oauth/callback': 'open',

  // Each message becomes a request of the API, which is checked against this table again.
  'POST /api/mcp': 'token',
  'GET /api/mcp': 'open',
  'DELETE /api/mcp': 'open',

  'GET /api/v1/alerts': 'write',
  'POST /api/v1/alerts': 'admin',
  'PUT /api/v1/alerts/:id': 'admin',
  'DELETE /api/v1/alerts/:id': 'admin',
  'POST /api/v1/alerts/:id/test': 'admin',

  'GET /api/v1/keys': 'admin',
  'POST /api/v1/keys/rotate': 'admin',
}

export const accessTo = (method: string, route: string): Access =>
  ACCESS[`${method === 'HEAD' ? 'GET' : method} ${route}`] ?? 'admin'

export function grants(actor: Actor, needed: Exclude<Access, 'open'>): boolean {
  if (needed === 'session') return actor.user !== null
  return needed === 'token' ? actor.user === null : reaches(actor.scope, needed)
}
