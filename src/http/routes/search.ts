import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { SearchBody, SearchQuery } from '../../contract/search-bodies.ts'
import type { Actor } from '../../operations/ports/access.ts'
import { search } from '../../operations/search/search.ts'
import type { Services } from '../../operations/services.ts'
import { foundFor } from '../access/hide-data.ts'

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
    async ({ query, actor }) => foundFor(actor!, await search(services, query.q, partsOf(actor!))),
  )
}

/** Everybody may search, and finds what their scopes show. */
const partsOf = ({ scopes }: Actor) => ({ flows: scopes.includes('flows:read'), runs: scopes.includes('runs:read') })
