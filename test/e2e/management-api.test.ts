// Tests health, metrics, the API description, and access: docs/api.md#system
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACCESS, accessWords } from '../../src/http/access/access.ts'
import { expectFailure } from '../harness/inbox.ts'
import { type Managed, startManaged } from '../harness/management.ts'
import { type Answer, TOKEN } from '../harness/millrace.ts'
import { connectRaw, requestBytes, sendRaw } from '../harness/raw-request.ts'

let managed: Managed
let millrace: Managed['millrace']
let api: Managed['api']
beforeAll(async () => {
  managed = await startManaged()
  ;({ millrace, api } = managed)
})
afterAll(() => managed.stop())

/** The kinds of access whose routes take other credentials than the rest. */
const SECURITY: Record<string, object[] | undefined> = { open: [], token: [{ token: [] }] }

describe('health, metrics and the API description', () => {
  it('answers /healthz and /readyz to anybody', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const response = await fetch(millrace.url + path)
      expect(response.status).toBe(200)
      expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    }
  })

  it('lets no browser make anything else of a reply than it says: not of errors, streams and refused requests either', async () => {
    const authorization = `Bearer ${TOKEN}`
    const kept: string[] = []
    const note = (what: string, headers: Headers) => {
      if (headers.get('x-content-type-options') !== 'nosniff') kept.push(what)
    }
    for (const path of [
      '/',
      '/healthz',
      '/metrics',
      '/api/docs',
      '/api/v1/openapi.json',
      '/api/v1/flows',
      '/api/nothing',
    ])
      for (const headers of [{}, { authorization }]) note(path, (await fetch(millrace.url + path, { headers })).headers)
    const body = '{'
    const json = { authorization, 'content-type': 'application/json' }
    note('a bad body', (await fetch(`${millrace.url}/api/v1/flows`, { method: 'POST', headers: json, body })).headers)
    note('an odd path', (await fetch(`${millrace.url}/api/v1/flows/%zz`, { headers: json })).headers)
    const leave = new AbortController()
    const events = await fetch(`${millrace.url}/api/v1/events`, { headers: json, signal: leave.signal })
    note('events', events.headers)
    leave.abort()
    for (const bytes of ['nonsense\r\n\r\n', 'GET /api/v1/flows HTTP/1.1\r\n\r\n'])
      note(bytes, (await sendRaw(millrace.port, bytes)).headers)
    expect(kept).toEqual([])
  })

  it('gives Prometheus metrics', async () => {
    const response = await fetch(`${millrace.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    const text = await response.text()
    for (const name of [
      'millrace_deliveries_total',
      'millrace_runs_finished_total',
      'millrace_runs_queued',
      'process_cpu',
    ])
      expect(text).toContain(name)
  })

  it('describes every route in OpenAPI 3.1, with references that resolve', async () => {
    const response = await fetch(`${millrace.url}/api/v1/openapi.json`)
    expect(response.status).toBe(200)
    const description = (await response.json()) as Description
    expect(description.openapi).toMatch(/^3\.1\.\d+$/)
    expect(description.info).toMatchObject({ title: 'Millrace', version: expect.any(String) })
    const listed: string[] = []
    for (const [path, operations] of Object.entries(description.paths))
      for (const [method, operation] of Object.entries(operations)) {
        const route = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
        listed.push(route)
        expect(operation.summary, route).toMatch(/\S/)
        expect(Object.keys(operation.responses)).toContain('4XX')
        for (const [status, reply] of Object.entries(operation.responses)) {
          expect(status, route).toMatch(/^([1-5](\d\d|XX)|default)$/)
          expect(reply.description, route).toEqual(expect.any(String))
        }
        const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
        const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, required: true }))
        expect(parameters, route).toMatchObject(named)
        expect(parameters, route).toHaveLength(named.length)
        expect(operation.security, route).toEqual(SECURITY[accessWords(ACCESS[route]!)])
      }
    expect(listed.length).toBeGreaterThan(70)
    const references = referencesIn(description)
    expect(references).toContain('#/components/schemas/Flow')
    for (const reference of references) expect(placeOf(reference, description), reference).toBeTypeOf('object')
    expect(JSON.stringify(description)).not.toContain('x-checked-by-operation')
  })
})

describe('a request without a body that is called JSON', () => {
  const send = async (route: string, body: string | null): Promise<Answer> => {
    const [method, path] = route.split(' ') as [string, string]
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    const url = millrace.url + path.replaceAll(/:\w+/g, '1')
    const answer = await fetch(url, { method, headers, body })
    const isJson = answer.headers.get('content-type')?.startsWith('application/json')
    return { status: answer.status, headers: answer.headers, body: isJson ? await answer.json() : await answer.text() }
  }

  it('is taken by an action, as is an empty object', async () => {
    const { id } = await managed.create([{ id: 'set', kind: 'set', vars: { a: 1 } }])
    for (const body of [null, '', '{}'])
      for (const [route, status] of [
        [`POST /api/v1/flows/${id}/publish`, 200],
        [`POST /api/v1/flows/${id}/test`, 202],
        [`POST /api/v1/flows/${id}/steps/set/test`, 200],
        [`POST /api/v1/flows/${id}/webhook/regenerate`, 200],
        [`POST /api/v1/flows/${id}/versions/1/restore`, 200],
        [`POST /api/v1/flows/${id}/pause`, 200],
        [`POST /api/v1/flows/${id}/resume`, 200],
        [`POST /api/v1/flows/${id}/unpublish`, 200],
        ['POST /api/v1/keys/rotate', 202],
        ['POST /api/auth/sign-out', 204],
      ] as const)
        expect((await send(route, body)).status, `${route} ${body}`).toBe(status)
    expect((await send(`DELETE /api/v1/flows/${id}`, '')).status).toBe(204)
  })

  it('is refused in words where there has to be one, and of the others never for its body', async () => {
    const description = (await (await fetch(`${millrace.url}/api/v1/openapi.json`)).json()) as Description
    const needing: string[] = []
    for (const [route, access] of Object.entries(ACCESS)) {
      const [method, path] = route.split(' ') as [string, string]
      const operation = description.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
      // Webhooks and callbacks have checks and an order of their own.
      const isApi = !/^\/api\/v1\/(webhooks|callbacks)\//.test(path)
      const isForToken = access !== 'session' && access !== 'confined'
      if (method === 'GET' || !isForToken || !isApi || !operation) continue
      const { requestBody } = operation
      const answer = await send(route, '')
      if (requestBody?.required && 'application/json' in requestBody.content) {
        needing.push(route)
        expectFailure(answer, 400, 'invalid_request')
        expect(answer.body.message).toBe('The body is empty; send a JSON document.')
      } else expect(answer.body.message ?? '', route).not.toContain('body')
    }
    expect(needing).toContain('POST /api/v1/flows')
    expect(needing).toContain('POST /api/v1/connections')
    expect(needing).not.toContain('POST /api/v1/runs/:id/replay')
  })
})

describe('access', () => {
  const guarded = Object.entries(ACCESS).filter(([, access]) => access !== 'open')

  it.each(guarded)('%s is 401 without a credential, or with a wrong one', async (route) => {
    const [method, path] = route.split(' ') as [string, string]
    const url = millrace.url + path.replaceAll(/:\w+/g, '1')
    for (const authorization of [undefined, 'Bearer wrong-token-0123456789', `Basic ${TOKEN}`, TOKEN, 'Bearer']) {
      const response = await fetch(url, { method, headers: authorization === undefined ? {} : { authorization } })
      const answer = { status: response.status, headers: response.headers, body: await response.json() }
      expectFailure(answer, 401, 'unauthorized')
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  it('is refused at once to a sender of a huge body, which is not read', async () => {
    const connection = await connectRaw(millrace.port)
    const headers = ['Content-Length: 1073741824']
    connection.write(requestBytes({ target: '/api/v1/flows', headers, body: '{' }))
    const answer = await connection.reply()
    expectFailure(answer, 401, 'unauthorized')
    expect(answer.headers.get('connection')).toBe('close')
    await connection.ended
    connection.socket.destroy()
  })

  it('comes before the check of the body', async () => {
    const response = await fetch(`${millrace.url}/api/v1/flows`, {
      method: 'POST',
      body: '{',
      headers: { 'content-type': 'nonsense' },
    })
    expect(response.status).toBe(401)
  })

  it('answers 404 in the common shape where there is no route', async () => {
    for (const [method, path] of [
      ['GET', '/nope'],
      ['PATCH', '/flows'],
      ['POST', '/runs'],
      ['GET', `/${'x'.repeat(5000)}`],
      ['GET', '/flows/%zz'],
    ] as const)
      expectFailure(await api(method, path), 404, 'not_found')
    expectFailure(await api('GET', `/flows/${'x'.repeat(500)}`), 404, 'not_found')
  })
})

interface Description {
  openapi: string
  info: object
  paths: Record<string, Record<string, Operation>>
}

interface Operation {
  summary: string
  responses: Record<string, { description: string }>
  parameters?: { in: string; name: string; required: boolean }[]
  security?: unknown[]
  requestBody?: { required?: boolean; content: object }
}

function placeOf(reference: string, document: unknown): unknown {
  let place = document
  for (const key of reference.split('/').slice(1))
    place = (place as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')]
  return place
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => (key === '$ref' ? [String(item)] : referencesIn(item)))
}
