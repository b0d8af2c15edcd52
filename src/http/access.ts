// Every route and the least scope it takes; 'open' needs no credential. A route that is not listed cannot be registered.

export type Access = 'open' | 'read' | 'write' | 'admin'

export const ACCESS: Readonly<Record<string, Access>> = {
  'GET /healthz': 'open',
  'GET /readyz': 'open',
  'GET /metrics': 'read',
  'GET /api/v1/openapi.json': 'open',
  'GET /api/docs': 'open',
  'GET /api/v1/settings': 'read',
  'GET /api/v1/step-kinds': 'read',
  'GET /api/v1/examples': 'read',
  'GET /api/v1/events': 'read',
  // The web UI: whatever no other route takes.
  'GET /*': 'open',

  'POST /api/v1/webhooks/:webhookId': 'open',
  'POST /api/v1/webhooks/:webhookId/test': 'open',

  'GET /api/v1/flows': 'read',
  'POST /api/v1/flows': 'write',
  'POST /api/v1/flows/validate': 'read',
  'GET /api/v1/flows/:id': 'read',
  'PUT /api/v1/flows/:id': 'write',
  'DELETE /api/v1/flows/:id': 'write',
  'POST /api/v1/flows/:id/publish': 'write',
  'POST /api/v1/flows/:id/unpublish': 'write',
  'GET /api/v1/flows/:id/versions': 'read',
  'GET /api/v1/flows/:id/versions/:version': 'read',
  'POST /api/v1/flows/:id/versions/:version/restore': 'write',
  'POST /api/v1/flows/:id/webhook/regenerate': 'write',
  'POST /api/v1/flows/:id/steps/:stepId/test': 'write',
  'POST /api/v1/flows/:id/test': 'write',
  'GET /api/v1/flows/:id/samples': 'read',
  'POST /api/v1/flows/:id/samples': 'write',
  'GET /api/v1/flows/:id/test-results': 'read',
  'GET /api/v1/flows/:id/deliveries': 'read',
  'GET /api/v1/flows/:id/events': 'read',

  'GET /api/v1/flow-stats': 'read',
  'GET /api/v1/deliveries': 'read',
  'GET /api/v1/deliveries/:id': 'read',

  'GET /api/v1/runs': 'read',
  'GET /api/v1/runs/:id': 'read',
  'GET /api/v1/runs/:id/document': 'read',
  'GET /api/v1/runs/:id/steps': 'read',
  'POST /api/v1/runs/:id/cancel': 'write',
  'POST /api/v1/runs/:id/replay': 'write',
  'GET /api/v1/runs/:id/events': 'read',

  'GET /api/v1/audit': 'admin',
  'GET /api/v1/connections': 'read',
  'POST /api/v1/connections': 'write',
  'GET /api/v1/connections/:name': 'read',
  'PUT /api/v1/connections/:name': 'write',
  'DELETE /api/v1/connections/:name': 'write',
  'POST /api/v1/connections/:name/authorize': 'write',
  'GET /api/v1/oauth/callback': 'open',
}

const RANK: Record<Access, number> = { open: 0, read: 1, write: 2, admin: 3 }

export const reaches = (scope: Access, needed: Access): boolean => RANK[scope] >= RANK[needed]
