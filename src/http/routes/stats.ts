import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { StatsBody, StatsQuery } from '../../contract/stats-bodies.ts'
import type { Services } from '../../operations/services.ts'
import { readStats } from '../../operations/stats/read-stats.ts'

export function statsRoutes(app: FastifyInstance, services: Services): void {
  app.get<{ Querystring: Static<typeof StatsQuery> }>(
    '/api/v1/stats',
    {
      schema: {
        tags: ['system'],
        summary: 'Deliveries, runs and failures over time, of all flows or of one',
        querystring: StatsQuery,
        response: { 200: StatsBody },
      },
    },
    ({ query, actor }) => readStats(services, actor!, query.range ?? '24h', query.flow ?? null),
  )
}
