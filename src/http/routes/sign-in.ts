import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import {
  AcceptInvitationRequest,
  ChangePasswordRequest,
  InvitationRequest,
  OfferedInvitationBody,
  SessionBody,
  SetUpRequest,
  SignedInBody,
  SignInRequest,
  SignInStateBody,
} from '../../contract/access-bodies.ts'
import { acceptInvitation, readInvitation } from '../../operations/access/invitations.ts'
import { findSession, type OpenSession } from '../../operations/access/sessions.ts'
import { setUp } from '../../operations/access/set-up.ts'
import { changePassword, signIn, signOut } from '../../operations/access/sign-in.ts'
import type { Services } from '../../operations/services.ts'
import { createDeviceCookie } from '../access/device-cookie.ts'
import { fromOf } from '../access/from.ts'
import type { KeepAlive, SessionCookie } from '../access/session-cookie.ts'
import { type ClientAddress, networkOf } from '../client-address.ts'

export function signInRoutes(
  app: FastifyInstance,
  services: Services,
  cookie: SessionCookie,
  keepAlive: KeepAlive,
  clientAddress: ClientAddress,
): void {
  const tags = ['sign-in']
  const network = (request: FastifyRequest) => networkOf(clientAddress(request.raw))
  const from = (request: FastifyRequest) => fromOf(request, clientAddress)
  const tokenOf = (request: FastifyRequest) => cookie.read(request.headers.cookie)
  const sessionOf = async (request: FastifyRequest, reply: FastifyReply) => {
    void reply.header('cache-control', 'no-store')
    const token = tokenOf(request)
    const session = token === null ? null : await findSession(services, token)
    return session && keepAlive(reply, session)
  }
  const deviceCookie = createDeviceCookie(services.baseUrl, services.access.devices)
  const signedIn = (reply: FastifyReply, { token, user, expiresAt }: OpenSession) => {
    const device = deviceCookie.set(reply.request.headers.cookie, user.email)
    const cookies = [cookie.set(token, expiresAt), ...(device === null ? [] : [device])]
    return reply.header('cache-control', 'no-store').header('set-cookie', cookies).send({ user })
  }

  app.get(
    '/api/auth/state',
    {
      schema: {
        tags,
        summary: 'Whether Millrace has an owner, and who is signed in',
        response: { 200: SignInStateBody },
      },
    },
    async (request, reply) => {
      const session = await sessionOf(request, reply)
      const { users, sso } = services.access
      return {
        setup: !(await users.isSetUp()),
        user: session?.actor.user ?? null,
        providers: sso.providers.map(({ id, name }) => ({ id, name })),
        passwords: !sso.only,
        twoFactorSetup: session?.confined ?? false,
      }
    },
  )
  app.get(
    '/api/auth/get-session',
    { schema: { tags, summary: 'The session of the cookie, or null', response: { 200: SessionBody } } },
    async (request, reply) => {
      const session = await sessionOf(request, reply)
      const body = session && {
        session: { expiresAt: new Date(session.expiresAt).toISOString() },
        user: session.actor.user,
      }
      // Fastify would send nothing at all for null.
      return reply.type('application/json').send(JSON.stringify(body))
    },
  )
  app.post<{ Body: Static<typeof SetUpRequest> }>(
    '/api/auth/setup',
    {
      schema: {
        tags,
        summary: 'Make the first owner, with the code of the link in the log; only until there is one',
        body: SetUpRequest,
        response: { 200: SignedInBody },
      },
    },
    async (request, reply) => signedIn(reply, await setUp(services, request.body, from(request))),
  )
  app.post<{ Body: Static<typeof SignInRequest> }>(
    '/api/auth/sign-in/email',
    { schema: { tags, summary: 'Sign in', body: SignInRequest, response: { 200: SignedInBody } } },
    async (request, reply) => {
      const device = deviceCookie.read(request.headers.cookie)
      return signedIn(reply, await signIn(services, request.body, from(request), device))
    },
  )
  app.post(
    '/api/auth/sign-out',
    { schema: { tags, summary: 'End the session of the cookie', response: { 204: Type.Null() } } },
    async (request, reply) => {
      const token = tokenOf(request)
      if (token !== null) await signOut(services, token)
      return reply.header('set-cookie', cookie.clear()).code(204).send()
    },
  )
  app.post<{ Body: Static<typeof ChangePasswordRequest> }>(
    '/api/auth/change-password',
    {
      schema: {
        tags,
        summary: 'Change your password; your other sessions end',
        body: ChangePasswordRequest,
        response: { 200: SignedInBody },
      },
    },
    async (request, reply) =>
      signedIn(reply, await changePassword(services, request.actor!.user!, request.body, from(request))),
  )
  // A POST, so that the code is in no URL and in no log of URLs.
  app.post<{ Body: Static<typeof InvitationRequest> }>(
    '/api/auth/invitation',
    {
      schema: {
        tags,
        summary: 'What an invitation offers',
        body: InvitationRequest,
        response: { 200: OfferedInvitationBody },
      },
    },
    async (request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .send(await readInvitation(services, request.body.code, network(request))),
  )
  app.post<{ Body: Static<typeof AcceptInvitationRequest> }>(
    '/api/auth/accept-invitation',
    {
      schema: {
        tags,
        summary: 'Become a user with an invitation',
        body: AcceptInvitationRequest,
        response: { 200: SignedInBody },
      },
    },
    async (request, reply) => signedIn(reply, await acceptInvitation(services, request.body, from(request))),
  )
}
