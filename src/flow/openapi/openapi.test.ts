import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stepKinds } from '../../steps/index.ts'
import { parseTemplate } from '../expression/index.ts'
import { formatFlowYaml } from '../flow-text.ts'
import { publishIssues, validate } from '../validate/validate.ts'
import { importOperation } from './import-operation.ts'
import { findOperation, OpenApiError, readOpenApi } from './read-openapi.ts'

const described = (paths: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://api.example.com/v1/' }],
  paths,
  ...more,
})

function imported(document: object, wanted?: string) {
  const api = readOpenApi(JSON.stringify(document))
  return importOperation(api, wanted === undefined ? api.operations[0]! : findOperation(api, wanted)!)
}

const settingsOf = (operation: object, more: object = {}) =>
  imported(described({ '/a': { post: operation } }, more)).settings
const notTakenOf = (operation: object, more: object = {}) =>
  imported(described({ '/a': { post: operation } }, more)).notTaken.map(({ what }) => what)
const json = (media: object) => ({ requestBody: { content: { 'application/json': media } } })

describe('reading a description', () => {
  it('lists operations, of JSON and YAML alike', () => {
    const document = described(
      {
        '/orders': { get: { summary: 'All' }, post: { operationId: 'createOrder' }, trace: {}, parameters: [] },
        '/orders/{id}': { $ref: '#/components/pathItems/order' },
      },
      { components: { pathItems: { order: { delete: {} } } } },
    )
    for (const text of [JSON.stringify(document), formatFlowYaml(document)]) {
      const api = readOpenApi(text)
      expect(api.operations.map(({ name }) => name)).toEqual(['GET /orders', 'POST /orders', 'DELETE /orders/{id}'])
      expect(api.operations[0]).toMatchObject({ operationId: null, summary: 'All' })
      expect(findOperation(api, 'createOrder')?.name).toBe('POST /orders')
      expect(findOperation(api, 'delete /orders/{id}')?.method).toBe('DELETE')
      expect(findOperation(api, 'patch /orders')).toBeNull()
    }
  })

  it.each([
    ['not valid JSON', '{"openapi": "3.0.0"'],
    ['Line 1', 'a: ['],
    ['Swagger 2.0', 'swagger: "2.0"'],
    ['not an OpenAPI 3', '{}'],
    ['not an OpenAPI 3', 'openapi: 3'],
    ['not an OpenAPI 3', 'just text'],
    ['250 levels', `{"openapi":"3.0.0","x":${'['.repeat(300)}${']'.repeat(300)}}`],
    ['million characters', ' '.repeat(20_000_001)],
    ['contains itself', 'openapi: 3.0.0\na: &a [*a]'],
    [
      '250 levels',
      `openapi: 3.0.0\na0: &a0 []\n${Array.from({ length: 260 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}]`).join('\n')}`,
    ],
    [
      'aliases',
      `openapi: 3.0.0\na0: &a0 []\n${Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`).join('\n')}`,
    ],
  ])('says "%s"', (message, text) => {
    expect(() => readOpenApi(text)).toThrow(OpenApiError)
    expect(() => readOpenApi(text)).toThrow(message)
  })
})

describe('the URL', () => {
  it('takes the nearest server, its variables by their defaults, and path parameters by their examples', () => {
    const document = described(
      {
        '/orders/{id}/{kind}/{line-no}': {
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'kind', in: 'path', required: true, schema: { enum: ['a/b', 'c'] } },
          ],
          get: { parameters: [{ name: 'id', in: 'path', required: true, example: [1, 2] }] },
        },
      },
      {
        servers: [
          {
            url: 'https://{region}.example.com/{base}',
            variables: { region: { default: 'eu', enum: ['eu', 'us'] }, base: { default: 'v2' } },
          },
          { url: 'https://sandbox.example.com' },
        ],
      },
    )
    const { settings, notTaken } = imported(document)
    expect(settings).toEqual({
      method: 'GET',
      url: 'https://eu.example.com/v2/orders/1%2C2/a%2Fb/{{ vars["line-no"] }}',
    })
    expect(notTaken.map(({ what }) => what)).toEqual([
      'https://sandbox.example.com',
      'region (server)',
      'base (server)',
      'line-no (path)',
    ])
    expect(notTaken[1]!.reason).toContain('us')
  })

  it.each([
    [undefined, '{{ config.API_URL }}/a'],
    [[], '{{ config.API_URL }}/a'],
    [[{ url: '/' }], '{{ config.API_URL }}/a'],
    [[{ url: 'v1' }], '{{ config.API_URL }}/v1/a'],
    [[{ url: '/v1/' }], '{{ config.API_URL }}/v1/a'],
    [[{ url: 7 }], '{{ config.API_URL }}/a'],
  ])('asks for the host where the server is %j', (servers, url) => {
    const { settings, notTaken } = imported(described({ '/a': { get: {} } }, { servers }))
    expect(settings.url).toBe(url)
    expect(notTaken).toMatchObject([{ what: 'Server' }])
  })
})

describe('parameters', () => {
  it('are written in the style that they ask for', () => {
    const query = (name: string, example: unknown, more: object = {}) => ({
      name,
      in: 'query',
      required: true,
      example,
      ...more,
    })
    const { settings } = imported(
      described(
        {
          '/a': {
            get: {
              parameters: [
                query('list', [1, 'b']),
                query('joined', [1, 2], { explode: false }),
                query('piped', [1, 2], { style: 'pipeDelimited', explode: false }),
                query('object', { x: 1, y: true }),
                query('deep', { x: 1 }, { style: 'deepObject' }),
                {
                  name: 'filter',
                  in: 'query',
                  required: true,
                  content: { 'application/json': { example: { a: [1] } } },
                },
                {
                  name: 'named',
                  in: 'query',
                  required: true,
                  examples: { one: { $ref: '#/components/examples/one' } },
                },
                { name: 'X-Ids', in: 'header', required: true, example: [1, 2] },
                { name: 'Accept', in: 'header', required: true, example: 'x' },
                { name: 'sid', in: 'cookie', required: true, example: 's' },
                { name: 'lang', in: 'cookie', required: true, schema: { default: 'en' } },
              ],
            },
          },
        },
        { components: { examples: { one: { value: 'first' } } } },
      ),
    )
    expect(settings.query!.map(({ name, value }) => `${name}=${value}`)).toEqual([
      'list=1',
      'list=b',
      'joined=1,2',
      'piped=1|2',
      'x=1',
      'y=true',
      'deep[x]=1',
      'filter={"a":[1]}',
      'named=first',
    ])
    expect(settings.headers).toEqual([
      { name: 'X-Ids', value: '1,2' },
      { name: 'Cookie', value: 'sid=s; lang=en' },
    ])
  })

  it('that may be left out are, and are named', () => {
    expect(
      notTakenOf({
        parameters: [
          { name: 'limit', in: 'query' },
          { name: 'X-Trace', in: 'header', example: 'x' },
          { $ref: 'other.yaml#/p' },
          { name: 'q', in: 'query', required: true, allowReserved: true },
        ],
      }),
    ).toEqual(['other.yaml#/p', 'q (query)', 'allowReserved of q', 'limit (query), X-Trace (header)'])
  })
})

describe('what cannot be published', () => {
  const whole = (operation: object, more: object = {}) => imported(described({ '/a': { post: operation } }, more))

  it('is left out of the headers and the query, or a variable stands for it, and the notes say so', () => {
    const parameter = (place: string, name: string, example: unknown = 'x') => ({
      name,
      in: place,
      required: true,
      example,
    })
    const { settings, notTaken } = whole({
      parameters: [
        parameter('header', 'Content-Length', '12'),
        parameter('header', 'X Y'),
        parameter('header', 'X-Name', '日本'),
        parameter('header', 'X-Kept'),
        parameter('query', 'lines', 'a\nb'),
        parameter('query', 'all', { '': 1, kept: 2 }),
      ],
    })
    expect(settings).toEqual({
      method: 'POST',
      url: 'https://api.example.com/v1/a',
      headers: [
        { name: 'X-Name', value: '{{ vars["X-Name"] }}' },
        { name: 'X-Kept', value: 'x' },
      ],
      query: [
        { name: 'lines', value: '{{ vars.lines }}' },
        { name: 'kept', value: '2' },
      ],
    })
    expect(notTaken.map(({ what }) => what)).toEqual([
      'Content-Length (header)',
      'X Y (header)',
      'X-Name (header)',
      'A value (query)',
      'lines (query)',
    ])
    const security = [{ key: [] }]
    const securitySchemes = { key: { type: 'apiKey', in: 'header', name: 'Content-Length' } }
    expect(whole({ security }, { components: { securitySchemes } })).toMatchObject({
      settings: { url: 'https://api.example.com/v1/a' },
      notTaken: [{ what: 'key', reason: expect.stringContaining('not supported') }],
    })
  })

  it.each(['', 'json', 'text/', 'a b/c', '{{ x }}/json'])('is replaced where it is the content type %j', (type) => {
    const { settings, notTaken } = whole({ requestBody: { content: { [type]: { example: { a: 1 } } } } })
    expect(settings).toMatchObject({ body: { kind: 'json', value: { a: 1 } } })
    expect(settings.headers).toBeUndefined()
    expect(notTaken).toEqual([
      { what: type || 'A type without a name', reason: 'The body is sent as application/json.' },
    ])
  })

  it.each(['https://', 'https://x.example:0/v1', 'https://a b/v1', 'ftp://x.example', 'mailto:ada@x.example'])(
    'is no server: %s',
    (url) => {
      const { settings, notTaken } = whole({}, { servers: [{ url }] })
      expect(settings.url).toBe('{{ config.API_URL }}/a')
      expect(notTaken).toMatchObject([{ what: 'Server', reason: expect.stringContaining('cannot be called') }])
    },
  )

  it('is escaped in the URL, and credentials go out of it', () => {
    const servers = [{ url: 'https://ada:s3cr3t@x.example/v 1/' }]
    const { settings, notTaken } = imported(described({ 'a/ü/%': { get: {} } }, { servers }))
    expect(settings.url).toBe('https://x.example/v%201/a/%C3%BC/%25')
    expect(notTaken).toMatchObject([{ what: 'Credentials in the URL of the server' }])
  })
})

describe('the body', () => {
  it('is the example, wherever it stands', () => {
    const value = { a: [1, { b: null }] }
    for (const media of [
      { example: value },
      { examples: { first: { value } } },
      { schema: { example: value } },
      { schema: { examples: [value] } },
      { schema: { $ref: '#/components/schemas/order' } },
    ]) {
      const more = { components: { schemas: { order: { default: value } } } }
      expect(settingsOf(json(media), more).body).toEqual({ kind: 'json', value })
      expect(notTakenOf(json(media), more)).toEqual([])
    }
  })

  it('is made from the schema: what is required, or all where nothing is', () => {
    const schema = {
      required: ['id', 'lines', 'who', 'choice'],
      properties: {
        id: { type: 'integer', minimum: 1 },
        note: { type: 'string' },
        at: { type: 'string', readOnly: true },
        lines: { type: 'array', items: { properties: { sku: { type: ['null', 'string'] }, count: { default: 2 } } } },
        who: {
          allOf: [
            { $ref: '#/components/schemas/person' },
            { required: ['age'], properties: { age: { type: 'number' } } },
          ],
        },
        choice: { oneOf: [{ type: 'null' }, { const: 'x' }] },
      },
    }
    const more = {
      components: {
        schemas: {
          person: {
            required: ['name'],
            properties: { name: { type: 'string' }, boss: { $ref: '#/components/schemas/person' } },
          },
        },
      },
    }
    expect(settingsOf(json({ schema }), more).body).toEqual({
      kind: 'json',
      value: { id: 1, lines: [{ sku: '', count: 2 }], who: { name: '', age: 0 }, choice: 'x' },
    })
    expect(notTakenOf(json({ schema }), more)).toEqual(['Body', 'note, who.boss'])
  })

  it('is of the type that suits best, and the others are named', () => {
    const body = (content: object) => settingsOf({ requestBody: { content } })
    expect(body({ 'text/plain': {}, 'application/merge-patch+json': { example: 1 } })).toMatchObject({
      headers: [{ name: 'Content-Type', value: 'application/merge-patch+json' }],
      body: { kind: 'json', value: 1 },
    })
    expect(body({ '*/*': { example: 'x' } }).body).toEqual({ kind: 'json', value: 'x' })
    expect(body({ 'application/x-www-form-urlencoded': { example: { a: [1, 2], b: { c: 1 } } } }).body).toEqual({
      kind: 'form',
      fields: [
        { name: 'a', value: '1' },
        { name: 'a', value: '2' },
        { name: 'b', value: '{"c":1}' },
      ],
    })
    const upload = { schema: { properties: { file: { type: 'string', format: 'binary' }, title: { example: 'T' } } } }
    expect(body({ 'multipart/form-data': upload }).body).toEqual({
      kind: 'form',
      fields: [{ name: 'title', value: 'T' }],
      multipart: true,
    })
    expect(notTakenOf({ requestBody: { content: { 'multipart/form-data': upload, 'image/png': {} } } })).toEqual([
      'image/png',
      'Body',
      'file',
    ])
    expect(body({ 'text/xml': { example: '<a/>' } }).body).toEqual({
      kind: 'text',
      value: '<a/>',
      contentType: 'text/xml',
    })
    expect(notTakenOf({ requestBody: { content: { 'application/pdf': {} } } })).toEqual(['Body (application/pdf)'])
    expect(notTakenOf({ requestBody: { $ref: '#/none' } })).toEqual(['Body'])
    expect(imported(described({ '/a': { head: json({ example: 1 }) } })).settings.body).toBeUndefined()
  })
})

describe('security', () => {
  const schemes = {
    basic: { type: 'http', scheme: 'Basic' },
    'Bearer-Token': { type: 'http', scheme: 'bearer' },
    headerKey: { type: 'apiKey', in: 'header', name: 'X-Key' },
    queryKey: { type: 'apiKey', in: 'query', name: 'key' },
    cookieKey: { type: 'apiKey', in: 'cookie', name: 'sid' },
    oauth: { type: 'oauth2' },
    tls: { type: 'mutualTLS' },
  }
  const secured = (...security: object[]) =>
    imported(
      described(
        { '/a': { get: { security } } },
        { components: { securitySchemes: schemes }, security: [{ basic: [] }] },
      ),
    )

  it.each([
    [
      'basic',
      { kind: 'basic', username: '{{ connections.basic.username }}', password: '{{ connections.basic.password }}' },
    ],
    ['Bearer-Token', { kind: 'bearer', token: '{{ connections.bearer_token.token }}' }],
    ['headerKey', { kind: 'apiKey', name: 'X-Key', value: '{{ connections.header_key.value }}', in: 'header' }],
    ['queryKey', { kind: 'apiKey', name: 'key', value: '{{ connections.query_key.value }}', in: 'query' }],
    ['oauth', { kind: 'oauth2', connection: 'oauth' }],
  ])('%s becomes authentication by a connection that is to be made', (name, auth) => {
    const { settings, notTaken } = secured({}, { [name]: [] })
    expect(settings.auth).toEqual(auth)
    expect(notTaken).toEqual([{ what: name, reason: expect.stringContaining('create the connection') }])
  })

  it('takes what it can send, of several ways and of several at once', () => {
    expect(secured({ tls: [] }, { headerKey: [] }).settings.auth?.kind).toBe('apiKey')
    expect(secured({ tls: [] }).notTaken).toMatchObject([
      { what: 'tls', reason: expect.stringContaining('not supported') },
    ])
    expect(secured().settings.auth).toBeUndefined()
    const both = secured({ cookieKey: [], oauth: [], basic: [] })
    expect(both.settings).toMatchObject({
      auth: { kind: 'oauth2' },
      headers: [{ name: 'Cookie', value: 'sid={{ connections.cookie_key.value }}' }],
    })
    expect(both.notTaken.map(({ what }) => what)).toEqual(['cookieKey', 'oauth', 'basic'])
    const inherited = described(
      { '/a': { get: {} } },
      { components: { securitySchemes: schemes }, security: [{ basic: [] }] },
    )
    expect(imported(inherited).settings.auth?.kind).toBe('basic')
  })
})

/** Issues that the user resolves: a variable that stands for a value, and a connection that does not exist yet. */
const TO_FILL_IN = new Set(['unknown_variable', 'unknown_connection'])

describe('a hostile description', () => {
  const THEFT = '{{ connections.shop.token }}'

  /** Returns every reference of every template in the value; keys contain none. */
  function referencesIn(value: unknown): string[] {
    if (typeof value === 'string')
      return parseTemplate(value).parts.flatMap((part) =>
        typeof part === 'string' ? [] : part.references.map(({ path }) => path.join('.')),
      )
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(referencesIn) : []
  }

  it('brings no template of its own into the flow', () => {
    const places = ['query', 'header', 'cookie']
    const parameters = [
      { name: 'id', in: 'path', required: true, example: THEFT },
      ...places.flatMap((place) => [
        { name: `${THEFT}1`, in: place, required: true, example: THEFT },
        { name: `${THEFT}2`, in: place, required: true },
      ]),
    ]
    const bodies = ['application/json', `${THEFT}/a+json`, `${THEFT}/xml`, 'application/x-www-form-urlencoded'].map(
      (type) => ({ [type]: { example: /xml/.test(type) ? THEFT : { [THEFT]: [THEFT, `{${THEFT}`] } } }),
    )
    const schemes = ['header', 'query', 'cookie'].map((place) => ({ type: 'apiKey', in: place, name: THEFT }))
    for (const content of bodies)
      for (const scheme of schemes) {
        const operation = { parameters, requestBody: { content }, security: [{ [THEFT]: [] }] }
        const { settings } = imported(
          described(
            { [`/${THEFT}/{id}`]: { post: operation } },
            {
              servers: [{ url: `https://evil.example.com/${THEFT}` }],
              components: { securitySchemes: { [THEFT]: scheme } },
            },
          ),
        )
        const known = ['vars. connections.shop.token ', `vars.${THEFT}2`, 'connections.connections_shop_token.value']
        expect([...new Set(referencesIn(settings))].filter((path) => !known.includes(path))).toEqual([])
      }
    expect(settingsOf(json({ example: [`{${THEFT}`] })).body).toEqual({
      kind: 'json',
      value: ["{{ '{{' }}{ connections.shop.token }}"],
    })
  })

  it('that refers in circles, or grows without end, is cut', () => {
    const schemas: Record<string, object> = {
      loop: { $ref: '#/components/schemas/loop' },
      self: {
        required: ['self', 'list'],
        properties: {
          self: { $ref: '#/components/schemas/self' },
          list: { items: { $ref: '#/components/schemas/self' } },
        },
      },
      all: { allOf: [{ $ref: '#/components/schemas/all' }], properties: { a: { type: 'string' } } },
    }
    for (let i = 0; i < 30; i++)
      schemas[`wide${i}`] = {
        properties: Object.fromEntries(
          ['a', 'b', 'c', 'd'].map((key) => [key, { $ref: `#/components/schemas/wide${i + 1}` }]),
        ),
      }
    const of = (name: string) =>
      settingsOf(json({ schema: { $ref: `#/components/schemas/${name}` } }), { components: { schemas } }).body
    expect(of('loop')).toEqual({ kind: 'json', value: null })
    expect(of('self')).toEqual({ kind: 'json', value: { list: [] } })
    expect(of('all')).toEqual({ kind: 'json', value: { a: '' } })
    expect(JSON.stringify(of('wide0')).length).toBeLessThan(50_000)
    expect(
      notTakenOf({ parameters: [{ $ref: '#/components/schemas/loop' }] }, { components: { schemas } }),
    ).toHaveLength(1)
  })

  it('finds nothing in prototypes, and pollutes none', () => {
    const text = JSON.stringify(
      described({ '/a': { get: json({ schema: { $ref: '#/constructor/prototype' } }) } }),
    ).replace('"info"', '"__proto__":{"polluted":1},"info"')
    const api = readOpenApi(text)
    expect(importOperation(api, api.operations[0]!).settings.body).toEqual({ kind: 'json', value: null })
    const own = settingsOf(
      json({ schema: JSON.parse('{"required":["__proto__"],"properties":{"__proto__":{"default":{"polluted":1}}}}') }),
    )
    expect(JSON.stringify(own.body)).toBe('{"kind":"json","value":{"__proto__":{"polluted":1}}}')
    expect('polluted' in (own.body as { value: object }).value).toBe(false)
    expect('polluted' in {}).toBe(false)
  })

  it('of whatever shape gives a step that can be published once its values are filled in', () => {
    const keys =
      '$ref in name required schema example examples content type properties items allOf oneOf url variables default enum'
    const texts = [
      '#/paths',
      '#/paths/~1{a}/get',
      'query',
      'object',
      'string',
      '{a}',
      '{{ x',
      '\ud800',
      '',
      'a\nb',
      '\0',
      'é日',
      '/a b/%/ü/^',
      'https://ada:pw@x.example/{a}',
      'https://',
      'https://x.example:0',
      'ftp://x.example',
      'http://a b',
      'mailto:ada@x.example',
      null,
      true,
      1,
    ]
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(...texts),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys.split(' ')), tie('node'), { maxKeys: 4 }),
      ),
    }))
    const value = fc.oneof(node, fc.jsonValue({ maxDepth: 2 }))
    const parameter = fc.record(
      {
        name: fc.constantFrom(
          'a',
          'X-B',
          '{{ c',
          '}} d',
          '\ud800',
          'Content-Length',
          'Host',
          'Expect',
          'X Y',
          'é',
          'a\nb',
          'a:',
        ),
        in: fc.constantFrom('path', 'query', 'header', 'cookie'),
        required: fc.constant(true),
        style: fc.constantFrom('form', 'simple', 'deepObject', 'pipeDelimited', 'none'),
        explode: fc.boolean(),
        example: value,
        schema: node,
      },
      { requiredKeys: ['name', 'in', 'required'] },
    )
    const type = fc.constantFrom(
      'application/json',
      'text/xml',
      'multipart/form-data',
      'application/x-www-form-urlencoded',
      '{{',
      '',
      'json',
      'text/',
      'text/plain; charset="é日"',
      'a\nb/json',
      'application/a+json',
    )
    const media = fc.record({ schema: node, example: value }, { requiredKeys: [] })
    const operation = fc.record(
      {
        parameters: fc.array(fc.oneof(parameter, node), { maxLength: 4 }),
        requestBody: fc.oneof(node, fc.record({ content: fc.dictionary(type, fc.oneof(media, node)) })),
        security: fc.oneof(node, fc.array(fc.dictionary(fc.constantFrom('a', '{{ b'), node))),
        servers: fc.array(fc.oneof(node, fc.record({ url: fc.constantFrom(...texts) }))),
      },
      { requiredKeys: [] },
    )
    const path = fc.constantFrom('/{a}', '/a b/%zz/ü^`|\\"<{', 'no-slash', '@other.example/{a}', '/{a\nb}')
    const scheme = fc.oneof(
      node,
      fc.record({
        type: fc.constantFrom('apiKey', 'http', 'oauth2'),
        in: fc.constantFrom('header', 'query', 'cookie'),
        scheme: fc.constantFrom('basic', 'bearer'),
        name: fc.constantFrom('X-Key', 'Content-Length', 'X Y', '', 'a\nb', '日'),
      }),
    )
    fc.assert(
      fc.property(
        path,
        node,
        operation,
        fc.dictionary(fc.constantFrom('a', '{{ b'), scheme),
        (path, item, post, securitySchemes) => {
          const paths = { [path]: { ...(item as object), post } }
          const api = readOpenApi(JSON.stringify(described(paths, { components: { securitySchemes } })))
          for (const found of api.operations) {
            const { id, settings } = importOperation(api, found)
            const document = { name: 'x', trigger: { kind: 'webhook' }, steps: [{ id, kind: 'http', ...settings }] }
            const findings = validate(document, stepKinds, {
              connections: new Map(),
              env: new Set(),
              config: new Set(),
            })
            expect(publishIssues(findings).filter(({ code }) => !TO_FILL_IN.has(code))).toEqual([])
          }
        },
      ),
      { numRuns: 1_000 },
    )
  })
})
