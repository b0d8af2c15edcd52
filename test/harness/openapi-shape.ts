// The shape of an OpenAPI 3.1 document, as far as Millrace's goes: closed, so that a key in the wrong place is found.

const closed = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const ref = (name: string) => ({ $ref: `#/$defs/${name}` })
const mapOf = (schema: object) => ({ type: 'object', additionalProperties: schema })
const listOf = (schema: object) => ({ type: 'array', items: schema })
const text = { type: 'string', minLength: 1 }
const reference = closed({ $ref: { type: 'string', pattern: '^#/components/' } }, ['$ref'])

export const OPENAPI_SHAPE = {
  ...closed(
    {
      openapi: { const: '3.1.0' },
      info: closed({ title: text, version: text, description: text }, ['title', 'version']),
      servers: listOf(closed({ url: text }, ['url'])),
      tags: listOf(closed({ name: text, description: text }, ['name', 'description'])),
      security: ref('security'),
      paths: { type: 'object', patternProperties: { '^/': ref('path') }, additionalProperties: false },
      components: closed({
        schemas: mapOf(ref('schema')),
        examples: mapOf(closed({ value: {} }, ['value'])),
        securitySchemes: mapOf(
          closed({ type: text, scheme: text, in: { enum: ['cookie', 'header', 'query'] }, name: text }, ['type']),
        ),
      }),
    },
    ['openapi', 'info', 'tags', 'paths'],
  ),
  $defs: {
    security: listOf(mapOf({ type: 'array', maxItems: 0 })),
    schema: { type: 'object' },
    path: closed(
      Object.fromEntries(['get', 'post', 'put', 'patch', 'delete'].map((method) => [method, ref('operation')])),
    ),
    operation: closed(
      {
        operationId: { type: 'string', pattern: '^[a-z]+([A-Z][a-z]*)*$' },
        tags: { type: 'array', minItems: 1, maxItems: 1, items: text },
        summary: text,
        security: ref('security'),
        parameters: listOf(ref('parameter')),
        requestBody: closed({ required: { type: 'boolean' }, description: text, content: ref('content') }, ['content']),
        responses: {
          type: 'object',
          patternProperties: {
            '^([1-5](\\d\\d|XX)|default)$': closed({ description: text, content: ref('content') }, ['description']),
          },
          additionalProperties: false,
        },
      },
      ['operationId', 'tags', 'summary', 'responses'],
    ),
    parameter: closed(
      {
        name: text,
        in: { enum: ['path', 'query', 'header', 'cookie'] },
        required: { type: 'boolean' },
        description: text,
        schema: ref('schema'),
      },
      ['name', 'in', 'schema'],
    ),
    content: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^[\\w.+-]+/[\\w.+-]+$' },
      additionalProperties: closed({ schema: ref('schema'), example: {}, examples: mapOf(reference) }, ['schema']),
    },
  },
}
