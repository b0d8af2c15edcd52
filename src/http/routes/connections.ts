import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { ConnectionBody, ConnectionChangeRequest, ConnectionRequest, PageQuery, pageOf } from '../../contract/bodies.ts'
import { deleteConnection } from '../../operations/delete-connection.ts'
import { listConnections, readConnection } from '../../operations/read-connections.ts'
import { createConnection, replaceConnection } from '../../operations/save-connection.ts'
import type { Services } from '../../operations/services.ts'
import { pageFrom } from '../page.ts'

const Name = Type.Object({ name: Type.String() })
type WithName = { Params: Static<typeof Name> }

export function connectionRoutes(app: FastifyInstance, services: Services): void {
  const tags = ['connections']

  app.get<{ Querystring: Static<typeof PageQuery> }>(
    '/api/v1/connections',
    {
      schema: {
        tags,
        summary: 'List connections by name; secret fields are never shown',
        querystring: PageQuery,
        response: { 200: pageOf(ConnectionBody) },
      },
    },
    ({ query }) => listConnections(services, pageFrom(query)),
  )
  app.post<{ Body: Static<typeof ConnectionRequest> }>(
    '/api/v1/connections',
    { schema: { tags, summary: 'Create a connection', body: ConnectionRequest, response: { 201: ConnectionBody } } },
    async ({ body }, reply) => reply.code(201).send(await createConnection(services, body)),
  )
  app.get<WithName>(
    '/api/v1/connections/:name',
    { schema: { tags, summary: 'Read a connection', params: Name, response: { 200: ConnectionBody } } },
    ({ params }) => readConnection(services, params.name),
  )
  app.put<WithName & { Body: Static<typeof ConnectionChangeRequest> }>(
    '/api/v1/connections/:name',
    {
      schema: {
        tags,
        summary: 'Change a connection; a secret field that is left out stays as it is',
        params: Name,
        body: ConnectionChangeRequest,
        response: { 200: ConnectionBody },
      },
    },
    ({ params, body }) => replaceConnection(services, params.name, body),
  )
  app.delete<WithName>(
    '/api/v1/connections/:name',
    {
      schema: {
        tags,
        summary: 'Delete a connection that no published flow uses',
        params: Name,
        response: { 204: Type.Null() },
      },
    },
    async ({ params }, reply) => {
      await deleteConnection(services, params.name)
      return reply.code(204).send()
    },
  )
}
