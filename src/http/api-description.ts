// The OpenAPI description of the API, made from the routes' own schemas.
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { WebhookReplyBody } from '../contract/bodies.ts'
import { ErrorBody } from '../contract/error-body.ts'
import { ACCESS } from './access.ts'
import { CHECKED_BY_OPERATION, mayBeLeftOut } from './check-request.ts'
import { createSessionCookie } from './session-cookie.ts'

type Described = Record<string, unknown>

interface RequestBody {
  required?: boolean
  content: Record<string, { schema?: Described }>
}

export function describeApi(version: string, baseUrl: string, flowSchema: object): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Millrace', version, description: 'Flows started by webhooks, run durably.' },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
          session: { type: 'apiKey', in: 'cookie', name: createSessionCookie(baseUrl).name },
        },
      },
      security: [{ token: [] }, { session: [] }],
    },
    transform({ schema, url, route }) {
      const access = ACCESS[`${[route.method].flat()[0]} ${url}`]
      const response = { '4xx': ErrorBody, ...(schema.response as Described | undefined) }
      const security = access === 'open' ? { security: [] } : access === 'token' ? { security: [{ token: [] }] } : {}
      return { url, schema: { ...schema, response, ...security } }
    },
    transformObject(document) {
      if (!('openapiObject' in document)) return document.swaggerObject
      const { openapiObject } = document
      const { Flow, Step } = flowSchemas(flowSchema)
      const content = { schema: { $ref: '#/components/schemas/Flow' } }
      for (const operation of Object.values(openapiObject.paths ?? {}).flatMap((path) =>
        Object.values(path as object),
      )) {
        const { requestBody: body } = operation as { requestBody?: RequestBody }
        if (!body) continue
        const schema = body.content['application/json']?.schema
        body.required = !mayBeLeftOut(schema)
        if (schema?.[CHECKED_BY_OPERATION]) body.content = { 'application/json': content, 'application/yaml': content }
      }
      const components = { ...openapiObject.components, schemas: { Flow, Step } }
      const paths = { ...webhookPath('', DELIVER), ...webhookPath('/test', TEST), ...openapiObject.paths }
      return { ...openapiObject, components, paths } as typeof openapiObject
    },
  }
}

const DELIVER = 'Deliver an event: starts the flow that owns this webhook'
const TEST = 'Send a test request: kept as a sample, starts nothing'

/** Webhooks go past the router, so that their description is written here. */
function webhookPath(suffix: string, summary: string): Described {
  const json = (description: string, schema: object) => ({ description, content: { 'application/json': { schema } } })
  return {
    [`/api/v1/webhooks/{webhookId}${suffix}`]: {
      post: {
        tags: ['webhooks'],
        summary,
        security: [],
        parameters: [{ name: 'webhookId', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: { required: true, content: { 'application/json': { schema: {} } } },
        responses: {
          200: json('Received; the default body, unless the flow configures its reply', WebhookReplyBody),
          '4XX': json('Refused; nothing was started', ErrorBody),
          '5XX': json('Not taken on; try again after Retry-After', ErrorBody),
        },
      },
    },
  }
}

/** The document's schema stands by itself, with its own $defs; here its parts are components. */
function flowSchemas(flowSchema: object): { Flow: Described; Step: Described } {
  const text = JSON.stringify(flowSchema).replaceAll('"#/$defs/step"', '"#/components/schemas/Step"')
  const { $defs, ...Flow } = JSON.parse(text) as { $defs: { step: Described } }
  return { Flow, Step: $defs.step }
}
