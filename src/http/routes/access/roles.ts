import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { NewRoleRequest, RoleBody, RoleScopesRequest } from '../../../contract/access-bodies.ts'
import { changeScopes, createRole, deleteRole, listRoles } from '../../../operations/access/roles.ts'
import type { Services } from '../../../operations/services.ts'

const Name = Type.Object({ name: Type.String() })
type WithName = { Params: Static<typeof Name> }

export function roleRoutes(app: FastifyInstance, services: Services): void {
  const tags = ['users']
  const path = '/api/v1/roles'
  app.get(
    path,
    {
      schema: {
        tags,
        summary: 'List roles: those that come with Millrace, then those that owners made',
        response: { 200: Type.Object({ items: Type.Array(RoleBody) }) },
      },
    },
    () => listRoles(services),
  )
  app.post<{ Body: Static<typeof NewRoleRequest> }>(
    path,
    { schema: { tags, summary: 'Make a role', body: NewRoleRequest, response: { 201: RoleBody } } },
    async ({ body, actor }, reply) => reply.code(201).send(await createRole(services, actor!, body)),
  )
  app.put<WithName & { Body: Static<typeof RoleScopesRequest> }>(
    `${path}/:name`,
    {
      schema: {
        tags,
        summary: 'Give a role other scopes; whoever loses one has to sign in again',
        params: Name,
        body: RoleScopesRequest,
        response: { 200: RoleBody },
      },
    },
    ({ params, body, actor }) => changeScopes(services, actor!, params.name, body.scopes),
  )
  app.delete<WithName>(
    `${path}/:name`,
    { schema: { tags, summary: 'Delete a role that nobody has', params: Name, response: { 204: Type.Null() } } },
    async ({ params, actor }, reply) => {
      await deleteRole(services, actor!, params.name)
      return reply.code(204).send()
    },
  )
}
