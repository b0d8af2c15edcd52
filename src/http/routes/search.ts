import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { SearchBody, SearchQuery } from '../../contract/search-bodies.ts'
import { search } from '../../operations/search/search.ts'
import type { Services } from '../../operations/services.ts'

export function searchRoutes(app: FastifyInstance, services: Services): void {
  app.get<{ Querystring: Static<typeof SearchQuery> }>(
    '/api/v1/search',
    {
      schema: {
        tags: ['runs'],
        summary: 'Find runs and deliveries by id, runs by the value of a label, and flows by name',
        querystring: SearchQuery,
        response: { 200: SearchBody },
      },
    },
    ({ query }) => search(services, query.q),
  )
}
