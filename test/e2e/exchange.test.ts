// Tests the exchange of steps and runs with other tools: curl and HAR, over the API and the command line.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseCurl } from '../../src/flow/curl/parse-curl.ts'
import { callCli } from '../harness/cli.ts'
import { NOBODY_LISTENS } from '../harness/free-port.ts'
import { expectFailure } from '../harness/inbox.ts'
import { leaksOf } from '../harness/leaks.ts'
import { documentOf } from '../harness/management.ts'
import { type Millrace, startMillrace, TOKEN, temporaryFolder } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const CANARY = 'c4n4ry-of-the-exchange'
const SEALED = 's3aled-canary'
const SHORT = 'k3y'
const folder = temporaryFolder()
let upstream: Upstream
let millrace: Millrace
let env: Record<string, string>
let refused: string

beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    if (request.url === '/bytes') {
      response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([0xff, 0, 1]))
      return
    }
    if (request.url === '/moved') {
      response.writeHead(302, { location: '/status/404' }).end()
      return
    }
    const status = Number(/^\/status\/(\d+)/.exec(request.url)?.[1] ?? 200)
    response.writeHead(status, { 'content-type': 'application/json', 'set-cookie': ['a=1; Path=/', 'b=2'] })
    response.end(JSON.stringify({ echo: [request.rawHeaders, request.url, request.body] }))
  })
  refused = `http://127.0.0.1:${NOBODY_LISTENS}/`
  millrace = await startMillrace({ MILLRACE_ENV_TOKEN: CANARY })
  env = { MILLRACE_BASE_URL: millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN }
  const connection = { name: 'shop', kind: 'custom', fields: { key: CANARY, short: SHORT } }
  expect((await millrace.api('POST', '/connections', connection)).status).toBe(201)
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
  rmSync(folder, { recursive: true })
})

const http = (id: string, more: object) => ({ id, kind: 'http', method: 'POST', url: `${upstream.url}/`, ...more })
const steps = () => [
  http('json', {
    url: `${upstream.url}/orders?a=1`,
    query: [{ name: 'b c', value: '{{ connections.shop.short }}' }],
    headers: [{ name: 'X-Key', value: '{{ connections.shop.key }}' }],
    auth: { kind: 'bearer', token: SEALED },
    body: { kind: 'json', value: '{{ webhook.body.text }}' },
  }),
  http('text', { body: { kind: 'text', value: '{"a": 1}', contentType: 'application/json' } }),
  http('form', { body: { kind: 'form', fields: [{ name: 'a b', value: `{{ env.TOKEN }}` }] } }),
  {
    id: 'inner',
    kind: 'branch',
    cases: [{ name: 'in', when: true, steps: [http('bytes', { method: 'GET', url: `${upstream.url}/bytes` })] }],
  },
  http('moved', { method: 'GET', url: `${upstream.url}/moved`, onError: 'continue' }),
  http('down', {
    method: 'GET',
    url: refused,
    onError: 'continue',
    retry: { attempts: 2, delay: 0.01 },
  }),
]

/** Every field that the specification of HAR 1.2 does not call optional, with its type. */
const SPEC = {
  log: { version: 'string', creator: 'object', entries: 'array' },
  creator: { name: 'string', version: 'string' },
  entry: {
    startedDateTime: 'string',
    time: 'number',
    request: 'object',
    response: 'object',
    cache: 'object',
    timings: 'object',
  },
  request: {
    method: 'string',
    url: 'string',
    httpVersion: 'string',
    cookies: 'array',
    headers: 'array',
    queryString: 'array',
    headersSize: 'number',
    bodySize: 'number',
  },
  postData: { mimeType: 'string', params: 'array', text: 'string' },
  response: {
    status: 'number',
    statusText: 'string',
    httpVersion: 'string',
    cookies: 'array',
    headers: 'array',
    content: 'object',
    redirectURL: 'string',
    headersSize: 'number',
    bodySize: 'number',
  },
  content: { size: 'number', mimeType: 'string' },
  timings: { send: 'number', wait: 'number', receive: 'number' },
  pair: { name: 'string', value: 'string' },
}

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)

function expectFields(what: keyof typeof SPEC, value: Record<string, unknown>): void {
  const types = Object.fromEntries(Object.keys(SPEC[what]).map((key) => [key, typeOf(value[key])]))
  expect(types, what).toEqual(SPEC[what])
}

// biome-ignore lint/suspicious/noExplicitAny: the specification tells what is in it
function expectHar(har: any): void {
  expectFields('log', har.log)
  expect(har.log.version).toBe('1.2')
  expectFields('creator', har.log.creator)
  for (const entry of har.log.entries) {
    const { request, response, timings } = entry
    expectFields('entry', entry)
    expect(new Date(entry.startedDateTime).toISOString()).toBe(entry.startedDateTime)
    expectFields('request', request)
    expectFields('response', response)
    expectFields('content', response.content)
    expectFields('timings', timings)
    if (request.postData) expectFields('postData', request.postData)
    for (const pair of [request.headers, request.queryString, response.headers, response.cookies].flat())
      expectFields('pair', pair)
    expect(timings.send + timings.wait + timings.receive).toBe(entry.time)
    const own = new Set([...Object.keys(SPEC.entry), 'comment', '_error'])
    expect(Object.keys(entry).filter((key) => !own.has(key))).toEqual([])
  }
}

describe('a run as HAR', () => {
  it('has every request as it was sent, every reply, and no secret', async () => {
    const { post } = await millrace.publish(documentOf(steps()))
    const before = upstream.received.length
    const run = await millrace.runEnded((await post({ text: 'plain' })).body.id)
    expect(run.error).toBeNull()
    const { status, body: har } = await millrace.api('GET', `/runs/${run.id}/har`)
    expect(status).toBe(200)
    expectHar(har)
    const { entries } = har.log
    expect(entries.map(({ comment }: { comment: string }) => comment)).toEqual([
      'step json',
      'step text',
      'step form',
      'step inner/bytes',
      `step moved; redirects: 1, the last to ${upstream.url}/status/404`,
      'step down; attempt 1',
      'step down; attempt 2',
    ])

    const [json, text, form, bytes, moved, first, down] = entries
    const sent = upstream.received.slice(before)
    expect(json.request).toMatchObject({
      method: 'POST',
      queryString: [
        { name: 'a', value: '1' },
        { name: 'b c', value: '[secret]' },
      ],
    })
    expect(json.request.headers).toContainEqual({ name: 'Authorization', value: 'Bearer ***' })
    // The bodies are the same to the byte, where nothing is hidden.
    expect([json, text].map(({ request }) => request.postData.text)).toEqual([sent[0]!.body, sent[1]!.body])
    expect(sent[0]!.body).toBe('"plain"')
    expect(form.request.postData).toEqual({
      mimeType: 'application/x-www-form-urlencoded',
      params: [],
      text: 'a+b=[secret]',
    })
    expect(json.response).toMatchObject({
      status: 200,
      statusText: 'OK',
      cookies: [
        { name: 'a', value: '1' },
        { name: 'b', value: '2' },
      ],
    })
    expect(json.response.headers.filter(({ name }: { name: string }) => name === 'set-cookie')).toHaveLength(2)
    expect(JSON.parse(text.response.content.text).echo[2]).toBe('{"a": 1}')
    expect(bytes.request.postData).toBeUndefined()
    expect(bytes.response.content).toEqual({ size: 3, mimeType: 'image/png', text: '/wAB', encoding: 'base64' })
    expect(moved.response.status).toBe(404)
    for (const attempt of [first, down])
      expect(attempt).toMatchObject({ response: { status: 0 }, _error: expect.stringMatching(/^connection_refused: /) })

    for (const secret of [CANARY, SEALED]) expect(leaksOf(JSON.stringify(har), secret)).toEqual([])
    expect(
      JSON.stringify(entries.map(({ request }: { request: { queryString: object } }) => request.queryString)),
    ).not.toContain(SHORT)
  })

  it('has steps that failed before their request was made, with the reason', async () => {
    const oauth = {
      name: 'crm',
      kind: 'oauth2',
      fields: {
        grant: 'client_credentials',
        tokenUrl: `${upstream.url}/status/401`,
        clientId: 'me',
        clientSecret: CANARY,
      },
    }
    expect((await millrace.api('POST', '/connections', oauth)).status).toBe(201)
    const unmade = (id: string, more: object) => http(id, { onError: 'continue', ...more })
    const { post } = await millrace.publish(
      documentOf([
        unmade('token', { auth: { kind: 'oauth2', connection: 'crm' }, body: { kind: 'json', value: { a: 1 } } }),
        unmade('colon', { auth: { kind: 'basic', username: '{{ webhook.body.user }}', password: CANARY } }),
        unmade('line', { query: [{ name: 'q', value: '{{ webhook.body.line }}' }] }),
        unmade('header', { headers: [{ name: 'X-A', value: '{{ webhook.body.line }}' }] }),
        http('fine', { body: { kind: 'json', value: { kind: 'json', value: 1 } } }),
      ]),
    )
    const run = await millrace.runEnded((await post({ user: 'a:b', line: '1\n2' })).body.id)
    expect(run.error).toBeNull()
    const { status, body: har } = await millrace.api('GET', `/runs/${run.id}/har`)
    expect(status).toBe(200)
    expectHar(har)
    const { entries } = har.log
    expect(entries.map((entry: { comment: string; _error?: string }) => [entry.comment, entry._error?.split(':')[0]]))
      // The last request was made, and then refused by the client.
      .toEqual([
        ['step token; its request was not made', 'connection_unauthorized'],
        ['step colon; its request was not made', 'invalid_header'],
        ['step line; its request was not made', 'invalid_url'],
        ['step header', 'invalid_header'],
        ['step fine', undefined],
      ])
    expect(entries[0].request).toMatchObject({ method: 'POST', url: `${upstream.url}/`, headers: [] })
    expect(entries[0].request.postData).toBeUndefined()
    expect(entries[4].request.postData.text).toBe('{"kind":"json","value":1}')
    const fixture = await millrace.api('GET', `/runs/${run.id}/fixture`)
    expect(fixture.status).toBe(200)
    expect(fixture.body.tests[0].expect.requests).toHaveLength(2)
    expect(leaksOf(JSON.stringify(har), CANARY)).toEqual([])
  })

  it('can be had of a run whose flow is gone, of one without requests, and by the command line', async () => {
    const { flow, post } = await millrace.publish(documentOf([steps()[1]!]))
    const run = await millrace.runEnded((await post({})).body.id)
    const file = join(folder, 'run.har')
    expect(await callCli(['runs', 'har', run.id, '--output', file], { env })).toMatchObject({ exit: 0 })
    const written = JSON.parse(readFileSync(file, 'utf8'))
    expectHar(written)
    expect((await callCli(['runs', 'har', run.id], { env })).json()).toEqual(written)
    await millrace.api('DELETE', `/flows/${flow.id}`)
    const later = (await millrace.api('GET', `/runs/${run.id}/har`)).body
    expect(later.log.entries).toEqual(written.log.entries)

    const idle = await millrace.publish(documentOf([{ id: 'w', kind: 'wait', seconds: 3600 }]))
    const { id } = (await idle.post({})).body
    await millrace.runEnded(id, ['waiting'])
    expect((await millrace.api('GET', `/runs/${id}/har`)).body.log.entries).toEqual([])
    expectFailure(await millrace.api('GET', '/runs/run_none/har'), 404, 'not_found')
  })
})

describe('a step as curl', () => {
  it('has its templates, and placeholders for secrets', async () => {
    const draft = documentOf(
      [...steps(), http('typed', { headers: [{ name: 'X-Typed', value: CANARY }] })],
      {},
      'Curled',
    )
    const { id } = (await millrace.api('POST', '/flows', draft)).body
    const of = async (step: string) =>
      (await millrace.api('GET', `/flows/${id}/steps/${step}/curl`)).body.curl as string
    expect(await of('json')).toBe(`curl '${upstream.url}/orders?a=1&b%20c={{ connections.shop.short }}' \\
  -H 'X-Key: {{ connections.shop.key }}' \\
  -H 'Authorization: Bearer <token>' \\
  -H 'Content-Type: application/json' \\
  --data-raw '"{{ webhook.body.text }}"' \\
  -L`)
    expect(await of('bytes')).toBe(`curl ${upstream.url}/bytes \\\n  -L`)
    // The secret was typed into a field for other values, and is recognised all the same.
    expect(await of('typed')).toContain("-H 'X-Typed: [secret]'")
    for (const { id: step, kind } of steps()) {
      if (kind !== 'http') continue
      const command = await of(step)
      expect(parseCurl(command)!.notTaken).toEqual([])
      for (const secret of [CANARY, SEALED]) expect(leaksOf(command, secret)).toEqual([])
    }
    expect((await callCli(['flows', 'curl', 'Curled', 'bytes'], { env })).stdout).toBe(`${await of('bytes')}\n`)
    expectFailure(await millrace.api('GET', `/flows/${id}/steps/none/curl`), 404, 'not_found')
    expectFailure(await millrace.api('GET', `/flows/${id}/steps/inner/curl`), 400, 'invalid_request')
  })
})

describe('a step from other tools', () => {
  it('comes from a curl command, as an argument or from stdin', async () => {
    const command = "curl -k https://api.example.com/orders -H 'Authorization: Bearer abc'"
    const typed = await callCli(['import', 'curl', command])
    expect(typed).toMatchObject({
      exit: 0,
      stdout: `- id: request
  kind: http
  method: GET
  url: https://api.example.com/orders
  auth:
    kind: bearer
    token: abc
`,
    })
    expect(typed.stderr).toMatch(/^Left out:\n {2}-k: Certificates are always verified/)
    const piped = await callCli(['import', 'curl', '--id', 'orders', '--json'], { input: command })
    expect(piped.json()).toMatchObject({ step: { id: 'orders', auth: { kind: 'bearer' } }, notTaken: [{ what: '-k' }] })
    expect(await callCli(['import', 'curl', 'wget x'])).toMatchObject({ exit: 1 })
  })

  it('comes from an OpenAPI description, and works in a flow', async () => {
    // Other tools can import Millrace's own description.
    const own = await (await fetch(`${millrace.url}/api/v1/openapi.json`)).text()
    const file = join(folder, 'millrace.json')
    writeFileSync(file, own)
    const listed = await callCli(['import', 'openapi', file])
    expect(listed.stdout).toMatch(/^GET +\/api\/v1\/runs\/\{id\}\/har /m)
    const replay = await callCli(['import', 'openapi', '-', 'post /api/v1/runs/{id}/replay', '--json'], { input: own })
    const { step, notTaken } = replay.json()
    expect(step).toMatchObject({
      kind: 'http',
      method: 'POST',
      url: `http://localhost:${millrace.port}/api/v1/runs/{{ vars.id }}/replay`,
    })
    expect(notTaken.map(({ what }: { what: string }) => what)).toContain('id (path)')
    expect((await millrace.api('POST', '/flows', documentOf([step]))).status).toBe(201)

    const missing = await callCli(['import', 'openapi', file, 'GET /api/v1/runs/{id}/hat'])
    expect(missing).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining('did you mean "GET /api/v1/runs/{id}/har"?'),
    })
    expect(await callCli(['import', 'openapi', '-'], { input: 'swagger: "2.0"' })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('Swagger 2.0'),
    })
  })
})
