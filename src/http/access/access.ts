// Lists every route with the access it needs: 'open' needs no credential, 'known' any credential, 'session' a signed-in user of any
// role, 'confined' the same, also before the second factor is set up that the role needs, 'token' an API token; the others need a
// scope, of a token or a role, all scopes of a list, or one of `any`. A route that is not listed cannot be registered.
import { meets, type Needed, neededWords, type Scope } from '../../base/scopes.ts'
import type { Actor } from '../../operations/ports/access.ts'

export type Access = 'open' | 'known' | 'session' | 'confined' | 'token' | Scope | Needed

export const ACCESS: Readonly<Record<string, Access>> = {
  'GET /healthz': 'open',
  'GET /readyz': 'open',
  'GET /metrics': 'runs:read',
  'GET /api/v1/openapi.json': 'open',
  'GET /api/docs': 'open',
  'GET /api/v1/settings': 'known',
  'GET /api/v1/settings/failure-flow': 'flows:read',
  'PUT /api/v1/settings/failure-flow': 'admin',
  'GET /api/v1/stats': 'runs:read',
  'GET /api/v1/step-kinds': 'known',
  'GET /api/v1/examples': 'known',
  'GET /api/v1/guide/:page': 'known',
  'GET /api/v1/events': 'runs:read',
  // The web UI: every path that no other route takes.
  'GET /*': 'open',

  'POST /api/v1/webhooks/:webhookId': 'open',
  'POST /api/v1/webhooks/:webhookId/test': 'open',
  'POST /api/v1/callbacks/:token': 'open',
  'GET /api/v1/callbacks/:token': 'open',

  'GET /api/v1/flows': 'flows:read',
  'POST /api/v1/flows': 'flows:write',
  'POST /api/v1/flows/validate': 'flows:read',
  'GET /api/v1/flows/:id': 'flows:read',
  'PUT /api/v1/flows/:id': 'flows:write',
  'DELETE /api/v1/flows/:id': 'flows:write',
  'POST /api/v1/flows/:id/publish': 'flows:write',
  'POST /api/v1/flows/:id/unpublish': 'flows:write',
  'GET /api/v1/flows/:id/schedule': 'flows:read',
  'POST /api/v1/flows/:id/runs': 'runs:replay',
  'POST /api/v1/flows/:id/pause': 'flows:write',
  'POST /api/v1/flows/:id/resume': 'flows:write',
  'GET /api/v1/flows/:id/versions': 'flows:read',
  'GET /api/v1/flows/:id/versions/:version': 'flows:read',
  'POST /api/v1/flows/:id/versions/:version/restore': 'flows:write',
  'POST /api/v1/flows/:id/webhook/regenerate': 'flows:write',
  'POST /api/v1/flows/:id/steps/:stepId/test': ['flows:write', 'runs:data'],
  'PUT /api/v1/flows/:id/steps/:stepId/pin': 'flows:write',
  'DELETE /api/v1/flows/:id/steps/:stepId/pin': 'flows:write',
  'GET /api/v1/flows/:id/steps/:stepId/curl': 'flows:read',
  'POST /api/v1/flows/:id/test': ['flows:write', 'runs:data'],
  'GET /api/v1/flows/:id/samples': 'runs:data',
  'POST /api/v1/flows/:id/samples': ['flows:write', 'runs:data'],
  'GET /api/v1/flows/:id/samples/:sampleId/body': 'runs:data',
  'GET /api/v1/flows/:id/test-results': 'runs:data',
  'GET /api/v1/flows/:id/deliveries': 'runs:read',
  'GET /api/v1/flows/:id/deliveries/listen': ['flows:write', 'runs:data'],
  'POST /api/v1/flows/:id/deliveries/:delivery/admit': 'runs:replay',
  'GET /api/v1/flows/:id/events': 'runs:read',
  'POST /api/v1/flows/:id/send-sample': 'flows:write',
  'GET /api/v1/senders': 'known',
  'GET /api/v1/senders/:name': 'known',

  'GET /api/v1/flow-stats': 'runs:read',
  'GET /api/v1/callable-flows': 'flows:read',
  'GET /api/v1/flow-sources': 'flows:read',
  'PUT /api/v1/flows/:id/source': 'flows:write',
  'GET /api/v1/flow.schema.json': 'open',
  'GET /api/v1/deliveries': 'runs:read',
  'GET /api/v1/deliveries/:id': 'runs:read',
  'GET /api/v1/deliveries/:id/body': 'runs:data',

  'GET /api/v1/search': 'known',
  'GET /api/v1/runs': 'runs:read',
  'GET /api/v1/runs/:id': 'runs:read',
  'GET /api/v1/runs/:id/document': 'flows:read',
  'GET /api/v1/runs/:id/steps': 'runs:read',
  'GET /api/v1/runs/:id/steps/part': 'runs:data',
  'GET /api/v1/runs/:id/body': 'runs:data',
  'GET /api/v1/files/:id': 'runs:data',
  'GET /api/v1/runs/:id/fixture': 'runs:data',
  'GET /api/v1/runs/:id/har': 'runs:data',
  'POST /api/v1/runs/:id/cancel': 'runs:replay',
  'POST /api/v1/runs/:id/replay': 'runs:replay',
  'GET /api/v1/runs/:id/events': 'runs:read',
  'POST /api/v1/runs/cancel': 'runs:replay',
  'POST /api/v1/runs/:id/callbacks/:step/regenerate': 'approvals',
  'POST /api/v1/runs/:id/callbacks/:step/answer': 'approvals',

  'GET /api/v1/approvals': { any: ['approvals', 'runs:data'] },
  'POST /api/v1/approvals/:id': 'approvals',

  'GET /api/v1/failures': 'runs:read',
  'GET /api/v1/failures/:id': 'runs:read',
  'PUT /api/v1/failures/:id': 'runs:replay',
  'GET /api/v1/replays': 'runs:read',
  'POST /api/v1/replays': 'runs:replay',
  'GET /api/v1/replays/:id': 'runs:read',
  'GET /api/v1/replays/:id/events': 'runs:read',
  'POST /api/v1/replays/:id/pause': 'runs:replay',
  'POST /api/v1/replays/:id/resume': 'runs:replay',
  'POST /api/v1/replays/:id/cancel': 'runs:replay',

  'GET /api/auth/state': 'open',
  'GET /api/auth/get-session': 'open',
  'POST /api/auth/setup': 'open',
  'POST /api/auth/sign-in/email': 'open',
  'POST /api/auth/sign-out': 'open',
  'POST /api/auth/change-password': 'session',
  'POST /api/auth/invitation': 'open',
  'POST /api/auth/accept-invitation': 'open',
  'GET /api/auth/oidc/:provider': 'open',
  'GET /api/auth/oidc/:provider/callback': 'open',
  'POST /api/auth/oidc/:provider/link': 'session',
  'POST /api/auth/oidc/:provider/backchannel-logout': 'open',
  'GET /api/auth/identities': 'session',
  'DELETE /api/auth/identities/:id': 'session',
  'GET /api/auth/sessions': 'session',
  'DELETE /api/auth/sessions/:id': 'session',
  'POST /api/auth/sessions/end-others': 'session',
  'GET /api/auth/two-factor': 'confined',
  'POST /api/auth/two-factor/begin': 'confined',
  'POST /api/auth/two-factor/confirm': 'confined',
  'POST /api/auth/two-factor/recovery-codes': 'session',
  'POST /api/auth/two-factor/off': 'session',
  'GET /api/v1/settings/two-factor': 'known',
  'PUT /api/v1/settings/two-factor': 'admin',
  'DELETE /api/v1/users/:id/second-factor': 'admin',
  'DELETE /api/v1/users/:id/sessions': 'admin',
  'GET /api/v1/me': 'known',
  'GET /api/v1/users': 'admin',
  'PUT /api/v1/users/:id': 'admin',
  'DELETE /api/v1/users/:id': 'admin',
  'GET /api/v1/roles': 'admin',
  'POST /api/v1/roles': 'admin',
  'PUT /api/v1/roles/:name': 'admin',
  'DELETE /api/v1/roles/:name': 'admin',
  'GET /api/v1/invitations': 'admin',
  'POST /api/v1/invitations': 'admin',
  'DELETE /api/v1/invitations/:id': 'admin',
  'GET /api/v1/tokens': 'admin',
  'POST /api/v1/tokens': 'admin',
  'DELETE /api/v1/tokens/:id': 'admin',
  'GET /api/v1/audit': 'admin',
  'GET /api/v1/audit/export': 'admin',
  'POST /api/v1/backup': 'admin',
  'GET /api/v1/connections': { any: ['connections:use', 'flows:read'] },
  'POST /api/v1/connections': 'connections:write',
  'GET /api/v1/connections/:name': { any: ['connections:use', 'flows:read'] },
  'PUT /api/v1/connections/:name': 'connections:write',
  'DELETE /api/v1/connections/:name': 'connections:write',
  'POST /api/v1/connections/:name/authorize': 'connections:write',
  'POST /api/v1/connections/:name/test': 'connections:use',
  'POST /api/v1/flows/:id/secrets/move': ['flows:write', 'connections:write'],
  'GET /api/v1/oauth/callback': 'open',

  // Each message becomes a request of the API, which is checked against this table again.
  'POST /api/mcp': 'token',
  'GET /api/mcp': 'open',
  'DELETE /api/mcp': 'open',

  'GET /api/v1/alerts': 'flows:write',
  'POST /api/v1/alerts': 'admin',
  'PUT /api/v1/alerts/:id': 'admin',
  'DELETE /api/v1/alerts/:id': 'admin',
  'POST /api/v1/alerts/:id/test': 'admin',

  'GET /api/v1/keys': 'admin',
  'POST /api/v1/keys/rotate': 'admin',
}

export const accessTo = (method: string, route: string): Access =>
  ACCESS[`${method === 'HEAD' ? 'GET' : method} ${route}`] ?? 'admin'

/** Returns the scopes that a route needs. */
export const scopesOf = (access: Access): Needed =>
  typeof access === 'object' ? access : (NO_SCOPE as readonly string[]).includes(access) ? [] : [access as Scope]

/** Says what a route needs. */
export const accessWords = (access: Access): string =>
  neededWords(scopesOf(access)) || (typeof access === 'string' ? access : '')

const NO_SCOPE = ['open', 'known', 'session', 'confined', 'token'] as const satisfies Access[]

export function grants(actor: Actor, needed: Exclude<Access, 'open'>): boolean {
  if (needed === 'session' || needed === 'confined') return actor.user !== null
  if (needed === 'token') return actor.user === null
  return meets(actor.scopes, scopesOf(needed))
}
