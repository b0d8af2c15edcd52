import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { AuditBody, PageQuery, pageOf } from '../../contract/bodies.ts'
import type { Services } from '../../operations/services.ts'
import { pageFrom } from '../pages/page.ts'

export function auditRoutes(app: FastifyInstance, services: Services): void {
  app.get<{ Querystring: Static<typeof PageQuery> }>(
    '/api/v1/audit',
    {
      schema: {
        tags: ['audit'],
        summary: 'Who did what, newest first',
        querystring: PageQuery,
        response: { 200: pageOf(AuditBody) },
      },
    },
    ({ query }) => services.audit.list(pageFrom(query)),
  )
}
