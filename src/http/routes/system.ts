import type { FastifyInstance } from 'fastify'
import { sendFailure } from '../failure.ts'
import type { Metrics } from '../metrics.ts'

export function systemRoutes(app: FastifyInstance, system: { ready(): Promise<boolean>; metrics: Metrics }): void {
  const tags = ['system']
  app.get('/healthz', { schema: { tags, summary: 'Alive' } }, () => Promise.resolve({ status: 'ok' }))
  app.get('/readyz', { schema: { tags, summary: 'Ready: the database can be reached' } }, async (_request, reply) =>
    (await system.ready()) ? { status: 'ready' } : sendFailure(reply, 'unavailable', 'The database cannot be reached.'),
  )
  app.get('/metrics', { schema: { tags, summary: 'Prometheus metrics' } }, async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await system.metrics.text()),
  )
}
