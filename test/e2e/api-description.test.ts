// Tests the API's description: programs can be generated from it, and it is true.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACCESS, accessWords } from '../../src/http/access/access.ts'
import { type Managed, startManaged } from '../harness/management.ts'
import { TOKEN } from '../harness/millrace.ts'
import { OPENAPI_SHAPE } from '../harness/openapi-shape.ts'
import { compileStrict } from '../harness/strict-schema.ts'

interface Media {
  schema: { format?: string }
  example?: unknown
  examples?: Record<string, { $ref: string }>
}

interface Operation {
  operationId: string
  tags: string[]
  requestBody?: { required: boolean; content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

interface Description {
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; examples: Record<string, { value: unknown }> }
}

let managed: Managed
let description: Description
/** The operations by operationId. */
let operations: Map<string, { method: string; path: string; operation: Operation }>

beforeAll(async () => {
  managed = await startManaged()
  description = (await managed.api('GET', '/openapi.json')).body
  operations = new Map(
    Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        operation.operationId,
        { method: method.toUpperCase(), path, operation },
      ]),
    ),
  )
})
afterAll(() => managed.stop())

const compiled = new Map<string, (value: unknown) => unknown[]>()

/** Compiles a schema of the description as a document of its own. */
function compile(schema: object): (value: unknown) => unknown[] {
  const written = JSON.stringify(schema)
  const $defs = written.includes('"#/components/') ? description.components.schemas : {}
  const text = JSON.stringify({ ...schema, $defs }).replaceAll('"#/components/schemas/', '"#/$defs/')
  const known = compiled.get(written) ?? compileStrict(JSON.parse(text))
  compiled.set(written, known)
  return known
}

/** Yields every body that is sent or answered, with its place. */
function* media(): Generator<[place: string, type: string, media: Media]> {
  for (const { method, path, operation } of operations.values()) {
    for (const [type, of] of Object.entries(operation.requestBody?.content ?? {})) yield [`${method} ${path}`, type, of]
    for (const [status, { content = {} }] of Object.entries(operation.responses))
      for (const [type, of] of Object.entries(content)) yield [`${method} ${path} ${status}`, type, of]
  }
}

describe('the description', () => {
  it('has the shape of an OpenAPI 3.1 document', () => {
    expect(compileStrict(OPENAPI_SHAPE)(description)).toEqual([])
  })

  it('gives every route an operation with a name of its own, a described group and what it answers when it succeeds', () => {
    const routes = Object.keys(ACCESS).filter(
      // The web UI is not a call of the API, and these two always answer 405.
      (route) => !['GET /*', 'GET /api/mcp', 'DELETE /api/mcp'].includes(route),
    )
    const listed = [...operations.values()].map(
      ({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    )
    expect(listed.toSorted()).toEqual(routes.toSorted())
    const groups = new Set(description.tags.map(({ name }) => name))
    for (const [id, { operation }] of operations) {
      expect(groups, id).toContain(operation.tags[0])
      const succeeds = Object.entries(operation.responses).filter(([status]) => /^2|303/.test(status))
      expect(succeeds.length, id).toBeGreaterThan(0)
      // One success status describes the reply, unless there is none.
      expect(
        succeeds.some(([status, { content }]) => content !== undefined || /204|303/.test(status)),
        id,
      ).toBe(true)
    }
    const used = new Set([...operations.values()].map(({ operation }) => operation.tags[0]))
    expect([...groups].filter((group) => !used.has(group))).toEqual([])
  })

  it('has an example of every body that is no file, which fits its schema by a strict validator', {
    timeout: 60_000,
  }, () => {
    const places: string[] = []
    for (const [place, type, { schema, example, examples }] of media()) {
      const issuesOf = compile(schema)
      const values = examples
        ? Object.values(examples).map(({ $ref }) => description.components.examples[$ref.split('/').at(-1)!]?.value)
        : [example]
      if (schema.format === 'binary') continue
      places.push(`${place} ${type}`)
      for (const value of values) {
        expect(value, `${place} ${type}`).toBeDefined()
        expect(issuesOf(value), `${place} ${type}`).toEqual([])
      }
    }
    expect(places.length).toBeGreaterThan(150)
  })
})

describe('what is described', () => {
  const exampleOf = (id: string) =>
    operations.get(id)!.operation.requestBody!.content['application/json']!.example as object

  async function call(id: string, parameters: Record<string, string> = {}, body?: unknown) {
    const { method, path, operation } = operations.get(id)!
    const url = managed.millrace.url + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name]!)
    const query = new URLSearchParams(Object.entries(parameters).filter(([name]) => !path.includes(`{${name}}`)))
    const reply = await fetch(`${url}?${query.toString()}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const type = reply.headers.get('content-type')?.split(';', 1)[0]
    const described = operation.responses[reply.status]
    expect(described, `${id} ${reply.status}`).toBeDefined()
    expect(Object.keys(described!.content ?? {}), id).toEqual(type === undefined ? [] : [type])
    const isJson = type === 'application/json'
    const value = isJson ? await reply.json() : await reply.text()
    if (isJson) expect(compile(described!.content![type]!.schema)(value), id).toEqual([])
    // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
    return value as any
  }

  it('is so: examples of requests are taken, and replies are as they say', async () => {
    const flow = await call('createFlow', {}, exampleOf('createFlow'))
    const id: string = flow.id
    await call('validateFlow', { flow: id }, exampleOf('validateFlow'))
    await call('replaceDraft', { id }, exampleOf('replaceDraft'))
    await call('publishFlow', { id })
    await call('setFlowSource', { id }, exampleOf('setFlowSource'))
    const delivered = await call('deliver', { webhookId: flow.webhook.id }, exampleOf('deliver'))
    await call('deliverSample', { webhookId: flow.webhook.id }, exampleOf('deliverSample'))
    await managed.millrace.runEnded(delivered.id)
    const run: string = delivered.id
    const { items } = await call('listDeliveries', { flow: id })
    const delivery: string = items[0].id
    await call('createSample', { id }, { ...exampleOf('createSample'), delivery })
    await call('testStep', { id, stepId: 'greet' }, exampleOf('testStep'))
    await call('testFlow', { id }, exampleOf('testFlow'))
    await call('replayRun', { id: run }, exampleOf('replayRun'))
    await call('createConnection', {}, exampleOf('createConnection'))
    await call('changeConnection', { name: 'shop' }, exampleOf('changeConnection'))
    await call('createToken', {}, exampleOf('createToken'))
    await call('createInvitation', {}, exampleOf('createInvitation'))
    await call('sendMcpMessage', {}, exampleOf('sendMcpMessage'))
    await call('rotateKeys')

    for (const name of ['listFlowVersions', 'listSamples', 'getTestResults', 'listFlowDeliveries', 'getFlow'])
      await call(name, { id })
    await call('getFlowVersion', { id, version: '1' })
    await call('restoreFlowVersion', { id, version: '1' })
    for (const name of ['getRun', 'getRunDocument', 'listRunSteps', 'downloadRunBody', 'getRunFixture', 'getRunHar'])
      await call(name, { id: run })
    await call('downloadStepPart', { id: run, path: 'greet', part: 'output' })
    for (const name of ['getDelivery', 'downloadDeliveryBody']) await call(name, { id: delivery })
    await call('getConnection', { name: 'shop' })
    await call('getGuidePage', { page: 'flows' })
    const others = [...operations].filter(
      ([, { method, path }]) =>
        method === 'GET' &&
        !path.includes('{') &&
        !/\/events$|\/callback$/.test(path) &&
        // These are for signed-in users, not for a token.
        !['session', 'confined'].includes(accessWords(ACCESS[`GET ${path}`]!)),
    )
    expect(others.length).toBeGreaterThan(20)
    for (const [name] of others) await call(name, name === 'search' ? { q: 'Hello' } : {})
    await call('pauseFlow', { id })
    await call('resumeFlow', { id })
    await call('unpublishFlow', { id })
    await call('regenerateWebhook', { id })
    await call('deleteConnection', { name: 'shop' })
    await call('deleteFlow', { id })
  })
})
