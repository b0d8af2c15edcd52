// The sessions and the second factor of whoever is signed in, and what owners do about those of others.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import {
  EndedSessionsBody,
  OwnSessionBody,
  PasswordRequest,
  RecoveryCodesBody,
  TwoFactorBody,
  TwoFactorCodeRequest,
  TwoFactorRuleBody,
  TwoFactorRuleRequest,
  TwoFactorSecretBody,
} from '../../../contract/access/sign-in-bodies.ts'
import {
  beginTwoFactor,
  confirmTwoFactor,
  endTwoFactor,
  readSecondFactorRule,
  readTwoFactor,
  renewRecoveryCodes,
  resetTwoFactor,
  setSecondFactorRule,
} from '../../../operations/access/two-factor/manage-second-factor.ts'
import { endOtherSessions, endSession, endSessionsOf, listSessions } from '../../../operations/access/user-sessions.ts'
import type { Services } from '../../../operations/services.ts'
import { fromOf } from '../../access/from.ts'
import type { SessionCookie } from '../../access/session-cookie.ts'
import type { ClientAddress } from '../../client-address.ts'

const Id = Type.Object({ id: Type.String() })
type WithId = { Params: Static<typeof Id> }
type WithPassword = { Body: Static<typeof PasswordRequest> }

export function ownSessionRoutes(app: FastifyInstance, services: Services, cookie: SessionCookie): void {
  const tags = ['sign-in']
  const path = '/api/auth/sessions'
  app.get(
    path,
    {
      schema: {
        tags,
        summary: 'Your sessions, the last used first',
        response: { 200: Type.Object({ items: Type.Array(OwnSessionBody) }) },
      },
    },
    async ({ actor, headers }) => ({
      items: await listSessions(services, actor!.user!, cookie.read(headers.cookie)!),
    }),
  )
  app.delete<WithId>(
    `${path}/:id`,
    { schema: { tags, summary: 'End one of your sessions', params: Id, response: { 204: Type.Null() } } },
    async ({ params, actor }, reply) => {
      await endSession(services, actor!.user!, params.id)
      return reply.code(204).send()
    },
  )
  app.post(
    `${path}/end-others`,
    {
      schema: {
        tags,
        summary: 'Sign out everywhere: end all your sessions but this one',
        response: { 200: EndedSessionsBody },
      },
    },
    async ({ actor, headers }) => ({
      ended: await endOtherSessions(services, actor!.user!, cookie.read(headers.cookie)!),
    }),
  )
}

export function twoFactorRoutes(app: FastifyInstance, services: Services, clientAddress: ClientAddress): void {
  const tags = ['sign-in']
  const path = '/api/auth/two-factor'
  app.get(
    path,
    { schema: { tags, summary: 'Whether you have a second factor', response: { 200: TwoFactorBody } } },
    ({ actor }) => readTwoFactor(services, actor!.user!),
  )
  app.post<WithPassword>(
    `${path}/begin`,
    {
      schema: {
        tags,
        summary: 'Make a secret for an authenticator app; it counts once it is confirmed',
        body: PasswordRequest,
        response: { 200: TwoFactorSecretBody },
      },
    },
    (request) => beginTwoFactor(services, request.actor!.user!, request.body.password, fromOf(request, clientAddress)),
  )
  app.post<{ Body: Static<typeof TwoFactorCodeRequest> }>(
    `${path}/confirm`,
    {
      schema: {
        tags,
        summary: 'Confirm the secret by a code; the reply holds the recovery codes',
        body: TwoFactorCodeRequest,
        response: { 200: RecoveryCodesBody },
      },
    },
    async ({ actor, body }) => ({ recoveryCodes: await confirmTwoFactor(services, actor!.user!, body.code) }),
  )
  app.post<WithPassword>(
    `${path}/recovery-codes`,
    {
      schema: {
        tags,
        summary: 'Make new recovery codes; the former ones no longer work',
        body: PasswordRequest,
        response: { 200: RecoveryCodesBody },
      },
    },
    async (request) => {
      const from = fromOf(request, clientAddress)
      return { recoveryCodes: await renewRecoveryCodes(services, request.actor!.user!, request.body.password, from) }
    },
  )
  app.post<WithPassword>(
    `${path}/off`,
    {
      schema: { tags, summary: 'Turn off your second factor', body: PasswordRequest, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      const from = fromOf(request, clientAddress)
      await endTwoFactor(services, request.actor!.user!, request.body.password, from)
      return reply.code(204).send()
    },
  )
}

/** What owners do about the access of others. */
export function accessRuleRoutes(app: FastifyInstance, services: Services): void {
  const tags = ['users']
  const path = '/api/v1/settings/two-factor'
  app.get(
    path,
    { schema: { tags, summary: 'The roles that need a second factor', response: { 200: TwoFactorRuleBody } } },
    () => readSecondFactorRule(services),
  )
  app.put<{ Body: Static<typeof TwoFactorRuleRequest> }>(
    path,
    {
      schema: {
        tags,
        summary: 'Say which roles need a second factor',
        body: TwoFactorRuleRequest,
        response: { 200: TwoFactorRuleBody },
      },
    },
    ({ actor, body }) => setSecondFactorRule(services, actor!, body.roles),
  )
  app.delete<WithId>(
    '/api/v1/users/:id/second-factor',
    {
      schema: {
        tags,
        summary: 'Remove the second factor of a user who has lost it; their sessions end',
        params: Id,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, actor }, reply) => {
      await resetTwoFactor(services, actor!, params.id)
      return reply.code(204).send()
    },
  )
  app.delete<WithId>(
    '/api/v1/users/:id/sessions',
    {
      schema: { tags, summary: 'End all sessions of a user', params: Id, response: { 200: EndedSessionsBody } },
    },
    async ({ params, actor }) => ({ ended: await endSessionsOf(services, actor!, params.id) }),
  )
}
