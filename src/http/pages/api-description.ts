// The OpenAPI description of the API, made from the routes' own schemas.
import { STATUS_CODES } from 'node:http'
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { TSchema } from 'typebox'
import { WebhookReplyBody } from '../../contract/bodies.ts'
import { ErrorBody } from '../../contract/error-body.ts'
import { exampleOf, FLOW_DOCUMENT } from '../../contract/examples.ts'
import { ACCESS } from '../access/access.ts'
import { createSessionCookie } from '../access/session-cookie.ts'
import { CHECKED_BY_OPERATION, mayBeLeftOut } from '../check-request.ts'
import { jsonAs, textAs } from '../routes/sent-as.ts'
import { OPERATION_IDS, TAGS } from './operation-ids.ts'

type Described = Record<string, unknown>

interface RequestBody {
  required?: boolean
  content: Record<string, { schema?: Described; example?: unknown }>
}

interface Operation {
  requestBody?: RequestBody
  responses: Record<string, { description: string }>
}

/** The routes that show the description itself. */
export const DESCRIPTION = {
  tags: ['system'],
  summary: 'This description',
  response: { 200: jsonAs('An OpenAPI document', { type: 'object' }, { openapi: '3.1.0' }) },
}
export const REFERENCE = {
  tags: ['system'],
  summary: 'This description as a page',
  response: { 200: textAs('text/html', 'A page', '<!doctype html>…') },
}

export function describeApi(version: string, baseUrl: string, flowSchema: object): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Millrace', version, description: 'Webhooks start flows, which run durably.' },
      servers: [{ url: baseUrl }],
      tags: [...TAGS],
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
          session: { type: 'apiKey', in: 'cookie', name: createSessionCookie(baseUrl).name },
        },
      },
      security: [{ token: [] }, { session: [] }],
    },
    transform({ schema, url, route }) {
      const name = `${[route.method].flat()[0]} ${url}`
      const access = ACCESS[name]
      const security = access === 'open' ? { security: [] } : access === 'token' ? { security: [{ token: [] }] } : {}
      const replies = Object.entries((schema.response ?? {}) as Record<string, TSchema>)
      const response = Object.fromEntries(replies.map(([status, reply]) => [status, withExample(reply)]))
      const body = schema.body ? { body: withExample(schema.body as TSchema) } : {}
      const operationId = OPERATION_IDS[name]
      return { url, schema: { ...schema, ...(operationId && { operationId }), response, ...body, ...security } }
    },
    transformObject(document) {
      if (!('openapiObject' in document)) return document.swaggerObject
      const { openapiObject } = document
      const operations = Object.values(openapiObject.paths ?? {}).flatMap((path) => Object.values(path as object))
      for (const operation of operations as Operation[]) {
        describeBody(operation.requestBody)
        for (const [status, reply] of Object.entries(operation.responses))
          if (reply.description === UNDESCRIBED) reply.description = STATUS_CODES[status] ?? status
        operation.responses['4XX'] = REFUSED
      }
      const components = {
        ...openapiObject.components,
        schemas: { ...flowSchemas(flowSchema), Error: ErrorBody },
        examples: { Error: { value: exampleOf(ErrorBody) } },
      }
      const paths = {
        ...webhookPath('', DELIVER),
        ...webhookPath('/test', TEST),
        ...callbackPath(),
        ...openapiObject.paths,
      }
      return { ...openapiObject, components, paths } as typeof openapiObject
    },
  }
}

/** The placeholder for a missing description. */
const UNDESCRIBED = 'Default Response'

/** It becomes the example of the body. */
function withExample(schema: TSchema): TSchema {
  const shown = exampleOf(schema)
  return shown === undefined ? schema : { ...schema, examples: [shown] }
}

/** The API accepts flows as JSON and as YAML. */
function describeBody(body: RequestBody | undefined): void {
  if (!body) return
  const schema = (body.content['application/json'] ?? Object.values(body.content)[0])?.schema
  body.required = !mayBeLeftOut(schema)
  if (!schema?.[CHECKED_BY_OPERATION]) return
  const content = { schema: { $ref: '#/components/schemas/Flow' }, example: FLOW_DOCUMENT }
  body.content = { 'application/json': content, 'application/yaml': content }
}

const refused = (description: string) => ({
  description,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      examples: { error: { $ref: '#/components/examples/Error' } },
    },
  },
})
const REFUSED = refused('Refused; the code and the message say why')

const DELIVER = 'Deliver an event: starts the flow that owns this webhook'
const TEST = 'Send a test request: keeps a sample, starts nothing'

/** Webhooks bypass the router, so their description is written here. */
function webhookPath(suffix: string, summary: string): Described {
  const reply = { schema: WebhookReplyBody, example: exampleOf(WebhookReplyBody) }
  return {
    [`/api/v1/webhooks/{webhookId}${suffix}`]: {
      post: {
        operationId: OPERATION_IDS[`POST /api/v1/webhooks/:webhookId${suffix}`],
        tags: ['webhooks'],
        summary,
        security: [],
        parameters: [{ name: 'webhookId', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: { required: true, content: { 'application/json': { schema: {}, example: { name: 'Ada' } } } },
        responses: {
          200: {
            description: 'Received; the default body, unless the flow configures its reply',
            content: { 'application/json': reply },
          },
          '4XX': refused('Refused; nothing was started'),
          '5XX': refused('Not accepted; try again after Retry-After'),
        },
      },
    },
  }
}

const TOKEN_PARAMETER = [{ name: 'token', in: 'path', required: true, schema: { type: 'string' } }]

/** Callbacks bypass the router too. */
function callbackPath(): Described {
  const reply = { schema: WebhookReplyBody, example: { ...CALLBACK_REPLY } }
  return {
    '/api/v1/callbacks/{token}': {
      post: {
        operationId: OPERATION_IDS['POST /api/v1/callbacks/:token'],
        tags: ['callbacks'],
        summary: 'Answer a run that waits: for a callback, or for an approval (a form, or JSON with answer and fields)',
        security: [],
        parameters: TOKEN_PARAMETER,
        requestBody: { required: true, content: { 'application/json': { schema: {}, example: { state: 'done' } } } },
        responses: {
          200: { description: 'Taken, noted, or answered already', content: { 'application/json': reply } },
          '4XX': refused('Refused; 410: nobody can answer any more'),
          '5XX': refused('Not accepted; try again after Retry-After'),
        },
      },
      get: {
        operationId: OPERATION_IDS['GET /api/v1/callbacks/:token'],
        tags: ['callbacks'],
        summary: 'The page of an approval; it answers nothing',
        security: [],
        parameters: TOKEN_PARAMETER,
        responses: {
          200: {
            description: 'The page',
            content: { 'text/html': { schema: { type: 'string' }, example: '<!doctype html>…' } },
          },
          '4XX': refused('405: a callback takes POST only'),
        },
      },
    },
  }
}

const CALLBACK_REPLY = { status: 'success', message: 'Callback received', id: 'run_01m7h4zv0n1k5g7c8m2q4r6t8w' }

/** The document's schema stands by itself, with its own $defs; here its parts are components. */
function flowSchemas(flowSchema: object): { Flow: Described; Step: Described } {
  const text = JSON.stringify(flowSchema).replaceAll('"#/$defs/step"', '"#/components/schemas/Step"')
  const { $defs, ...Flow } = JSON.parse(text) as { $defs: { step: Described } }
  return { Flow, Step: $defs.step }
}
