import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { CODE } from '../../base/error-catalogue.ts'
import { McpMessage, McpReplyBody } from '../../contract/bodies.ts'
import type { ApiCaller } from '../../mcp/mcp-server.ts'
import { sendFailure } from '../failure.ts'

/** The headers that the protocol defines. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version']

export function mcpRoutes(app: FastifyInstance, version: string): void {
  const tags = ['mcp']
  app.post<{ Body: Static<typeof McpMessage> }>(
    '/api/mcp',
    {
      schema: {
        tags,
        summary: 'The Model Context Protocol (streamable HTTP), for assistants',
        body: McpMessage,
        response: { 200: McpReplyBody, 202: Type.Null({ description: 'A notification was accepted' }) },
      },
    },
    async (request, reply) => {
      // Loads the SDK only when somebody uses MCP.
      const { answerMessage } = await import('../../mcp/answer-message.ts')
      const headers = HEADERS.flatMap((name) => {
        const value = request.headers[name]
        return value === undefined ? [] : [[name, String(value)]]
      })
      const answer = await answerMessage(request.body, Object.fromEntries(headers), version, callerOf(app, request))
      const type = answer.headers.get('content-type')
      if (type !== null) void reply.type(type)
      return reply.code(answer.status).send(await answer.text())
    },
  )
  for (const method of ['GET', 'DELETE'] as const)
    app.route({
      method,
      url: '/api/mcp',
      // A route that always answers 405 is not an operation.
      schema: { hide: true },
      handler: (_request, reply) =>
        sendFailure(
          reply.header('allow', 'POST'),
          CODE.method_not_allowed,
          'Send messages by POST: there is no stream to open here, and no session to end.',
        ),
    })
}

/** Each request goes through the whole API with the caller's own token: rights, checks, audit and messages are the API's. */
const callerOf = (app: FastifyInstance, { actor, headers: { authorization } }: FastifyRequest): ApiCaller => ({
  scopes: actor!.scopes,
  async call({ method, path, body, text, headers }) {
    const reply = await app.inject({
      method,
      url: `/api/v1${path}`,
      headers: { authorization, ...(text && { 'content-type': text.type }), ...headers },
      payload: text ? text.content : (body as object | undefined),
    })
    return { ok: reply.statusCode < 400, text: reply.payload }
  },
})
