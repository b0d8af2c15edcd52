import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { IdentityBody, LogoutForm, ProviderUrlBody } from '../../../contract/access/sign-in-bodies.ts'
import { findSession } from '../../../operations/access/sessions.ts'
import { endAtProvider } from '../../../operations/access/single-sign-on/end-at-provider.ts'
import { listIdentities, unlinkIdentity } from '../../../operations/access/single-sign-on/identities.ts'
import { beginAtProvider, finishAtProvider } from '../../../operations/access/single-sign-on/sign-in-by-provider.ts'
import { OidcRefused } from '../../../operations/ports/sign-in/oidc-client.ts'
import type { Services } from '../../../operations/services.ts'
import { fromOf } from '../../access/from.ts'
import { createProviderCookie } from '../../access/provider-cookie.ts'
import type { SessionCookie } from '../../access/session-cookie.ts'
import type { ClientAddress } from '../../client-address.ts'
import { signInFailedPage } from '../../pages/sign-in-failed-page.ts'
import { textAs } from '../sent-as.ts'

const Provider = Type.Object({ provider: Type.String() })
const BeginQuery = Type.Object({
  to: Type.Optional(Type.String({ maxLength: 2000, description: 'The path to go to afterwards' })),
})
const Id = Type.Object({ id: Type.String() })
type OfProvider = { Params: Static<typeof Provider> }

/** A path of this site. Anything else would lead people elsewhere after they have signed in. */
const pathOf = (to: string | undefined): string => (to !== undefined && /^\/(?![/\\])[^\s\\]*$/.test(to) ? to : '/')

const AFTER_LINKING = '/settings/profile'
const FAILED_PAGE = textAs('text/html', 'A page that says why nobody was signed in', '<!doctype html>…')
const GOES_ON = { description: 'Sends the browser on', type: 'null' } as const

export function singleSignOnRoutes(
  app: FastifyInstance,
  services: Services,
  cookie: SessionCookie,
  clientAddress: ClientAddress,
): void {
  const tags = ['sign-in']
  const providerCookie = createProviderCookie(services.baseUrl)
  const goTo = (reply: FastifyReply, url: string) =>
    reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(url, 303)

  app.get<OfProvider & { Querystring: Static<typeof BeginQuery> }>(
    '/api/auth/oidc/:provider',
    {
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: 'Send the browser to a provider of single sign-on',
        params: Provider,
        querystring: BeginQuery,
        response: { 303: GOES_ON, 502: FAILED_PAGE },
      },
    },
    async ({ params, query }, reply) => {
      try {
        const begun = await beginAtProvider(services, params.provider, null, pathOf(query.to))
        return goTo(reply.header('set-cookie', providerCookie.set(begun.cookie)), begun.url)
      } catch (error) {
        if (!(error instanceof OidcRefused)) throw error
        return signInFailedPage(reply, 502, error.message)
      }
    },
  )
  app.get<OfProvider>(
    '/api/auth/oidc/:provider/callback',
    {
      // A HEAD request would spend the code.
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: 'Providers send browsers here; opens a session, or answers with a page that says why not',
        params: Provider,
        response: { 303: GOES_ON, 403: FAILED_PAGE },
      },
    },
    async (request, reply) => {
      const { headers, params } = request
      const token = cookie.read(headers.cookie)
      const session = token === null ? null : await findSession(services, token)
      // Each attempt uses up what was begun.
      const cookies = [providerCookie.clear()]
      try {
        const finished = await finishAtProvider(services, {
          provider: params.provider,
          parameters: new URL(request.raw.url!, services.baseUrl).searchParams,
          cookie: providerCookie.read(headers.cookie),
          session: session && { id: session.id, user: session.actor.user },
          from: fromOf(request, clientAddress),
        })
        if (finished.session) cookies.push(cookie.set(finished.session.token, finished.session.expiresAt))
        return goTo(reply.header('set-cookie', cookies), finished.to)
      } catch (error) {
        if (!(error instanceof OidcRefused)) throw error
        return signInFailedPage(reply.header('set-cookie', cookies), 403, error.message)
      }
    },
  )
  // A POST, so that no other site can begin it.
  app.post<OfProvider>(
    '/api/auth/oidc/:provider/link',
    {
      schema: {
        tags,
        summary: 'Link your account at a provider: the browser has to go to the URL',
        params: Provider,
        response: { 200: ProviderUrlBody },
      },
    },
    async ({ params, headers }, reply) => {
      const session = cookie.read(headers.cookie)!
      const begun = await beginAtProvider(services, params.provider, session, AFTER_LINKING)
      return reply.header('set-cookie', providerCookie.set(begun.cookie)).send({ url: begun.url })
    },
  )
  app.get(
    '/api/auth/identities',
    {
      schema: {
        tags,
        summary: 'Your accounts at providers',
        response: { 200: Type.Object({ items: Type.Array(IdentityBody) }) },
      },
    },
    async ({ actor }) => ({ items: await listIdentities(services, actor!.user!) }),
  )
  app.delete<{ Params: Static<typeof Id> }>(
    '/api/auth/identities/:id',
    {
      schema: {
        tags,
        summary: 'Unlink an account at a provider; the sessions that it opened end',
        params: Id,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, actor }, reply) => {
      await unlinkIdentity(services, actor!.user!, params.id)
      return reply.code(204).send()
    },
  )
}

const MAX_FORM = 16_384

export function backChannelRoutes(app: FastifyInstance, services: Services, clientAddress: ClientAddress): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM },
    (_request, body, done) => {
      const token = new URLSearchParams(body as string).get('logout_token')
      done(null, token === null ? {} : { logout_token: token })
    },
  )
  app.post<OfProvider & { Body: Static<typeof LogoutForm> }>(
    '/api/auth/oidc/:provider/backchannel-logout',
    {
      schema: {
        tags: ['sign-in'],
        summary: 'Providers end sessions here (OpenID Connect Back-Channel Logout 1.0)',
        consumes: ['application/x-www-form-urlencoded'],
        params: Provider,
        body: LogoutForm,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { network } = fromOf(request, clientAddress)
      await endAtProvider(services, request.params.provider, request.body.logout_token, network)
      return reply.header('cache-control', 'no-store').code(204).send()
    },
  )
}
