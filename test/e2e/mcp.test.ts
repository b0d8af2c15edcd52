// Tests MCP over HTTP, with the SDK's own client: what an assistant does, what it may do, and what is refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { meets, UNIONS } from '../../src/base/scopes.ts'
import { ACCESS, scopesOf } from '../../src/http/access/access.ts'
import { tools } from '../../src/mcp/tools.ts'
import { openBrowser, setUpOwner } from '../harness/browser.ts'
import { expectFailure } from '../harness/inbox.ts'
import { leaksOf } from '../harness/leaks.ts'
import { documentOf } from '../harness/management.ts'
import { type Assistant, assist } from '../harness/mcp.ts'
import { type Answer, answerOf, type Millrace, startMillrace, TOKEN } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const CANARY = `c4n4ry 's"cret'/+?=\\ü`

let millrace: Millrace
let upstream: Upstream
let assistant: Assistant
beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-echo': encodeURIComponent(request.url) })
    response.end(JSON.stringify({ headers: request.rawHeaders, body: request.body }))
  })
  millrace = await startMillrace({ MILLRACE_ENV_UP: upstream.url })
  assistant = await assist(millrace.url, TOKEN)
})
afterAll(async () => {
  await assistant.client.close()
  await millrace.stop()
  await upstream.close()
})

const tokenOf = async (scope: string): Promise<string> =>
  (await millrace.api('POST', '/tokens', { name: `mcp ${scope}`, scope })).body.token

const DRAFT = `name: From an assistant
trigger: { kind: webhook }
steps:
  - { id: hello, kind: set, vars: { greeting: "Hello, {{ webhook.body.name }}" } }
  - { id: tell, kind: http, method: POST, url: "{{ env.UP }}/tell", body: { kind: json, value: "{{ vars.greeting }}" } }
`

describe('an assistant', () => {
  it('leads a flow from a faulty document to a run that it reads', async () => {
    const faulty = await assistant.call('validate_flow', { document: DRAFT.replace('webhook.body', 'webhok.body') })
    expect(faulty.isError).toBe(false)
    expect(faulty.body.issues).toMatchObject([{ path: '/steps/0/vars/greeting' }])
    expect((await assistant.call('validate_flow', { document: DRAFT })).body).toEqual({ issues: [], warnings: [] })

    const flow = (await assistant.call('create_flow', { document: DRAFT.replace('webhook.body', 'webhok.body') })).body
    expect(flow).toMatchObject({ name: 'From an assistant', status: 'draft', revision: 1, published: null })
    const refused = await assistant.call('publish_flow', { flow: flow.id })
    expect(refused).toMatchObject({ isError: true, body: { code: 'flow_invalid' } })
    expect(refused.body.issues).toMatchObject([{ path: '/steps/0/vars/greeting' }])

    const read = (await assistant.call('get_flow', { flow: flow.id })).body
    read.draft.steps[0].vars.greeting = 'Hello, {{ webhook.body.name }}'
    const change = { flow: flow.id, revision: read.revision, document: read.draft }
    expect((await assistant.call('update_draft', change)).body).toMatchObject({ revision: 2, draft: read.draft })
    const late = await assistant.call('update_draft', change)
    expect(late).toMatchObject({ isError: true, body: { code: 'revision_conflict' } })

    const step = await assistant.call('test_step', { flow: flow.id, step: 'hello', webhook: { body: { name: 'Ada' } } })
    expect(step.body).toMatchObject({ status: 'succeeded', output: { greeting: 'Hello, Ada' } })
    const tested = await assistant.call('test_flow', { flow: flow.id, webhook: { body: { name: 'Bob' } } })
    expect(tested.body).toMatchObject({ test: true, flowId: flow.id })
    await millrace.runEnded(tested.body.id)
    expect((await assistant.call('get_run', { run: tested.body.id })).body.vars).toEqual({ greeting: 'Hello, Bob' })

    expect((await assistant.call('publish_flow', { flow: flow.id })).body).toEqual({ version: 1, warnings: [] })
    const sent = await answerOf(
      await fetch(`${millrace.url}/api/v1/webhooks/${flow.webhook.id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"name": "Eve"}',
      }),
    )
    await millrace.runEnded(sent.body.id)
    const listed = (await assistant.call('list_runs', { flow: flow.id, limit: 1 })).body
    expect(listed.items).toMatchObject([{ id: sent.body.id, status: 'succeeded', version: 1, test: false }])
    const run = (await assistant.call('get_run', { run: sent.body.id })).body
    expect(run).toMatchObject({ status: 'succeeded', vars: { greeting: 'Hello, Eve' } })
    expect(run.steps.map(({ id }: { id: string }) => id)).toEqual(['hello', 'tell'])
    const steps = (await assistant.call('list_run_steps', { run: run.id, under: 'tell' })).body
    expect(steps.items).toMatchObject([{ id: 'tell', status: 'succeeded' }])
    expect(upstream.received.at(-1)!.body).toBe('"Hello, Eve"')

    expect((await assistant.call('unpublish_flow', { flow: flow.id })).body).toMatchObject({ published: null })
    const { items } = (await millrace.api('GET', '/audit?limit=6')).body
    expect(items.map(({ action, actor }: { action: string; actor: string }) => [action, actor])).toEqual(
      ['flow.unpublish', 'flow.publish', 'flow.test', 'flow.test_step', 'flow.update', 'flow.create'].map((action) => [
        action,
        'admin token',
      ]),
    )
  })

  it('finds what it needs to write flows', async () => {
    const { items } = (await assistant.call('list_examples')).body
    expect(items).toContainEqual({ id: 'hello', name: expect.any(String), description: expect.stringMatching(/\S/) })
    const hello = await assistant.call('get_example', { example: 'hello' })
    expect((await assistant.call('validate_flow', { document: hello.text })).body.issues).toEqual([])
    expect(await assistant.call('get_example', { example: 'none' })).toMatchObject({ isError: true })
    const kinds = (await assistant.call('list_step_kinds')).body.items
    expect(kinds.map(({ kind }: { kind: string }) => kind)).toContain('http')
    expect((await assistant.call('get_flow_schema')).body).toMatchObject({ properties: { steps: expect.anything() } })
    expect((await assistant.call('read_guide', { page: 'expressions' })).text).toMatch(/^# Expressions/)
    expect((await assistant.call('get_settings')).body.env).toEqual(['UP'])
    expect(assistant.client.getInstructions()).toContain('validate_flow')
    expect(assistant.client.getServerVersion()).toMatchObject({ name: 'millrace' })
  })

  it('lists flows by part of their name, page by page, without documents', async () => {
    for (const name of ['Listed one', 'Listed two']) await millrace.api('POST', '/flows', documentOf([], {}, name))
    const first = (await assistant.call('list_flows', { search: 'listed', limit: 1 })).body
    expect(first.items).toMatchObject([{ name: 'Listed two', revision: 1 }])
    expect(first.items[0]).not.toHaveProperty('draft')
    const second = (await assistant.call('list_flows', { search: 'listed', limit: 1, cursor: first.nextCursor })).body
    expect(second).toMatchObject({ items: [{ name: 'Listed one' }] })
  })

  it('is told where a long run is cut', async () => {
    const { post } = await millrace.publish(documentOf([]))
    const { id } = (await post({ text: 'x'.repeat(150_000) })).body
    await millrace.runEnded(id)
    const { text } = await assistant.call('get_run', { run: id })
    expect(text.length).toBeLessThan(101_000)
    expect(text).toMatch(/\[Cut here: .*list_run_steps.*\]$/)
  })

  it('never sees a secret', async () => {
    const shop = { name: 'shop', kind: 'bearer', fields: { token: CANARY } }
    expect((await millrace.api('POST', '/connections', shop)).status).toBe(201)
    const auth = { kind: 'bearer', token: '{{ connections.shop.token }}' }
    const call = { id: 'call', kind: 'http', method: 'POST', url: '{{ env.UP }}', auth }
    const typed = { ...call, id: 'typed', auth: { kind: 'apiKey', name: 'X-Key', value: CANARY, in: 'header' } }
    const echo = { kind: 'json', value: { again: '{{ connections.shop.token }}' } }
    const document = documentOf([{ ...call, body: echo }, typed], {}, 'Canary')
    const answers = [await assistant.call('create_flow', { document }), await assistant.call('list_connections')]
    const flow = answers[0]!.body.id
    answers.push(await assistant.call('test_step', { flow, step: 'call', webhook: {} }))
    answers.push(await assistant.call('test_step', { flow, step: 'typed', webhook: {} }))
    expect(answers.slice(2).map(({ body }) => body.status)).toEqual(['succeeded', 'succeeded'])
    const tested = await assistant.call('test_flow', { flow })
    await millrace.runEnded(tested.body.id)
    answers.push(tested, await assistant.call('get_run', { run: tested.body.id }))
    answers.push(await assistant.call('list_run_steps', { run: tested.body.id }))
    answers.push(await assistant.call('get_flow', { flow }), await assistant.call('publish_flow', { flow }))
    expect(answers.filter(({ isError }) => isError)).toEqual([])
    // The request carried the true value.
    expect(upstream.received.at(-1)!.headers['x-key']).toContain('c4n4ry')
    for (const { text } of answers) expect(leaksOf(text, CANARY)).toEqual([])
    expect(leaksOf(millrace.log(), CANARY)).toEqual([])
  })
})

describe('alerts', () => {
  it('are made, changed, tested and deleted by an owner, whose assistant sees no secret', async () => {
    const target = { kind: 'webhook', url: `${upstream.url}/alerts` }
    const made = await assistant.call('create_alert', { rule: 'queue_age', seconds: 60, target })
    expect(made).toMatchObject({ isError: false, body: { rule: 'queue_age', seconds: 60, target } })
    const change = {
      alert: made.body.id,
      rule: 'rejections',
      count: 5,
      target: { ...target, url: `${target.url}/new` },
    }
    const changed = await assistant.call('update_alert', change)
    expect(changed.body).toMatchObject({ id: made.body.id, rule: 'rejections', count: 5 })
    expect((await assistant.call('test_alert', { alert: made.body.id })).body).toEqual({ sent: true, message: null })
    expect(upstream.received.at(-1)!.url).toBe('/alerts/new')
    const listed = await assistant.call('list_alerts')
    expect(listed.body.items).toMatchObject([{ id: made.body.id, rule: 'rejections' }])
    for (const { text } of [made, changed, listed]) expect(text).not.toContain('whsec_')
    const given = { ...change, target: { ...target, secret: 'whsec_x' } }
    expect(await assistant.call('update_alert', given)).toMatchObject({ isError: true })
    expect((await assistant.call('delete_alert', { alert: made.body.id })).isError).toBe(false)
    expect((await assistant.call('list_alerts')).body.items).toEqual([])
  })

  it('are read by a token that may write, and by no other', async () => {
    const writer = await assist(millrace.url, await tokenOf('write'))
    expect((await writer.call('list_alerts')).isError).toBe(false)
    const refused = { isError: true, body: { code: 'forbidden' } }
    const target = { kind: 'email', to: ['a@example.com'] }
    expect(await writer.call('create_alert', { rule: 'storage', target })).toMatchObject(refused)
    const reader = await assist(millrace.url, await tokenOf('read'))
    expect(await reader.tools()).not.toContain('list_alerts')
    expect(await reader.call('list_alerts')).toMatchObject(refused)
    await writer.client.close()
    await reader.client.close()
  })
})

describe('the tools', () => {
  it('have a name, words, a closed schema and hints each, and ask for requests that there are', () => {
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
    const ids = {
      flow: 'ID',
      run: 'ID',
      delivery: 'ID',
      step: 'ID',
      example: 'ID',
      failure: 'ID',
      replay: 'ID',
      approval: 'ID',
      alert: 'ID',
    }
    const input = { ...ids, page: 'flows', document: {}, revision: 1, change: 'pause' }
    for (const { name, title, description, needs, annotations, input: schema, request } of tools) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/)
      expect([title, description].every((text) => text.length > 5)).toBe(true)
      expect(schema).toMatchObject({ type: 'object', additionalProperties: false })
      const { method, path } = request(input as never)
      const pattern = path.split('?')[0]!.replaceAll('ID', ':\\w+').replace('/guide/flows', '/guide/:page')
      const route = Object.keys(ACCESS).find((one) => new RegExp(`^${method} /api/v1${pattern}$`).test(one))
      expect(route, name).toBeDefined()
      // A tool that the token may not call is not listed, and a tool that is marked as read-only only reads.
      expect(needs, name).toEqual(scopesOf(ACCESS[route!]!))
      expect(annotations.readOnlyHint, name).toBe(method === 'GET' || path === '/flows/validate')
    }
    const asking = tools.filter(({ annotations }) => annotations.destructiveHint).map(({ name }) => name)
    expect(asking).toEqual([
      'update_draft',
      'publish_flow',
      'unpublish_flow',
      'resume_flow',
      'test_step',
      'test_flow',
      'run_flow',
      'admit_delivery',
      'replay_runs',
      'send_sample',
      'answer_approval',
      'update_alert',
      'delete_alert',
    ])
    const outside = tools.filter(({ annotations }) => annotations.openWorldHint).map(({ name }) => name)
    expect(outside).toEqual([
      'resume_flow',
      'test_step',
      'test_flow',
      'run_flow',
      'admit_delivery',
      'replay_runs',
      'send_sample',
      'answer_approval',
      'test_alert',
    ])
  })

  it('come to the client as the table has them', async () => {
    const { tools: listed } = await assistant.client.listTools()
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    expect(listed.find(({ name }) => name === 'publish_flow')).toMatchObject({
      inputSchema: { type: 'object', required: ['flow'], additionalProperties: false },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    })
  })

  it.each([
    ['what is missing', 'get_flow', {}],
    ['a key that it does not know', 'get_flow', { flow: 'x', name: 'y' }],
    ['a path', 'get_flow', { flow: '../tokens' }],
    ['a path of dots', 'test_step', { flow: 'x', step: '..' }],
    ['a query', 'get_run', { run: 'x?limit=1' }],
    ['a revision that is none', 'update_draft', { flow: 'x', revision: 'latest', document: {} }],
    ['a page that there is not', 'read_guide', { page: '../README' }],
    ['a document that is none', 'validate_flow', { document: 7 }],
  ])('refuse %s', async (_what, tool, input) => {
    const answer = await assistant.call(tool, input)
    expect(answer).toMatchObject({ isError: true, body: { status: 'error', code: 'invalid_request' } })
    expect(answer.body.issues.length).toBeGreaterThan(0)
  })

  it('say what the API says where it refuses', async () => {
    expect(await assistant.call('get_flow', { flow: 'none' })).toMatchObject({
      isError: true,
      body: { status: 'error', code: 'not_found', requestId: expect.stringMatching(/^req_/) },
    })
    expect(await assistant.call('validate_flow', { document: 'a: [' })).toMatchObject({
      isError: true,
      body: { code: 'invalid_request', message: expect.stringContaining('YAML') },
    })
    await expect(assistant.call('publish_flows')).rejects.toThrow('Did you mean publish_flow?')
  })
})

describe('a token', () => {
  it('of the scope read is shown what it may call, and is refused the rest', async () => {
    const reader = await assist(millrace.url, await tokenOf('read'))
    const shown = await reader.tools()
    expect(shown).toEqual(tools.filter(({ needs }) => meets(UNIONS.read, needs)).map(({ name }) => name))
    expect(shown).not.toContain('publish_flow')
    const { id } = (await millrace.api('POST', '/flows', documentOf([]))).body
    expect((await reader.call('get_flow', { flow: id })).body).toMatchObject({ id })
    expect(await reader.call('publish_flow', { flow: id })).toMatchObject({
      isError: true,
      body: { code: 'forbidden', message: 'This needs the scope flows:write; yours is read.' },
    })
    expect((await millrace.api('GET', `/flows/${id}`)).body.published).toBeNull()
    await reader.client.close()
  })

  it('of the scope write is the one whom the audit log names', async () => {
    const writer = await assist(millrace.url, await tokenOf('write'))
    const needed = tools.filter(({ needs }) => meets(UNIONS.write, needs))
    expect(await writer.tools()).toEqual(needed.map(({ name }) => name))
    const { id } = (await writer.call('create_flow', { document: documentOf([]) })).body
    const { items } = (await millrace.api('GET', '/audit?limit=1')).body
    expect(items).toMatchObject([{ action: 'flow.create', actor: 'token mcp write', target: { id } }])
    await writer.client.close()
  })

  it('that is revoked is refused from the next message on', async () => {
    const made = (await millrace.api('POST', '/tokens', { name: 'gone', scope: 'read' })).body
    const reader = await assist(millrace.url, made.token)
    expect((await reader.call('list_flows')).isError).toBe(false)
    await millrace.api('DELETE', `/tokens/${made.id}`)
    await expect(reader.call('list_flows')).rejects.toThrow('unauthorized')
    await reader.client.close()
  })

  it('that is wrong gets nowhere', async () => {
    await expect(assist(millrace.url, 'wrong')).rejects.toThrow('unauthorized')
  })
})

const HEADERS = {
  authorization: `Bearer ${TOKEN}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

async function post(body: unknown, headers: Record<string, string | undefined> = {}): Promise<Answer> {
  const sent = Object.entries({ ...HEADERS, ...headers }).filter(
    (header): header is [string, string] => header[1] !== undefined,
  )
  const response = await fetch(`${millrace.url}/api/mcp`, {
    method: 'POST',
    headers: sent,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return answerOf(response)
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

describe('the endpoint', () => {
  it('answers each message with JSON, and keeps no session', async () => {
    const answer = await post(ping)
    expect(answer).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } })
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.headers.get('mcp-session-id')).toBeNull()
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).toMatchObject({ status: 202, body: '' })
  })

  it.each(['GET', 'DELETE'])('answers 405 to %s: there is no stream and no session', async (method) => {
    const answer = await answerOf(
      await fetch(`${millrace.url}/api/mcp`, { method, headers: { accept: 'text/event-stream' } }),
    )
    expectFailure(answer, 405, 'method_not_allowed')
    expect(answer.headers.get('allow')).toBe('POST')
  })

  it('wants a token, and no cookie', async () => {
    const nobody = await post(ping, { authorization: undefined })
    expectFailure(nobody, 401, 'unauthorized')
    expect(nobody.headers.get('www-authenticate')).toBe('Bearer')
    expectFailure(await post(ping, { authorization: 'Bearer wrong' }), 401, 'unauthorized')
    const owner = await setUpOwner(millrace)
    expect((await owner.send('GET', '/api/v1/me')).status).toBe(200)
    const signedIn = openBrowser(millrace, owner.cookie())
    expectFailure(await signedIn.send('POST', '/api/mcp', ping), 403, 'forbidden')
  })

  it.each([
    ['another site', { origin: 'https://evil.example.com' }],
    ['a name that was bound to this address', { origin: 'http://rebound.example.com:8080' }],
    ['a page that hides its origin', { origin: 'null' }],
    ['another site, by the browser’s word', { 'sec-fetch-site': 'cross-site' }],
  ])('refuses %s, whatever token it has', async (_what, headers) => {
    expectFailure(await post(ping, headers), 403, 'forbidden')
  })

  it('takes our own origin', async () => {
    expect((await post(ping, { origin: `http://localhost:${millrace.port}` })).status).toBe(200)
  })

  it.each([
    ['no JSON', '{"jsonrpc": "2.0",', 400],
    ['nothing', '', 400],
    ['a number', '7', 400],
    ['null', 'null', 400],
    ['no JSON-RPC', '{"hello": "world"}', 400],
    ['JSON-RPC of another version', { ...ping, jsonrpc: '1.0' }, 400],
    ['an id that is none', { ...ping, id: { a: 1 } }, 400],
    ['a message that is neither request nor answer', { jsonrpc: '2.0', id: 1 }, 400],
    ['a batch', [ping, { ...ping, id: 2 }], 400],
    ['an empty batch', [], 400],
    ['a thousand messages at once', Array.from({ length: 1000 }, (_, id) => ({ ...ping, id })), 400],
    [
      'nesting without end',
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
      400,
    ],
    ['more than 5 MiB', { ...ping, params: { text: 'x'.repeat(5 * 1024 * 1024) } }, 413],
  ])('refuses %s', async (_what, body, status) => {
    const answer = await post(body)
    expect(answer.status).toBe(status)
    expect(answer.body.result).toBeUndefined()
    expect(JSON.stringify(answer.body)).not.toContain('stack')
  })

  it('refuses other types, and clients that do not take its answers', async () => {
    expect((await post('a: 1', { 'content-type': 'text/plain' })).status).toBe(400)
    expect((await post('{jsonrpc: "2.0", id: 1, method: ping}', { 'content-type': 'application/yaml' })).status).toBe(
      400,
    )
    expect((await post(ping, { accept: 'text/html' })).status).toBe(406)
    expect((await post(ping, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400)
  })

  it('tells what it does not know by JSON-RPC', async () => {
    const unknown = await post({ jsonrpc: '2.0', id: 'x', method: 'resources/list' })
    expect(unknown).toMatchObject({ status: 200, body: { id: 'x', error: { code: -32601 } } })
    const nameless = await post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 7 } })
    expect(nameless.body.error.code).toBeLessThan(0)
  })

  it('takes keys such as __proto__ as plain data', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"validate_flow","arguments":{"document":{"name":"x","__proto__":{"steps":[]},"trigger":{"kind":"webhook"}}}}}`
    const { result } = (await post(body)).body
    expect(JSON.parse(result.content[0].text).issues).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ path: '/__proto__' })]),
    )
    expect(({} as { steps?: unknown }).steps).toBeUndefined()
  })
})
