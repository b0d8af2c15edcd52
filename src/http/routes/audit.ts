import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { AuditBody, AuditExportQuery, PageQuery, pageOf } from '../../contract/bodies.ts'
import type { Services } from '../../operations/services.ts'
import { exportAudit } from '../../operations/upkeep/audit-log/export-audit.ts'
import { pageFrom } from '../pages/page.ts'
import { timeFrom } from '../pages/times.ts'
import { textAs } from './sent-as.ts'

const LINE =
  '{"chain":"main","seq":1,"prev":null,"id":"aud_01m7…","at":"2026-11-17T09:00:00.000Z","actor":"ada@example.com","actorId":"usr_01m7…","action":"flow.publish","target":{"kind":"flow","id":"flow_01m7…","name":"Orders"},"details":{"version":2},"hash":"5f1d…"}\n'

export function auditRoutes(app: FastifyInstance, services: Services): void {
  const tags = ['audit']
  app.get<{ Querystring: Static<typeof PageQuery> }>(
    '/api/v1/audit',
    {
      schema: {
        tags,
        summary: 'Who did what, newest first',
        querystring: PageQuery,
        response: { 200: pageOf(AuditBody) },
      },
    },
    ({ query }) => services.audit.list(pageFrom(query)),
  )
  app.get<{ Querystring: Static<typeof AuditExportQuery> }>(
    '/api/v1/audit/export',
    {
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: 'The audit log as JSON lines, each with the hash of the one before',
        querystring: AuditExportQuery,
        response: { 200: textAs('application/x-ndjson', 'One entry in each line, oldest first', LINE) },
      },
    },
    async ({ query, actor }, reply) => {
      const time = { since: timeFrom('since', query.since), until: timeFrom('until', query.until) }
      const lines = await exportAudit(services, actor!, time)
      return reply
        .type('application/x-ndjson')
        .header('content-disposition', 'attachment; filename="millrace-audit.jsonl"')
        .send(Readable.from(lines, { objectMode: false }))
    },
  )
}
