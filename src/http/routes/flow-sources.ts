import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { FlowSourceBody, FlowSourceRequest, FlowSourcesQuery, pageOf } from '../../contract/bodies.ts'
import { listFlowSources, setFlowSource } from '../../operations/flows/flow-sources.ts'
import type { Services } from '../../operations/services.ts'
import { pageFrom } from '../pages/page.ts'
import { jsonAs } from './sent-as.ts'

/** How it begins. */
const SCHEMA_HEAD = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Millrace flow', type: 'object' }

const Id = Type.Object({ id: Type.String() })

export function flowSourceRoutes(app: FastifyInstance, services: Services, documentSchema: object): void {
  const tags = ['flows']
  app.get(
    '/api/v1/flow.schema.json',
    {
      schema: {
        tags,
        summary: 'The JSON Schema of a flow document, for editors',
        response: { 200: jsonAs('A JSON Schema (2020-12)', { type: 'object' }, SCHEMA_HEAD) },
      },
    },
    () => Promise.resolve(documentSchema),
  )
  app.get<{ Querystring: Static<typeof FlowSourcesQuery> }>(
    '/api/v1/flow-sources',
    {
      schema: {
        tags,
        summary: 'The files that flows were applied from',
        querystring: FlowSourcesQuery,
        response: { 200: pageOf(FlowSourceBody) },
      },
    },
    ({ query }) => listFlowSources(services, query.source ?? null, pageFrom(query)),
  )
  app.put<{ Params: Static<typeof Id>; Body: Static<typeof FlowSourceRequest> }>(
    '/api/v1/flows/:id/source',
    {
      schema: {
        tags,
        summary: 'Set which file the draft was applied from, and at which revision',
        params: Id,
        body: FlowSourceRequest,
        response: { 200: FlowSourceBody },
      },
    },
    ({ params, body, actor }) => setFlowSource(services, actor!, { flowId: params.id, ...body }),
  )
}
