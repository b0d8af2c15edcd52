import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { unionOf } from '../../base/scopes.ts'
import {
  InvitationBody,
  InviteRequest,
  ListedUserBody,
  MeBody,
  NewInvitationBody,
  NewTokenBody,
  RoleRequest,
  TokenBody,
  TokenRequest,
} from '../../contract/access-bodies.ts'
import { PageQuery, pageOf } from '../../contract/bodies.ts'
import { invite, listInvitations, revokeInvitation } from '../../operations/access/invitations.ts'
import { createToken, listTokens, revokeToken } from '../../operations/access/manage-tokens.ts'
import { changeRole, deleteUser, listUsers } from '../../operations/access/users.ts'
import type { Services } from '../../operations/services.ts'
import { pageFrom } from '../pages/page.ts'
import { timeFrom } from '../pages/times.ts'

const Id = Type.Object({ id: Type.String() })
type WithId = { Params: Static<typeof Id> }
type PageOf = { Querystring: Static<typeof PageQuery> }

export function userRoutes(app: FastifyInstance, services: Services): void {
  const tags = ['users']
  app.get('/api/v1/me', { schema: { tags, summary: 'Who asks', response: { 200: MeBody } } }, ({ actor }) => {
    const { name, scopes, user } = actor!
    return Promise.resolve({ name, scope: unionOf(scopes), scopes, user })
  })
  app.get<PageOf>(
    '/api/v1/users',
    { schema: { tags, summary: 'List users', querystring: PageQuery, response: { 200: pageOf(ListedUserBody) } } },
    ({ query }) => listUsers(services, pageFrom(query)),
  )
  app.put<WithId & { Body: Static<typeof RoleRequest> }>(
    '/api/v1/users/:id',
    {
      schema: {
        tags,
        summary: 'Give a user another role',
        params: Id,
        body: RoleRequest,
        response: { 200: ListedUserBody },
      },
    },
    ({ params, body, actor }) => changeRole(services, actor!, params.id, body.role),
  )
  app.delete<WithId>(
    '/api/v1/users/:id',
    {
      schema: {
        tags,
        summary: 'Delete a user, with sessions, tokens and invitations',
        params: Id,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, actor }, reply) => {
      await deleteUser(services, actor!, params.id)
      return reply.code(204).send()
    },
  )
  app.get<PageOf>(
    '/api/v1/invitations',
    {
      schema: {
        tags,
        summary: 'List invitations that can be used, newest first',
        querystring: PageQuery,
        response: { 200: pageOf(InvitationBody) },
      },
    },
    ({ query }) => listInvitations(services, pageFrom(query)),
  )
  app.post<{ Body: Static<typeof InviteRequest> }>(
    '/api/v1/invitations',
    {
      schema: {
        tags,
        summary: 'Invite somebody; the reply holds the link',
        body: InviteRequest,
        response: { 201: NewInvitationBody },
      },
    },
    async ({ body, actor }, reply) => reply.code(201).send(await invite(services, actor!, body)),
  )
  app.delete<WithId>(
    '/api/v1/invitations/:id',
    { schema: { tags, summary: 'Revoke an invitation', params: Id, response: { 204: Type.Null() } } },
    async ({ params, actor }, reply) => {
      await revokeInvitation(services, actor!, params.id)
      return reply.code(204).send()
    },
  )
}

export function tokenRoutes(app: FastifyInstance, services: Services): void {
  const tags = ['tokens']
  app.get<PageOf>(
    '/api/v1/tokens',
    {
      schema: {
        tags,
        summary: 'List API tokens, newest first',
        querystring: PageQuery,
        response: { 200: pageOf(TokenBody) },
      },
    },
    ({ query }) => listTokens(services, pageFrom(query)),
  )
  app.post<{ Body: Static<typeof TokenRequest> }>(
    '/api/v1/tokens',
    {
      schema: {
        tags,
        summary: 'Make an API token; only this reply shows it',
        body: TokenRequest,
        response: { 201: NewTokenBody },
      },
    },
    async ({ body, actor }, reply) => {
      const { expiresAt, ...given } = body
      const token = await createToken(services, actor!, { ...given, expiresAt: timeFrom('expiresAt', expiresAt) })
      return reply.code(201).send(token)
    },
  )
  app.delete<WithId>(
    '/api/v1/tokens/:id',
    { schema: { tags, summary: 'Revoke an API token', params: Id, response: { 204: Type.Null() } } },
    async ({ params, actor }, reply) => {
      await revokeToken(services, actor!, params.id)
      return reply.code(204).send()
    },
  )
}
