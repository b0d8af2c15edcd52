import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { PageQuery, pageOf } from '../../contract/bodies.ts'
import {
  AuthorizationBody,
  ConnectionBody,
  ConnectionChangeRequest,
  ConnectionRequest,
  ConnectionTestBody,
  ConnectionTestRequest,
  SecretConnectionRequest,
} from '../../contract/connection-bodies.ts'
import {
  AUTHORIZATION_MS,
  beginAuthorization,
  finishAuthorization,
} from '../../operations/connections/authorize-connection.ts'
import { deleteConnection } from '../../operations/connections/delete-connection.ts'
import { listConnections, readConnection } from '../../operations/connections/read-connections.ts'
import { createConnection, replaceConnection } from '../../operations/connections/save-connection.ts'
import { testConnection } from '../../operations/connections/test-connection.ts'
import { connectionFromSecret } from '../../operations/flows/move-secret.ts'
import type { Services } from '../../operations/services.ts'
import { cookieOf } from '../access/cookies.ts'
import { authorizationPage } from '../pages/authorization-page.ts'
import { pageFrom } from '../pages/page.ts'
import { textAs } from './sent-as.ts'

const Name = Type.Object({ name: Type.String() })
const FlowId = Type.Object({ id: Type.String() })
/** Authorization servers may add any parameters. */
const CallbackQuery = Type.Object({
  state: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
  error_description: Type.Optional(Type.String()),
})
const CALLBACK = '/api/v1/oauth/callback'
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
    async ({ body, actor }, reply) => reply.code(201).send(await createConnection(services, actor!, body)),
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
    ({ params, body, actor }) => replaceConnection(services, actor!, params.name, body),
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
    async ({ params, actor }, reply) => {
      await deleteConnection(services, actor!, params.name)
      return reply.code(204).send()
    },
  )
  app.post<WithName>(
    '/api/v1/connections/:name/authorize',
    {
      schema: {
        tags,
        summary: 'The URL where a person agrees to an OAuth connection',
        params: Name,
        response: { 200: AuthorizationBody },
      },
    },
    async ({ params, actor, headers }, reply) => {
      // A caller with a token is a script; the browser that opens the URL is another one.
      const byBrowser = headers.authorization === undefined
      const { url, browser } = await beginAuthorization(services, actor!, params.name, byBrowser)
      if (browser) keepInBrowser(reply, services.baseUrl, browser.name, browser.secret)
      return { url }
    },
  )
  app.post<WithName & { Body: Static<typeof ConnectionTestRequest> }>(
    '/api/v1/connections/:name/test',
    {
      schema: {
        tags,
        summary: 'Test a connection: sends a GET with its credentials, and says what the reply means',
        params: Name,
        body: ConnectionTestRequest,
        response: { 200: ConnectionTestBody },
      },
    },
    ({ params, body, actor }) => testConnection(services, actor!, params.name, body.url),
  )
  app.post<{ Params: Static<typeof FlowId>; Body: Static<typeof SecretConnectionRequest> }>(
    '/api/v1/flows/:id/secrets/move',
    {
      schema: {
        tags,
        summary: "Create a connection from a secret in a flow's draft, which stays as it is",
        params: FlowId,
        body: SecretConnectionRequest,
        response: { 201: ConnectionBody },
      },
    },
    async ({ params, body, actor }, reply) =>
      reply.code(201).send(await connectionFromSecret(services, actor!, params.id, body)),
  )
  app.get<{ Querystring: Static<typeof CallbackQuery> }>(
    CALLBACK,
    {
      // A HEAD request would spend the state.
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: 'Authorization servers send browsers here; answers with a page',
        querystring: CallbackQuery,
        response: { 200: textAs('text/html', 'A page with the result', '<!doctype html>…') },
      },
    },
    async ({ query, headers }, reply) => {
      const finished = await finishAuthorization(services, {
        state: query.state,
        code: query.code,
        error: query.error,
        errorDescription: query.error_description,
        cookie: (name) => cookieOf(headers.cookie, name),
      })
      return authorizationPage(reply, finished)
    },
  )
}

/** The browser sends it only to the callback, even when the authorization server's page leads there. */
function keepInBrowser(reply: FastifyReply, baseUrl: string, name: string, secret: string): void {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
  void reply.header(
    'set-cookie',
    `${name}=${secret}; Path=${CALLBACK}; Max-Age=${AUTHORIZATION_MS / 1000}; HttpOnly; SameSite=Lax${secure}`,
  )
}
